/* SPDX-License-Identifier: MIT */
/* Devices, properties, versions, errors. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../matrix.h"
#include "../mem.h"
#include "api.h"

static struct device devices[MAX_DEVICES];
static int ndevices;
static hipError_t setup_error;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local int current;
static _Thread_local hipError_t last;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void setup(void)
{
    const char *e = getenv("FLYSIM_DEVICES");
    char names[1024];
    snprintf(names, sizeof names, "%s", e && *e ? e : "gfx942");
    for (char *p = names, *save; (p = strtok_r(p, ", ", &save)); p = NULL) {
        const struct sim_target *t = sim_target_find(p);
        if (!t) {
            fprintf(stderr, "flysim: FLYSIM_DEVICES: no device '%s'\n", p);
            continue;
        }
        if (ndevices < MAX_DEVICES)
            devices[ndevices++].target = t;
    }
    if (!sim_mem_setup()) {
        fprintf(stderr, "flysim: cannot reserve address space for device memory\n");
        setup_error = hipErrorOutOfMemory;
        return;
    }
    e = getenv("FLYSIM_ULP");
    sim_ulp = e ? atoi(e) : 0;
    sim_ulp = sim_ulp > 0 ? 1 : sim_ulp < 0 ? -1 : 0;
    e = getenv("FLYSIM_MFMA");
    if (e && !strcmp(e, "exact"))
        sim_mfma_mode = SIM_MFMA_EXACT;
    else if (e && !strcmp(e, "device"))
        sim_mfma_mode = SIM_MFMA_DEVICE;
    else if (e && !strcmp(e, "fma"))
        sim_mfma_mode = SIM_MFMA_FMA;
    for (int i = 0; i < ndevices; i++)
        devices[i].null_stream = hip_stream_new(i, 0);
    if (!ndevices)
        setup_error = hipErrorNoDevice;
}

hipError_t hip_setup(void)
{
    pthread_once(&once, setup);
    return setup_error;
}

int hip_device_count(void) { return ndevices; }
struct device *hip_device(int i) { return i >= 0 && i < ndevices ? &devices[i] : NULL; }
int hip_current(void) { return current; }

hipError_t hip_return(hipError_t e)
{
    if (e)
        last = e;
    return e;
}

/* ---- errors ---- */

static char report[4096];

void hip_report(const char *text)
{
    pthread_mutex_lock(&lock);
    snprintf(report, sizeof report, "%s", text);
    pthread_mutex_unlock(&lock);
    fputs(text, stderr);
}

const char *flysimLastError(void) { return report; }

hipError_t hipGetLastError(void)
{
    hipError_t e = last;
    last = 0;
    return e;
}

hipError_t hipPeekAtLastError(void) { return last; }
hipError_t hipExtGetLastError(void) { return hipGetLastError(); }

static const struct { int code; const char *name, *text; } errors[] = {
#define HIP_ERROR(name, code, text) {code, #name, text},
#include "error.inc"
};

const char *hipGetErrorName(hipError_t e)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == e)
            return errors[i].name;
    return "hipErrorUnknown";
}

const char *hipGetErrorString(hipError_t e)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == e)
            return errors[i].text;
    return "unknown error";
}

hipError_t hipDrvGetErrorName(hipError_t e, const char **s) { *s = hipGetErrorName(e); return 0; }
hipError_t hipDrvGetErrorString(hipError_t e, const char **s) { *s = hipGetErrorString(e); return 0; }

/* ---- devices ---- */

hipError_t hipInit(unsigned flags) { return hip_return(flags ? hipErrorInvalidValue : hip_setup()); }

hipError_t hipGetDeviceCount(int *n)
{
    if (!n)
        return hip_return(hipErrorInvalidValue);
    hipError_t e = hip_setup();
    *n = ndevices;
    return hip_return(e);
}

hipError_t hipSetDevice(int d)
{
    hipError_t e = hip_setup();
    if (!e && (d < 0 || d >= ndevices))
        e = hipErrorInvalidDevice;
    if (!e)
        current = d;
    return hip_return(e);
}

hipError_t hipGetDevice(int *d)
{
    hipError_t e = hip_setup();
    if (!e && !d)
        e = hipErrorInvalidValue;
    if (!e)
        *d = current;
    return hip_return(e);
}

