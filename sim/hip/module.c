/* SPDX-License-Identifier: MIT */
/* Modules and kernels: loading, look-up, launch; kernels that host programs register themselves. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../bundle.h"
#include "../mem.h"
#include "api.h"

struct module { struct sim_module *m; };

hipError_t hip_module_from(const void *data, size_t size, int device, struct sim_module **out)
{
    char err[512] = "";
    struct sim_bundle b;
    const struct sim_target *t = hip_device(device)->target;
    if (!sim_bundle_open(data, size, &b, err, sizeof err)) {
        fprintf(stderr, "flysim: %s\n", err);
        return hipErrorInvalidImage;
    }
    const struct sim_image *i = sim_bundle_pick(&b, t->family);
    hipError_t e = 0;
    if (!i) {
        e = hipErrorNoBinaryForGpu;
    } else {
        *out = sim_module_load(i->data, i->size, t, device, err, sizeof err);
        if (!*out) {
            fprintf(stderr, "flysim: %s\n", err);
            e = strstr(err, "is for") ? hipErrorNoBinaryForGpu : hipErrorInvalidImage;
        }
    }
    sim_bundle_close(&b);
    return e;
}

static hipError_t load(hipModule_t *m, const void *data, size_t size)
{
    *m = calloc(1, sizeof **m);
    if (!*m)
        return hipErrorOutOfMemory;
    hipError_t e = hip_module_from(data, size, hip_current(), &(*m)->m);
    if (e) {
        free(*m);
        *m = NULL;
    }
    return e;
}

hipError_t hipModuleLoadData(hipModule_t *m, const void *data)
{
    hipError_t e = hip_setup();
    if (!e && (!m || !data))
        e = hipErrorInvalidValue;
    if (!e) {
        size_t n = sim_image_size(data);
        e = n ? load(m, data, n) : hipErrorInvalidImage;
    }
    return hip_return(e);
}

hipError_t hipModuleLoadDataEx(hipModule_t *m, const void *data, unsigned n, int *options, void **values)
{
    (void)n; (void)options; (void)values;
    return hipModuleLoadData(m, data);
}

hipError_t hipModuleLoad(hipModule_t *m, const char *path)
{
    hipError_t e = hip_setup();
    if (!e && (!m || !path))
        e = hipErrorInvalidValue;
    if (e)
        return hip_return(e);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st)) {
        if (fd >= 0)
            close(fd);
        return hip_return(hipErrorFileNotFound);
    }
    size_t n = (size_t)st.st_size, got = 0;
    char *data = malloc(n ? n : 1);
    while (data && got < n) {
        ssize_t k = read(fd, data + got, n - got);
        if (k <= 0)
            break;
        got += (size_t)k;
    }
    close(fd);
    e = !data ? hipErrorOutOfMemory : load(m, data, got);
    free(data);
    return hip_return(e);
}

hipError_t hipModuleUnload(hipModule_t m)
{
    if (!m)
        return hip_return(hipErrorInvalidValue);
    hip_device_sync(-1);
    sim_module_unload(m->m);
    free(m);
    return 0;
}

hipError_t hipModuleGetFunction(hipFunction_t *f, hipModule_t m, const char *name)
{
    if (!f || !m || !name)
        return hip_return(hipErrorInvalidValue);
    *f = sim_module_function(m->m, name);
    return hip_return(*f ? 0 : hipErrorNotFound);
}

static hipError_t global(struct sim_module *m, void **p, size_t *n, const char *name)
{
    const struct sim_symbol *s = sim_codeobj_symbol(m->object, name);
    if (!s || !s->defined || s->type != 1)
        return hipErrorNotFound;
    if (p) *p = m->image + s->value;
    if (n) *n = s->size;
    return 0;
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t *p, size_t *n, hipModule_t m, const char *name)
{
    if (!m || !name)
        return hip_return(hipErrorInvalidValue);
    return hip_return(global(m->m, p, n, name));
}

/* hipFunction_attribute */
enum { F_THREADS, F_SHARED, F_CONST, F_LOCAL, F_REGS, F_PTX, F_BINARY, F_CACHE, F_DYN_SHARED, F_CARVEOUT };

