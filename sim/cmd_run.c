/* SPDX-License-Identifier: MIT */
/*
 * fly-sim run and trace: a kernel of any code object on the simulated device, with arguments from the
 * command line; its outputs to files, its counts as text or JSON; every instruction as it executes.
 */
#include "cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "float.h"
#include "handlers.h"
#include "hip/api.h"
#include "mem.h"

enum { MAX_ARGS = 128 };

/* One argument of the kernel. */
struct arg {
    uint8_t value[64];
    size_t size;
    void *buffer;        /* device memory, or null */
    size_t bytes;
    const char *dump;    /* file its contents go to afterwards */
    bool param;
};

struct job {
    const char *file, *kernel, *on;
    uint32_t grid[3], block[3], cluster[3], lds;
    bool json, list;
    long repeat;
    struct arg args[MAX_ARGS];
    int nargs;
};

/* ---- trace ---- */

static struct {
    uint64_t wg, wave;
    bool any_wg, any_wave;
    unsigned lanes;
    uint64_t left;
} filter = {.any_wave = false, .lanes = 4, .left = 100000};

static void show_row(const struct sim_wave *w, unsigned row)
{
    const unsigned lanes = (unsigned)w->prog->wave;
    const bool acc = row >= SIM_ROW_ACC && sim_has(w->prog->target, SIM_HAS_AGPR);
    printf(" %c%u=", acc ? 'a' : 'v', acc ? row - SIM_ROW_ACC : row);
    for (unsigned i = 0; i < filter.lanes && i < lanes; i++) {
        const uint64_t *u = w->und[row];
        const bool undefined = w->check && (u[0] | u[1] | u[2] | u[3]) >> i & 1;
        printf("%s%08x%s", i ? "," : "", sim_row(w, lanes, row)[i], undefined ? "?" : "");
    }
    if (filter.lanes < lanes)
        fputs("..", stdout);
}

static void show_operand(const struct sim_wave *w, const struct operand *o)
{
    if (o->kind == SIM_KIND_ROW)
        for (unsigned j = 0; j < o->words; j++)
            show_row(w, o->reg + j);
    else if (o->kind == SIM_KIND_S && o->reg >= SIM_S_EXEC)
        return; /* EXEC is shown when it changes */
    else if (o->kind == SIM_KIND_S && o->words == 1 && o->reg == SIM_S_M0)
        printf(" m0=%08x", w->s[o->reg]);
    else if (o->kind == SIM_KIND_S && o->reg == SIM_S_VCC)
        printf(" vcc=%0*" PRIx64, o->words * 8, o->words == 1 ? w->vcc & 0xffffffff : w->vcc);
    else if (o->kind == SIM_KIND_S && o->words == 1)
        printf(" s%u=%08x", o->reg, w->s[o->reg]);
    else if (o->kind == SIM_KIND_S)
        for (unsigned j = 0; j + 1 < o->words; j += 2)
            printf(" s[%u:%u]=%08x%08x", o->reg + j, o->reg + j + 1, w->s[o->reg + j + 1], w->s[o->reg + j]);
}

static void trace(struct sim_wave *w, const struct insn *in)
{
    static uint64_t exec;
    const struct sim_launch *l = w->wg->launch;
    const uint64_t wg = w->wg->id[0] + (uint64_t)l->grid[0] * (w->wg->id[1] + (uint64_t)l->grid[1] * w->wg->id[2]);
    char text[512] = "?";

    if ((!filter.any_wg && wg != filter.wg) || (!filter.any_wave && w->id != filter.wave) || !filter.left)
        return;
    filter.left--;
    if (in->src->op)
        sim_print(l->target->family, in->src, 0, text, sizeof text);
    printf("%" PRIu64 ".%u %06" PRIx64 "  %-60s", wg, w->id, in->src->pc, text);
    show_operand(w, &in->o[0]);
    if (in->src->op && in->cls == SIM_CLS_VALU)
        show_operand(w, &in->o[4]);
    if (in->def[SIM_SET_SCC] & 1)
        printf(" scc=%u", w->scc);
    if (w->exec != exec)
        printf(" exec=%0*" PRIx64, w->prog->wave / 4, w->exec);
    exec = w->exec;
    putchar('\n');
}

/* ---- arguments ---- */