hipError_t hipDeviceGet(hipDevice_t *d, int i)
{
    hipError_t e = hip_setup();
    if (!e)
        e = !d ? hipErrorInvalidValue : i < 0 || i >= ndevices ? hipErrorInvalidDevice : 0;
    if (!e)
        *d = i;
    return hip_return(e);
}

hipError_t hipDeviceGetName(char *name, int len, hipDevice_t d)
{
    hipError_t e = hip_setup();
    if (!e)
        e = !name || len <= 0 ? hipErrorInvalidValue : !hip_device(d) ? hipErrorInvalidDevice : 0;
    if (!e)
        snprintf(name, (size_t)len, "%s (simulated)", devices[d].target->product);
    return hip_return(e);
}

hipError_t hipDeviceTotalMem(size_t *n, hipDevice_t d)
{
    hipError_t e = hip_setup();
    if (!e)
        e = !n ? hipErrorInvalidValue : !hip_device(d) ? hipErrorInvalidDevice : 0;
    if (!e)
        *n = (size_t)(devices[d].target->mem_gib * 1073741824.0);
    return hip_return(e);
}

hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t d)
{
    hipError_t e = hip_setup();
    if (!e)
        e = !major || !minor ? hipErrorInvalidValue : !hip_device(d) ? hipErrorInvalidDevice : 0;
    if (!e)
        *major = devices[d].target->major, *minor = devices[d].target->minor;
    return hip_return(e);
}

hipError_t hipDeviceGetPCIBusId(char *id, int len, int d)
{
    hipError_t e = hip_setup();
    if (!e)
        e = !id || len < 13 ? hipErrorInvalidValue : !hip_device(d) ? hipErrorInvalidDevice : 0;
    if (!e)
        snprintf(id, (size_t)len, "0000:%02x:00.0", d + 1);
    return hip_return(e);
}

static void arch_name(char *s, size_t n, const struct sim_target *t)
{
    /* The feature suffix real devices of these targets show. */
    const char *features = t->major == 9 ? ":sramecc+:xnack-" : "";
    snprintf(s, n, "%s%s", t->name, features);
}

static int clock_khz(const struct sim_target *t) { return (int)(t->ghz * 1e6); }
static int threads_cu(const struct sim_target *t) { return t->family->waves * t->simds * t->family->wave; }
/* Bus width and clock chosen so that their product is the bandwidth of the row. */
static int bus_width(const struct sim_target *t) { return t->mem_gbps > 1000 ? 8192 : t->mem_gbps > 500 ? 256 : 128; }
static int mem_khz(const struct sim_target *t) { return (int)(t->mem_gbps * 1e6 * 8 / 2 / bus_width(t)); }

hipError_t hipGetDevicePropertiesR0600(struct prop_r0600 *p, int d)
{
    hipError_t e = hip_setup();
    if (!e)
        e = !p ? hipErrorInvalidValue : !hip_device(d) ? hipErrorInvalidDevice : 0;
    if (e)
        return hip_return(e);
    const struct sim_target *t = devices[d].target;
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s (simulated)", t->product);
    snprintf(p->uuid, sizeof p->uuid, "flysim-%08d", d);
    p->totalGlobalMem = (size_t)(t->mem_gib * 1073741824.0);
    p->sharedMemPerBlock = p->sharedMemPerBlockOptin = t->family->lds;
    p->sharedMemPerMultiprocessor = p->maxSharedMemoryPerMultiProcessor = (size_t)t->lds_cu;
    p->regsPerBlock = p->regsPerMultiprocessor = t->family->pool * t->family->wave * t->simds;
    p->warpSize = t->family->wave;
    p->memPitch = p->totalConstMem = 2147483647;
    p->maxThreadsPerBlock = 1024;
    for (int i = 0; i < 3; i++) {
        p->maxThreadsDim[i] = 1024;
        p->maxGridSize[i] = i ? 65536 : 2147483647;
    }
    p->clockRate = p->clockInstructionRate = clock_khz(t);
    p->major = t->major;
    p->minor = t->minor;
    p->textureAlignment = p->texturePitchAlignment = 256;
    p->multiProcessorCount = t->cus;
    p->canMapHostMemory = p->concurrentKernels = p->unifiedAddressing = p->managedMemory = 1;
    p->cooperativeLaunch = p->isLargeBar = 1;
    p->more[11] = t->family->isa == SIM_ISA_GFX1250; /* clusterLaunch */
    p->pciBusID = d + 1;
    p->asyncEngineCount = 1;
    p->memoryClockRate = mem_khz(t);
    p->memoryBusWidth = bus_width(t);
    p->l2CacheSize = t->l2_kib * 1024;
    p->maxThreadsPerMultiProcessor = threads_cu(t);
    p->arch = 0x1ffff;
    arch_name(p->gcnArchName, sizeof p->gcnArchName, t);
    return 0;
}