hipError_t hipFuncGetAttribute(int *v, int attribute, hipFunction_t f)
{
    if (!v || !f)
        return hip_return(hipErrorInvalidValue);
    switch (attribute) {
    case F_THREADS: *v = f->k->max_workgroup ? f->k->max_workgroup : 1024; break;
    case F_SHARED: *v = (int)f->k->lds; break;
    case F_CONST: *v = 0; break;
    case F_LOCAL: *v = (int)f->k->scratch; break;
    case F_REGS: *v = f->k->vgpr_count ? f->k->vgpr_count : f->vgprs; break;
    case F_PTX: case F_BINARY: *v = f->module->target->major * 10 + f->module->target->minor; break;
    case F_DYN_SHARED: *v = (int)(f->module->target->family->lds - f->k->lds); break;
    default: *v = 0; break;
    }
    return 0;
}

hipError_t hipFuncGetAttributes(struct func_attributes *a, const void *host)
{
    struct sim_function *f = hip_host_function(host, hip_current());
    if (!a || !f)
        return hip_return(f ? hipErrorInvalidValue : hipErrorInvalidDeviceFunction);
    memset(a, 0, sizeof *a);
    a->localSizeBytes = f->k->scratch;
    a->maxThreadsPerBlock = f->k->max_workgroup ? f->k->max_workgroup : 1024;
    a->numRegs = f->vgprs;
    a->sharedSizeBytes = f->k->lds;
    a->maxDynamicSharedSizeBytes = (int)(f->module->target->family->lds - f->k->lds);
    return 0;
}

hipError_t hipFuncSetAttribute(const void *f, int a, int v) { (void)f; (void)a; (void)v; return 0; }
hipError_t hipFuncSetCacheConfig(const void *f, int c) { (void)f; (void)c; return 0; }
hipError_t hipFuncSetSharedMemConfig(const void *f, int c) { (void)f; (void)c; return 0; }

static hipError_t launch(hipFunction_t f, dim3 grid, dim3 block, const dim3 *cluster, size_t shared, hipStream_t s,
                         void **params, void **extra)
{
    const uint32_t g[3] = {grid.x, grid.y, grid.z}, b[3] = {block.x, block.y, block.z};
    uint32_t items[3], together[3] = {0};
    hipError_t e = hip_setup();
    if (e)
        return hip_return(e);
    if (!f)
        return hip_return(hipErrorInvalidHandle);
    for (int d = 0; d < 3; d++) {
        const uint64_t n = (uint64_t)g[d] * b[d];
        if (!n || n >> 32)
            return hip_return(hipErrorInvalidConfiguration);
        items[d] = (uint32_t)n;
    }
    if (cluster)
        memcpy(together, cluster, sizeof together);
    return hip_return(hip_enqueue_kernel(f, items, b, together, (uint32_t)shared, s, params, extra));
}

hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                 unsigned bz, unsigned shared, hipStream_t s, void **params, void **extra)
{
    return launch(f, (dim3){gx, gy, gz}, (dim3){bx, by, bz}, NULL, shared, s, params, extra);
}

/* The cluster dimensions among the attributes, of which others have no effect here; null without. */
static const dim3 *cluster_in(const struct launch_attribute *a, unsigned n)
{
    for (unsigned i = 0; a && i < n; i++)
        if (a[i].id == hipLaunchAttributeClusterDimension)
            return &a[i].val.clusterDim;
    return NULL;
}

hipError_t hipDrvLaunchKernelEx(const struct drv_launch_config *c, hipFunction_t f, void **params, void **extra)
{
    if (!c)
        return hip_return(hipErrorInvalidValue);
    return launch(f, c->grid, c->block, cluster_in(c->attrs, c->nattrs), c->shared, c->stream, params, extra);
}

hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                            unsigned by, unsigned bz, unsigned shared, hipStream_t s, void **params)
{
    return hipModuleLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, s, params, NULL);
}

hipError_t hipExtModuleLaunchKernel(hipFunction_t f, uint32_t x, uint32_t y, uint32_t z, uint32_t bx, uint32_t by,
                                    uint32_t bz, size_t shared, hipStream_t s, void **params, void **extra,
                                    hipEvent_t start, hipEvent_t stop, uint32_t flags)
{
    (void)flags;
    hipError_t e = hip_setup();
    if (e)
        return hip_return(e);
    if (!f)
        return hip_return(hipErrorInvalidHandle);
    if (!x || !y || !z || !bx || !by || !bz)
        return hip_return(hipErrorInvalidConfiguration);
    uint32_t n[3] = {x, y, z}, b[3] = {bx, by, bz};
    if (start)
        hipEventRecord(start, s);
    e = hip_enqueue_kernel(f, n, b, NULL, (uint32_t)shared, s, params, extra);
    if (!e && stop)
        hipEventRecord(stop, s);
    return hip_return(e);
}