static const struct type { const char *name; unsigned size; } types[] = {
    {"i8", 1}, {"u8", 1}, {"i16", 2}, {"u16", 2}, {"i32", 4}, {"u32", 4}, {"i64", 8}, {"u64", 8},
    {"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f64", 8}};

static const struct type *type_of(const char *s, size_t n)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == n && !memcmp(types[i].name, s, n))
            return &types[i];
    return NULL;
}

static void put_number(const struct type *t, double x, int64_t n, void *to)
{
    float f = (float)x;
    uint32_t h;
    if (!strcmp(t->name, "f64"))
        memcpy(to, &x, 8);
    else if (!strcmp(t->name, "f32"))
        memcpy(to, &f, 4);
    else if (!strcmp(t->name, "f16"))
        h = sim_f16_from_f32(sim_f32_bits(f)), memcpy(to, &h, 2);
    else if (!strcmp(t->name, "bf16"))
        h = sim_bf16_from_f32(sim_f32_bits(f)), memcpy(to, &h, 2);
    else
        memcpy(to, &n, t->size);
}

static bool device(struct arg *a, size_t bytes, const void *data)
{
    a->bytes = bytes;
    if (hipMalloc(&a->buffer, bytes ? bytes : 1) || (data && bytes && hipMemcpy(a->buffer, data, bytes, 1))) {
        fprintf(stderr, "fly-sim: no memory for %zu bytes\n", bytes);
        return false;
    }
    memcpy(a->value, &a->buffer, sizeof a->buffer);
    a->size = sizeof a->buffer;
    return true;
}

static void *slurp(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    char *p = NULL;
    size_t cap = 0, got;
    *n = 0;
    if (!f)
        return NULL;
    do {
        if (*n == cap) {
            char *q = realloc(p, cap = cap ? 2 * cap : 1 << 16);
            if (!q)
                break;
            p = q;
        }
        got = fread(p + *n, 1, cap - *n, f);
        *n += got;
    } while (got);
    fclose(f);
    return p;
}

/* rand:TYPE:COUNT[:SEED], iota:TYPE:COUNT, zero:BYTES, buf:BYTES, in:FILE; `>FILE` behind it keeps the
 * buffer's contents after the run; a number: TYPE:VALUE. */
static bool parse_arg(struct job *j, const char *text)
{
    if (j->nargs == MAX_ARGS)
        return false;
    struct arg *a = &j->args[j->nargs++];
    char *s = strdup(text), *out = strchr(s, '>'), *end;
    bool ok = false;
    if (out) {
        *out++ = 0;
        a->dump = out;
    }
    if (!strncmp(s, "param:", 6)) {
        a->param = true;
        memmove(s, s + 6, strlen(s + 6) + 1);
    }
    char *colon = strchr(s, ':');
    if (!colon)
        goto bad;
    char *rest = colon + 1;
    const size_t n = (size_t)(colon - s);
    const struct type *t = type_of(s, n);
    if (t) {
        const double x = strtod(rest, &end);
        if (*rest && (!*end || (t->name[0] != 'f' && t->name[0] != 'b'))) {
            errno = 0;
            const int64_t v = t->name[0] == 'u' ? (int64_t)strtoull(rest, &end, 0) : strtoll(rest, &end, 0);
            if (t->name[0] != 'f' && t->name[0] != 'b' && *end)
                goto bad;
            put_number(t, x, v, a->value);
            a->size = t->size;
            ok = true;
        }
    } else if (!strncmp(s, "buf:", 4) || !strncmp(s, "zero:", 5)) {
        const size_t bytes = strtoull(rest, &end, 0);
        void *zero = s[0] == 'z' ? calloc(1, bytes ? bytes : 1) : NULL;
        ok = !*end && device(a, bytes, zero);
        free(zero);
    } else if (!strncmp(s, "in:", 3)) {
        size_t bytes;
        void *data = slurp(rest, &bytes);
        if (!data)
            fprintf(stderr, "fly-sim: %s: %s\n", rest, strerror(errno));
        ok = data && device(a, bytes, data);
        free(data);
    } else if (!strncmp(s, "rand:", 5) || !strncmp(s, "iota:", 5)) {
        char *c2 = strchr(rest, ':');
        t = c2 ? type_of(rest, (size_t)(c2 - rest)) : NULL;
        if (!t)
            goto bad;
        const size_t count = strtoull(c2 + 1, &end, 0);
        uint64_t state = *end == ':' ? strtoull(end + 1, &end, 0) : 1;
        uint8_t *data = malloc(count * t->size + 8);
        for (size_t i = 0; data && i < count; i++) {
            state = state * 6364136223846793005ull + 1442695040888963407ull;
            const bool flt = t->name[0] == 'f' || t->name[0] == 'b';
            const double x = s[0] == 'i' ? (double)i : (double)(int64_t)state / 9223372036854775808.0;
            put_number(t, x, s[0] == 'i' ? (int64_t)i : flt ? 0 : (int64_t)(state >> 32), data + i * t->size);
        }
        ok = data && !*end && device(a, count * t->size, data);
        free(data);
    }
bad:
    if (!ok)
        fprintf(stderr, "fly-sim: cannot read the argument '%s'\n", text);
    if (ok && a->param && a->buffer)
        flysimMarkParam(a->buffer, a->bytes);
    if (!a->dump)
        free(s); /* the file name points into it */
    return ok;
}