hipError_t hipGetDeviceProperties(struct prop_r0000 *p, int d)
{
    struct prop_r0600 q;
    hipError_t e = p ? hipGetDevicePropertiesR0600(&q, d) : hip_return(hipErrorInvalidValue);
    if (e)
        return e;
    memset(p, 0, sizeof *p);
    memcpy(p->name, q.name, sizeof p->name);
    p->totalGlobalMem = q.totalGlobalMem;
    p->sharedMemPerBlock = q.sharedMemPerBlock;
    p->regsPerBlock = q.regsPerBlock;
    p->warpSize = q.warpSize;
    p->maxThreadsPerBlock = q.maxThreadsPerBlock;
    memcpy(p->maxThreadsDim, q.maxThreadsDim, sizeof p->maxThreadsDim);
    memcpy(p->maxGridSize, q.maxGridSize, sizeof p->maxGridSize);
    p->clockRate = p->clockInstructionRate = q.clockRate;
    p->memoryClockRate = q.memoryClockRate;
    p->memoryBusWidth = q.memoryBusWidth;
    p->totalConstMem = q.totalConstMem;
    p->major = q.major;
    p->minor = q.minor;
    p->multiProcessorCount = q.multiProcessorCount;
    p->l2CacheSize = q.l2CacheSize;
    p->maxThreadsPerMultiProcessor = q.maxThreadsPerMultiProcessor;
    p->arch = q.arch;
    p->concurrentKernels = q.concurrentKernels;
    p->pciBusID = q.pciBusID;
    p->maxSharedMemoryPerMultiProcessor = q.maxSharedMemoryPerMultiProcessor;
    p->canMapHostMemory = 1;
    memcpy(p->gcnArchName, q.gcnArchName, sizeof p->gcnArchName);
    return 0;
}

hipError_t hipGetDevicePropertiesR0000(struct prop_r0000 *p, int d) { return hipGetDeviceProperties(p, d); }

/* Numbers of hipDeviceAttribute_t, ROCm 6. */
enum {
    ATTR_ASYNC_ENGINES = 2, ATTR_CAN_MAP_HOST = 3, ATTR_CLOCK = 5, ATTR_COMPUTE_MODE = 6, ATTR_CONCURRENT = 8,
    ATTR_COOPERATIVE = 11, ATTR_INTEGRATED = 17, ATTR_L2 = 20, ATTR_MAJOR = 24, ATTR_MANAGED = 25,
    ATTR_BLOCK_X = 26, ATTR_BLOCK_Y = 27, ATTR_BLOCK_Z = 28, ATTR_GRID_X = 29, ATTR_GRID_Y = 30, ATTR_GRID_Z = 31,
    ATTR_BLOCK_THREADS = 56, ATTR_CU_THREADS = 57, ATTR_PITCH = 58, ATTR_BUS = 59, ATTR_MEM_CLOCK = 60,
    ATTR_MINOR = 61, ATTR_CUS = 63, ATTR_PCI_BUS = 67, ATTR_PCI_DEVICE = 68, ATTR_PCI_DOMAIN = 69,
    ATTR_REGS_BLOCK = 71, ATTR_REGS_CU = 72, ATTR_LDS = 74, ATTR_LDS_OPTIN = 75, ATTR_LDS_CU = 76,
    ATTR_UNIFIED = 85, ATTR_WARP = 87, ATTR_AMD_CLOCK = 10000, ATTR_AMD_LDS_CU = 10002, ATTR_LARGE_BAR = 10011,
    ATTR_PHYSICAL_CUS = 10015, ATTR_WALL_CLOCK = 10017
};