hipError_t hipHccModuleLaunchKernel(hipFunction_t f, uint32_t x, uint32_t y, uint32_t z, uint32_t bx, uint32_t by,
                                    uint32_t bz, size_t shared, hipStream_t s, void **params, void **extra,
                                    hipEvent_t start, hipEvent_t stop)
{
    return hipExtModuleLaunchKernel(f, x, y, z, bx, by, bz, shared, s, params, extra, start, stop, 0);
}

/* ---- occupancy ---- */

static hipError_t blocks_per_cu(int *n, struct sim_function *f, int block, size_t shared)
{
    if (!n || !f || block <= 0)
        return f ? hipErrorInvalidValue : hipErrorInvalidDeviceFunction;
    const struct sim_target *t = f->module->target;
    uint32_t lds = f->k->lds + (uint32_t)shared;
    int waves = (block + f->program->wave - 1) / f->program->wave;
    *n = sim_occupancy(f, (uint32_t)block, lds) * t->simds / waves;
    if (lds > t->family->lds)
        *n = 0;
    return 0;
}

static hipError_t best_block(int *grid, int *block, struct sim_function *f, size_t shared, int limit)
{
    if (!f || !grid || !block)
        return f ? hipErrorInvalidValue : hipErrorInvalidDeviceFunction;
    int most = f->k->max_workgroup ? f->k->max_workgroup : 1024, n = 0;
    if (limit > 0 && limit < most)
        most = limit;
    blocks_per_cu(&n, f, most, shared);
    *block = most;
    *grid = n * f->module->target->cus;
    return 0;
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *n, hipFunction_t f, int block, size_t shared)
{
    return hip_return(blocks_per_cu(n, f, block, shared));
}
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, hipFunction_t f, int block, size_t shared,
                                                                       unsigned flags)
{
    (void)flags;
    return hip_return(blocks_per_cu(n, f, block, shared));
}
hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *grid, int *block, hipFunction_t f, size_t shared, int limit)
{
    return hip_return(best_block(grid, block, f, shared, limit));
}
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *host, int block, size_t shared)
{
    return hip_return(blocks_per_cu(n, hip_host_function(host, hip_current()), block, shared));
}
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, const void *host, int block, size_t shared,
                                                                 unsigned flags)
{
    (void)flags;
    return hipOccupancyMaxActiveBlocksPerMultiprocessor(n, host, block, shared);
}
hipError_t hipOccupancyMaxPotentialBlockSize(int *grid, int *block, const void *host, size_t shared, int limit)
{
    return hip_return(best_block(grid, block, hip_host_function(host, hip_current()), shared, limit));
}

/* Of the whole device, by the registers and LDS of their workgroups. */
hipError_t hipOccupancyMaxActiveClusters(int *n, const void *host, const struct launch_config *c)
{
    struct sim_function *f = c ? hip_host_function(host, hip_current()) : NULL;
    if (!n || !c)
        return hip_return(hipErrorInvalidValue);
    hipError_t e = blocks_per_cu(n, f, (int)(c->block.x * c->block.y * c->block.z), c->shared);
    if (e)
        return hip_return(e);
    const dim3 *asked = cluster_in(c->attrs, c->nattrs);
    const uint64_t size = asked ? (uint64_t)asked->x * asked->y * asked->z : 1;
    if (size == 0 || size > 16)
        return hip_return(hipErrorInvalidClusterSize);
    *n = size > 1 && f->module->target->family->isa != SIM_ISA_GFX1250 ? 0 : *n * f->module->target->cus / (int)size;
    return 0;
}

/* ---- programs with device code of their own ---- */

struct wrapper { uint32_t magic, version; const void *binary; void *unused; };
enum { HIPF = 0x48495046 };

struct fat {
    const void *binary;
    struct sim_module *module[MAX_DEVICES];
    struct fat *next;
};
struct registered {
    const void *host;
    const char *name;
    struct fat *fat;
    bool variable;
    struct registered *next;
};
static struct fat *fats;
static struct registered *registered;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