static bool three(const char *s, uint32_t v[3])
{
    char *end = (char *)(uintptr_t)s;
    v[0] = v[1] = v[2] = 1;
    for (int i = 0; i < 3; i++) {
        v[i] = (uint32_t)strtoul(end, &end, 0);
        if (*end != ',' && *end != 'x')
            return !*end && v[i];
        end++;
    }
    return false;
}

/* ---- the run ---- */

static void list_kernels(const char *path, const struct sim_image *m, void *arg)
{
    char err[200];
    struct sim_codeobj *o = sim_codeobj_open(m->data, m->size, err, sizeof err);
    (void)arg;
    if (!o) {
        fprintf(stderr, "fly-sim: %s: %s\n", path, err);
        return;
    }
    for (unsigned i = 0; i < o->nkernels; i++) {
        const struct sim_kernel *k = &o->kernels[i];
        printf("%s %s: workgroup <= %u, LDS %u, kernarg %u", o->family->name, k->name,
               k->max_workgroup ? k->max_workgroup : 1024, k->lds, k->kernarg);
        if (k->cluster[0])
            printf(", cluster %u x %u x %u", k->cluster[0], k->cluster[1], k->cluster[2]);
        putchar('\n');
        for (unsigned a = 0; a < k->nargs; a++)
            printf("    +%-4u %3u bytes  %-28s %s\n", k->args[a].offset, k->args[a].size, k->args[a].value_kind,
                   k->args[a].name);
    }
    sim_codeobj_close(o);
}

static void first_target(const char *path, const struct sim_image *m, void *arg)
{
    char *name = arg;
    (void)path;
    if (!*name && sim_target_find(m->target))
        snprintf(name, 64, "%.63s", m->target);
}

static void print_counts(const struct flysim_counts *c, bool json)
{
    if (!json) {
        printf("launches %" PRIu64 ", workgroups %" PRIu64 ", waves %" PRIu64 "\n", c->launches, c->workgroups, c->waves);
        fputs("instructions:", stdout);
        for (int i = 0; i < FLYSIM_CLASSES; i++)
            printf(" %s %" PRIu64, flysimClassName(i), c->instructions[i]);
        printf("\nread %" PRIu64 " bytes, written %" PRIu64 ", parameters %" PRIu64 ", LDS %" PRIu64 "\n", c->read_bytes,
               c->write_bytes, c->param_bytes, c->lds_bytes);
        printf("LDS conflict cycles %" PRIu64 " (consecutive lanes: %" PRIu64 "), matrix cycles %" PRIu64
               ", VALU cycles %" PRIu64 "\n", c->lds_conflict_cycles, c->lds_conflict_cycles_linear, c->matrix_cycles,
               c->valu_cycles);
        printf("VGPRs %" PRIu64 ", AGPRs %" PRIu64 ", SGPRs %" PRIu64 ", LDS %" PRIu64 " bytes, private %" PRIu64
               " bytes, occupancy %" PRIu64 "\n", c->vgprs, c->agprs, c->sgprs, c->lds_alloc, c->spills, c->occupancy);
        printf("modelled %.3f us, bound by %s (modelled, not measured)\n", c->modelled_ns * 1e-3, c->bound ? c->bound : "-");
        return;
    }
    printf("{\"launches\":%" PRIu64 ",\"workgroups\":%" PRIu64 ",\"waves\":%" PRIu64 ",\"instructions\":{", c->launches,
           c->workgroups, c->waves);
    for (int i = 0; i < FLYSIM_CLASSES; i++)
        printf("%s\"%s\":%" PRIu64, i ? "," : "", flysimClassName(i), c->instructions[i]);
    printf("},\"read_bytes\":%" PRIu64 ",\"write_bytes\":%" PRIu64 ",\"param_bytes\":%" PRIu64 ",\"lds_bytes\":%" PRIu64
           ",\"lds_conflict_cycles\":%" PRIu64 ",\"lds_conflict_cycles_linear\":%" PRIu64 ",\"matrix_cycles\":%" PRIu64
           ",\"valu_cycles\":%" PRIu64, c->read_bytes, c->write_bytes, c->param_bytes, c->lds_bytes, c->lds_conflict_cycles,
           c->lds_conflict_cycles_linear, c->matrix_cycles, c->valu_cycles);
    printf(",\"vgprs\":%" PRIu64 ",\"agprs\":%" PRIu64 ",\"sgprs\":%" PRIu64 ",\"lds_alloc\":%" PRIu64 ",\"private_bytes\":%"
           PRIu64 ",\"occupancy\":%" PRIu64 ",\"modelled_us\":%.6g,\"modelled_bound\":\"%s\"}\n", c->vgprs, c->agprs, c->sgprs,
           c->lds_alloc, c->spills, c->occupancy, c->modelled_ns * 1e-3, c->bound ? c->bound : "-");
}