hipError_t hipDeviceGetAttribute(int *v, int attribute, int d)
{
    struct prop_r0600 p;
    if (!v)
        return hip_return(hipErrorInvalidValue);
    hipError_t e = hipGetDevicePropertiesR0600(&p, d);
    if (e)
        return e;
    switch (attribute) {
    case ATTR_ASYNC_ENGINES: *v = p.asyncEngineCount; break;
    case ATTR_CAN_MAP_HOST: case ATTR_CONCURRENT: case ATTR_COOPERATIVE: case ATTR_MANAGED: case ATTR_UNIFIED:
    case ATTR_LARGE_BAR: *v = 1; break;
    case ATTR_CLOCK: case ATTR_AMD_CLOCK: *v = p.clockRate; break;
    case ATTR_L2: *v = p.l2CacheSize; break;
    case ATTR_MAJOR: *v = p.major; break;
    case ATTR_MINOR: *v = p.minor; break;
    case ATTR_BLOCK_X: case ATTR_BLOCK_Y: case ATTR_BLOCK_Z: case ATTR_BLOCK_THREADS: *v = 1024; break;
    case ATTR_GRID_X: *v = p.maxGridSize[0]; break;
    case ATTR_GRID_Y: *v = p.maxGridSize[1]; break;
    case ATTR_GRID_Z: *v = p.maxGridSize[2]; break;
    case ATTR_CU_THREADS: *v = p.maxThreadsPerMultiProcessor; break;
    case ATTR_PITCH: *v = 2147483647; break;
    case ATTR_BUS: *v = p.memoryBusWidth; break;
    case ATTR_MEM_CLOCK: *v = p.memoryClockRate; break;
    case ATTR_CUS: case ATTR_PHYSICAL_CUS: *v = p.multiProcessorCount; break;
    case ATTR_PCI_BUS: *v = p.pciBusID; break;
    case ATTR_REGS_BLOCK: *v = p.regsPerBlock; break;
    case ATTR_REGS_CU: *v = p.regsPerMultiprocessor; break;
    case ATTR_LDS: case ATTR_LDS_OPTIN: *v = (int)p.sharedMemPerBlock; break;
    case ATTR_LDS_CU: case ATTR_AMD_LDS_CU: *v = (int)p.sharedMemPerMultiprocessor; break;
    case ATTR_WARP: *v = p.warpSize; break;
    case ATTR_WALL_CLOCK: *v = 100000; break;
    default: *v = 0; break;
    }
    return 0;
}

hipError_t hipDriverGetVersion(int *v) { if (!v) return hip_return(hipErrorInvalidValue); *v = 60000000; return 0; }
hipError_t hipRuntimeGetVersion(int *v) { if (!v) return hip_return(hipErrorInvalidValue); *v = 60000000; return 0; }

hipError_t hipDeviceSynchronize(void)
{
    hipError_t e = hip_setup();
    return hip_return(e ? e : hip_device_sync(current));
}

hipError_t hipDeviceReset(void) { return hipDeviceSynchronize(); }
hipError_t hipSetDeviceFlags(unsigned f) { (void)f; return 0; }
hipError_t hipGetDeviceFlags(unsigned *f) { if (f) *f = 0; return 0; }
hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least) *least = 0;
    if (greatest) *greatest = 0;
    return 0;
}
hipError_t hipDeviceSetCacheConfig(int c) { (void)c; return 0; }
hipError_t hipDeviceSetSharedMemConfig(int c) { (void)c; return 0; }

/* hipLimitStackSize, hipLimitPrintfFifoSize, hipLimitMallocHeapSize: HIP's defaults, kept for those who ask. Scratch is
 * as large here as a kernel says. */
static _Atomic size_t limits[] = {1024, 1 << 20, 8 << 20};
enum { LIMITS = sizeof limits / sizeof *limits };

hipError_t hipDeviceGetLimit(size_t *v, int limit)
{
    if (!v)
        return hip_return(hipErrorInvalidValue);
    if (limit < 0 || limit >= LIMITS)
        return hip_return(hipErrorUnsupportedLimit);
    *v = limits[limit];
    return 0;
}

hipError_t hipDeviceSetLimit(int limit, size_t v)
{
    if (limit < 0 || limit >= LIMITS)
        return hip_return(hipErrorUnsupportedLimit);
    limits[limit] = v;
    return 0;
}