API void **__hipRegisterFatBinary(const void *data);
API void __hipRegisterFunction(void **fat, const void *host, char *device_name, const char *name, unsigned limit,
                               void *tid, void *bid, dim3 *block, dim3 *grid, int *wave);
API void __hipRegisterVar(void **fat, void *var, char *host_name, char *name, int ext, size_t size, int constant,
                          int global_);
API void __hipRegisterManagedVar(void *fat, void **pointer, void *init, const char *name, size_t size, unsigned align);
API void __hipRegisterSurface(void **fat, void *var, char *host_name, char *name, int type, int ext);
API void __hipRegisterTexture(void **fat, void *var, char *host_name, char *name, int type, int norm, int ext);
API void __hipUnregisterFatBinary(void **fat);
API hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared, hipStream_t s);
API hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, hipStream_t *s);

void **__hipRegisterFatBinary(const void *data)
{
    const struct wrapper *w = data;
    struct fat *f = calloc(1, sizeof *f);
    if (!f || !w || w->magic != HIPF) {
        free(f);
        return NULL;
    }
    f->binary = w->binary;
    pthread_mutex_lock(&lock);
    f->next = fats;
    fats = f;
    pthread_mutex_unlock(&lock);
    return (void **)f;
}

static void record(void **fat, const void *host, const char *name, bool variable)
{
    struct registered *r = fat ? calloc(1, sizeof *r) : NULL;
    if (!r)
        return;
    *r = (struct registered){host, name, (struct fat *)fat, variable, NULL};
    pthread_mutex_lock(&lock);
    r->next = registered;
    registered = r;
    pthread_mutex_unlock(&lock);
}

void __hipRegisterFunction(void **fat, const void *host, char *device_name, const char *name, unsigned limit, void *tid,
                           void *bid, dim3 *block, dim3 *grid, int *wave)
{
    (void)device_name; (void)limit; (void)tid; (void)bid; (void)block; (void)grid; (void)wave;
    record(fat, host, name, false);
}
void __hipRegisterVar(void **fat, void *var, char *host_name, char *name, int ext, size_t size, int constant, int global_)
{
    (void)host_name; (void)ext; (void)size; (void)constant; (void)global_;
    record(fat, var, name, true);
}
void __hipRegisterManagedVar(void *fat, void **pointer, void *init, const char *name, size_t size, unsigned align)
{
    (void)fat; (void)name; (void)align;
    if (hipMallocManaged(pointer, size, 0) == 0 && init)
        memcpy(*pointer, init, size);
}
void __hipRegisterSurface(void **fat, void *var, char *host_name, char *name, int type, int ext)
{
    (void)fat; (void)var; (void)host_name; (void)name; (void)type; (void)ext;
}
void __hipRegisterTexture(void **fat, void *var, char *host_name, char *name, int type, int norm, int ext)
{
    (void)fat; (void)var; (void)host_name; (void)name; (void)type; (void)norm; (void)ext;
}
void __hipUnregisterFatBinary(void **fat)
{
    struct fat *f = (struct fat *)fat;
    if (!f)
        return;
    pthread_mutex_lock(&lock);
    for (struct registered **p = &registered; *p;)
        if ((*p)->fat == f) {
            struct registered *gone = *p;
            *p = gone->next;
            free(gone);
        } else {
            p = &(*p)->next;
        }
    for (struct fat **p = &fats; *p; p = &(*p)->next)
        if (*p == f) {
            *p = f->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < MAX_DEVICES; i++)
        sim_module_unload(f->module[i]);
    free(f);
}

static struct sim_module *fat_module(struct fat *f, int device)
{
    if (!f->module[device]) {
        size_t n = sim_image_size(f->binary);
        if (n)
            hip_module_from(f->binary, n, device, &f->module[device]);
    }
    return f->module[device];
}

static struct registered *find(const void *host, bool variable)
{
    for (struct registered *r = registered; r; r = r->next)
        if (r->host == host && r->variable == variable)
            return r;
    return NULL;
}

struct sim_function *hip_host_function(const void *host, int device)
{
    struct sim_function *f = NULL;
    if (hip_setup() || !hip_device(device))
        return NULL;
    pthread_mutex_lock(&lock);
    struct registered *r = find(host, false);
    struct sim_module *m = r ? fat_module(r->fat, device) : NULL;
    if (m)
        f = sim_module_function(m, r->name);
    pthread_mutex_unlock(&lock);
    return f;
}