static int execute(struct job *j)
{
    hipModule_t m;
    hipFunction_t f;
    void *params[MAX_ARGS + 1] = {0};
    hipError_t e = hipModuleLoad(&m, j->file);
    if (e) {
        fprintf(stderr, "fly-sim: %s: %s\n", j->file, hipGetErrorString(e));
        return 1;
    }
    if (hipModuleGetFunction(&f, m, j->kernel)) {
        fprintf(stderr, "fly-sim: %s has no kernel %s for %s\n", j->file, j->kernel, j->on);
        return 1;
    }
    int wanted = 0;
    for (unsigned i = 0; i < f->k->nargs; i++) {
        const struct sim_arg *a = &f->k->args[i];
        if (a->kind >= SIM_ARG_HIDDEN_BLOCK_COUNT_X)
            continue;
        if (wanted < j->nargs && j->args[wanted].size != a->size) {
            fprintf(stderr, "fly-sim: argument %d (%s) has %u bytes, not %zu\n", wanted + 1, a->name, a->size,
                    j->args[wanted].size);
            return 1;
        }
        wanted++;
    }
    if (f->k->has_metadata && wanted != j->nargs) {
        fprintf(stderr, "fly-sim: %s takes %d arguments, %d are given\n", j->kernel, wanted, j->nargs);
        return 1;
    }
    for (int i = 0; i < j->nargs; i++)
        params[i] = j->args[i].value;
    flysimResetCounts();
    for (long r = 0; r < j->repeat && !e; r++) {
        struct launch_attribute a = {.id = hipLaunchAttributeClusterDimension,
                                     .val.clusterDim = {j->cluster[0], j->cluster[1], j->cluster[2]}};
        const struct drv_launch_config d = {.grid = {j->grid[0], j->grid[1], j->grid[2]},
                                            .block = {j->block[0], j->block[1], j->block[2]}, .shared = j->lds,
                                            .attrs = &a, .nattrs = j->cluster[0] != 0};
        e = hipDrvLaunchKernelEx(&d, f, params, NULL);
        if (!e)
            e = hipDeviceSynchronize();
    }
    if (e) {
        fprintf(stderr, "fly-sim: %s: %s\n", j->kernel, hipGetErrorString(e));
        return 1;
    }
    for (int i = 0; i < j->nargs; i++) {
        struct arg *a = &j->args[i];
        if (!a->dump || !a->buffer)
            continue;
        FILE *out = strcmp(a->dump, "-") ? fopen(a->dump, "wb") : stdout;
        if (!out || fwrite(a->buffer, 1, a->bytes, out) != a->bytes) {
            fprintf(stderr, "fly-sim: %s: %s\n", a->dump, strerror(errno));
            return 1;
        }
        if (out != stdout)
            fclose(out);
    }
    struct flysim_counts c = {.size = sizeof c};
    flysimGetCounts(&c);
    if (!filter.any_wg && !sim_trace_hook)
        print_counts(&c, j->json);
    return 0;
}