hipError_t hipDeviceCanAccessPeer(int *can, int d, int peer)
{
    if (!can || !hip_device(d) || !hip_device(peer))
        return hip_return(hipErrorInvalidValue);
    *can = d != peer;
    return 0;
}
hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags)
{
    (void)flags;
    return hip_return(hip_device(peer) ? 0 : hipErrorInvalidDevice);
}
hipError_t hipDeviceDisablePeerAccess(int peer) { return hip_return(hip_device(peer) ? 0 : hipErrorInvalidDevice); }
hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *c, hipDevice_t d)
{
    hipError_t e = hip_setup();
    if (!e && (!c || !hip_device(d)))
        e = hipErrorInvalidValue;
    if (!e)
        *c = (hipCtx_t)hip_device(d);
    return hip_return(e);
}
hipError_t hipDevicePrimaryCtxRelease(hipDevice_t d) { (void)d; return 0; }
hipError_t hipCtxGetCurrent(hipCtx_t *c) { if (c) *c = (hipCtx_t)hip_device(current); return hip_return(hip_setup()); }
hipError_t hipCtxSetCurrent(hipCtx_t c)
{
    struct device *d = (struct device *)c;
    if (d >= devices && d < devices + ndevices)
        current = (int)(d - devices);
    return 0;
}
hipError_t hipCtxGetDevice(hipDevice_t *d) { return hipGetDevice(d); }
hipError_t hipCtxSynchronize(void) { return hipDeviceSynchronize(); }

/* ---- counters ---- */

void hip_add_counts(struct device *d, const struct flysim_counts *c)
{
    pthread_mutex_lock(&lock);
    struct flysim_counts *s = &d->counts;
    s->launches += c->launches;
    s->workgroups += c->workgroups;
    s->waves += c->waves;
    for (int i = 0; i < FLYSIM_CLASSES; i++)
        s->instructions[i] += c->instructions[i];
    s->read_bytes += c->read_bytes;
    s->write_bytes += c->write_bytes;
    s->param_bytes += c->param_bytes;
    s->lds_bytes += c->lds_bytes;
    s->lds_conflict_cycles += c->lds_conflict_cycles;
    s->lds_conflict_cycles_linear += c->lds_conflict_cycles_linear;
    s->lds_cycles += c->lds_cycles;
    s->first_read_bytes += c->first_read_bytes;
    s->first_write_bytes += c->first_write_bytes;
    s->first_param_bytes += c->first_param_bytes;
    s->memory_bytes += c->memory_bytes;
    s->simulated_workgroups += c->simulated_workgroups;
    s->matrix_cycles += c->matrix_cycles;
    s->valu_cycles += c->valu_cycles;
#define MOST(f) if (c->f > s->f) s->f = c->f
    MOST(vgprs);
    MOST(agprs);
    MOST(sgprs);
    MOST(lds_alloc);
    MOST(spills);
    MOST(l1_bytes_clk);
#undef MOST
    s->occupancy = c->occupancy;
    s->modelled_ns += c->modelled_ns;
    for (int i = 0; i < FLYSIM_UNITS; i++)
        s->unit_ns[i] += c->unit_ns[i];
    if (c->modelled_ns >= d->longest_ns) {
        d->longest_ns = c->modelled_ns;
        s->bound = c->bound;
        s->bound_share = c->bound_share;
    }
    pthread_mutex_unlock(&lock);
}

int flysimResetCounts(void)
{
    hipError_t e = hip_setup();
    if (e)
        return hip_return(e);
    hip_device_sync(current);
    pthread_mutex_lock(&lock);
    memset(&devices[current].counts, 0, sizeof devices[current].counts);
    devices[current].longest_ns = 0;
    pthread_mutex_unlock(&lock);
    return 0;
}

int flysimGetCounts(struct flysim_counts *out)
{
    hipError_t e = hip_setup();
    if (!e && (!out || out->size < sizeof out->size))
        e = hipErrorInvalidValue;
    if (e)
        return hip_return(e);
    hip_device_sync(current);
    pthread_mutex_lock(&lock);
    size_t n = out->size < sizeof *out ? (size_t)out->size : sizeof *out;
    u64 size = out->size;
    memcpy(out, &devices[current].counts, n);
    out->size = size;
    pthread_mutex_unlock(&lock);
    return 0;
}

int flysimSample(uint64_t waves, uint64_t read_bytes)
{
    sim_sample(waves, read_bytes);
    return 0;
}

int flysimMarkParam(const void *ptr, size_t bytes)
{
    hipError_t e = hip_setup();
    if (!e && !sim_mem_find((u64)(uintptr_t)ptr))
        e = hipErrorInvalidValue;
    if (!e)
        sim_mem_param((u64)(uintptr_t)ptr, bytes);
    return hip_return(e);
}