static hipError_t symbol(const void *host, void **p, size_t *n)
{
    hipError_t e = hip_setup();
    if (e)
        return e;
    pthread_mutex_lock(&lock);
    struct registered *r = find(host, true);
    struct sim_module *m = r ? fat_module(r->fat, hip_current()) : NULL;
    e = m ? global(m, p, n, r->name) : hipErrorInvalidSymbol;
    pthread_mutex_unlock(&lock);
    return e;
}

hipError_t hipGetSymbolAddress(void **p, const void *s) { return hip_return(p ? symbol(s, p, NULL) : hipErrorInvalidValue); }
hipError_t hipGetSymbolSize(size_t *n, const void *s) { return hip_return(n ? symbol(s, NULL, n) : hipErrorInvalidValue); }
hipError_t hipMemcpyToSymbol(const void *s, const void *src, size_t n, size_t offset, int kind)
{
    void *p;
    hipError_t e = symbol(s, &p, NULL);
    return e ? hip_return(e) : hipMemcpy((char *)p + offset, src, n, kind);
}
hipError_t hipMemcpyFromSymbol(void *dst, const void *s, size_t n, size_t offset, int kind)
{
    void *p;
    hipError_t e = symbol(s, &p, NULL);
    return e ? hip_return(e) : hipMemcpy(dst, (char *)p + offset, n, kind);
}

static _Thread_local struct { dim3 grid, block; size_t shared; hipStream_t s; } configuration[16];
static _Thread_local int configurations;

hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared, hipStream_t s)
{
    if (configurations == 16)
        return hip_return(hipErrorInvalidConfiguration);
    configuration[configurations].grid = grid;
    configuration[configurations].block = block;
    configuration[configurations].shared = shared;
    configuration[configurations++].s = s;
    return 0;
}
hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, hipStream_t *s)
{
    if (!configurations)
        return hip_return(hipErrorMissingConfiguration);
    configurations--;
    *grid = configuration[configurations].grid;
    *block = configuration[configurations].block;
    *shared = configuration[configurations].shared;
    *s = configuration[configurations].s;
    return 0;
}

hipError_t hipLaunchKernel(const void *host, dim3 grid, dim3 block, void **args, size_t shared, hipStream_t s)
{
    struct sim_function *f = hip_host_function(host, hip_current());
    if (!f)
        return hip_return(hipErrorInvalidDeviceFunction);
    return hipModuleLaunchKernel(f, grid.x, grid.y, grid.z, block.x, block.y, block.z, (unsigned)shared, s, args, NULL);
}
hipError_t hipLaunchKernel_spt(const void *host, dim3 grid, dim3 block, void **args, size_t shared, hipStream_t s)
{
    return hipLaunchKernel(host, grid, block, args, shared, s);
}
hipError_t hipLaunchCooperativeKernel(const void *host, dim3 grid, dim3 block, void **args, unsigned shared, hipStream_t s)
{
    return hipLaunchKernel(host, grid, block, args, shared, s);
}
hipError_t hipExtLaunchKernel(const void *host, dim3 grid, dim3 block, void **args, size_t shared, hipStream_t s,
                              hipEvent_t start, hipEvent_t stop, int flags)
{
    (void)flags;
    if (start)
        hipEventRecord(start, s);
    hipError_t e = hipLaunchKernel(host, grid, block, args, shared, s);
    if (!e && stop)
        hipEventRecord(stop, s);
    return e;
}
hipError_t hipLaunchKernelExC(const struct launch_config *c, const void *host, void **args)
{
    if (!c)
        return hip_return(hipErrorInvalidConfiguration);
    struct sim_function *f = hip_host_function(host, hip_current());
    if (!f)
        return hip_return(hipErrorInvalidDeviceFunction);
    return launch(f, c->grid, c->block, cluster_in(c->attrs, c->nattrs), c->shared, c->stream, args, NULL);
}
hipError_t hipGetFuncBySymbol(hipFunction_t *f, const void *host)
{
    if (!f)
        return hip_return(hipErrorInvalidValue);
    *f = hip_host_function(host, hip_current());
    return hip_return(*f ? 0 : hipErrorInvalidDeviceFunction);
}