static int usage(const char *name)
{
    fprintf(stderr,
            "usage: fly-sim %s [options] FILE KERNEL ARG...\n"
            "  --list            kernels of FILE and their arguments\n"
            "  --on TARGET       simulated device (default: the file's first)\n"
            "  --grid X[,Y[,Z]]  workgroups (default 1)     --block X[,Y[,Z]]  work-items of one (default a wave)\n"
            "  --cluster X[,Y[,Z]]  workgroups that run together (gfx1250; default: as the kernel was compiled)\n"
            "  --lds BYTES       dynamic LDS                --repeat N\n"
            "  --check, --no-check  the strict mode (default on)   --json  counts as JSON\n"
            "  trace: --wg N|all, --wave N|all, --lanes N, --limit N\n"
            "  ARG: i32:5 u64:7 f32:0.5 bf16:1 (a number) | buf:BYTES zero:BYTES in:FILE rand:TYPE:COUNT[:SEED]\n"
            "       iota:TYPE:COUNT (a buffer); param:... counts its traffic as parameters, ...>FILE keeps its contents\n",
            name);
    return 2;
}

int cmd_run(int argc, char **argv)
{
    struct job j = {.grid = {1, 1, 1}, .repeat = 1};
    char target[64] = "";
    const bool tracing = !strcmp(argv[0], "trace");
    int i = 1;

    for (; i < argc && !strncmp(argv[i], "--", 2); i++) {
        const char *o = argv[i] + 2, *v = i + 1 < argc ? argv[i + 1] : "";
        bool value = true, ok = true;
        if (!strcmp(o, "json") || !strcmp(o, "list") || !strcmp(o, "check") || !strcmp(o, "no-check")) {
            value = false;
            j.json |= !strcmp(o, "json");
            j.list |= !strcmp(o, "list");
            if (strstr(o, "check"))
                setenv("FLYSIM_CHECK", o[0] == 'n' ? "0" : "1", 1);
        } else if (!strcmp(o, "on")) {
            snprintf(target, sizeof target, "%s", v);
        } else if (!strcmp(o, "grid")) {
            ok = three(v, j.grid);
        } else if (!strcmp(o, "block")) {
            ok = three(v, j.block);
        } else if (!strcmp(o, "cluster")) {
            ok = three(v, j.cluster);
        } else if (!strcmp(o, "lds")) {
            j.lds = (uint32_t)strtoul(v, NULL, 0);
        } else if (!strcmp(o, "repeat")) {
            j.repeat = strtol(v, NULL, 0);
        } else if (!strcmp(o, "wg")) {
            filter.any_wg = !strcmp(v, "all");
            filter.wg = strtoull(v, NULL, 0);
        } else if (!strcmp(o, "wave")) {
            filter.any_wave = !strcmp(v, "all");
            filter.wave = strtoull(v, NULL, 0);
        } else if (!strcmp(o, "lanes")) {
            filter.lanes = (unsigned)strtoul(v, NULL, 0);
        } else if (!strcmp(o, "limit")) {
            filter.left = strtoull(v, NULL, 0);
        } else {
            ok = false;
        }
        if (!ok || (value && !*v))
            return usage(argv[0]);
        i += value;
    }
    if (i >= argc)
        return usage(argv[0]);
    j.file = argv[i++];
    if (j.list)
        return cmd_each_image(j.file, list_kernels, NULL) ? 0 : 1;
    if (i >= argc)
        return usage(argv[0]);
    j.kernel = argv[i++];
    if (!*target && !cmd_each_image(j.file, first_target, target))
        return 1;
    if (!sim_target_find(target)) {
        fprintf(stderr, "fly-sim: no device '%s'\n", target);
        return 1;
    }
    j.on = target;
    setenv("FLYSIM_DEVICES", target, 1);
    if (tracing) {
        setenv("FLYSIM_THREADS", "1", 1);
        sim_trace_hook = trace;
    }
    if (!j.block[0]) {
        j.block[0] = sim_target_find(target)->family->wave;
        j.block[1] = j.block[2] = 1;
    }
    if (hipInit(0))
        return 1;
    for (; i < argc; i++)
        if (!parse_arg(&j, argv[i]))
            return 2;
    return execute(&j);
}
