/* SPDX-License-Identifier: MIT */
/*
 * What GEMM kernels compile to, counted in the disassembly of the built code objects: no spills, no
 * moves between register files, accumulators that stay where they are, a straight way from the loop
 * to the last product, loads of B in flight over the barrier, waits for copies to LDS that do not
 * wait for B, and next to no vector arithmetic in the loop.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include "bundle.h"
#include "codeobj.h"
#include "core/arch.h"
#include "core/dtype.h"
#include "core/op.h"
#include "decode/decode.h"

enum { MAX_INSNS = 16384, MAX_QUEUE = 256 };

/* A kernel's instructions, and the main loop [first, last] among them: the one with the most
 * products. */
struct code {
    struct sim_insn insn[MAX_INSNS];
    int count, first, last, end; /* end: the kernel's last product */
};

static const struct fly_op *op(void)
{
    return fly_op_table[FLY_OP_gemm];
}

static bool is(const struct sim_insn *i, const char *prefix)
{
    return strncmp(sim_op_name(i->op->token), prefix, strlen(prefix)) == 0;
}

static bool is_product(const struct sim_insn *i)
{
    return is(i, "v_mfma");
}

static bool is_load(const struct sim_insn *i)
{
    return i->op->cls == SIM_LOAD;
}

static bool is_valu(const struct sim_insn *i)
{
    return i->op->cls == SIM_VALU && !is(i, "v_nop");
}

/* Address a branch goes to; 0 when it is none. */
static uint64_t target(const struct sim_insn *i)
{
    if (!is(i, "s_cbranch") && !is(i, "s_branch"))
        return 0;
    return i->pc + i->size + 4 * (uint64_t)(int64_t)(int16_t)i->o[0].value;
}

static int products(const struct code *c, int from, int to)
{
    int n = 0;
    for (int i = from; i <= to; i++)
        n += is_product(&c->insn[i]);
    return n;
}

static void read_code(struct code *c, const struct sim_codeobj *o, const struct sim_kernel *k)
{
    uint64_t at = k->entry;
    const uint8_t *bytes = sim_codeobj_bytes(o, at, k->code_end - at);
    cr_assert_not_null(bytes, "%s has no code", k->name);
    c->count = 0;
    while (at < k->code_end && c->count < MAX_INSNS) {
        struct sim_insn *i = &c->insn[c->count];
        cr_assert(sim_decode(o->family, bytes, k->code_end - at, at, i),
                  "%s: nothing decodes at %llx", k->name, (unsigned long long)at);
        at += i->size;
        bytes += i->size;
        c->count++;
        if (is(i, "s_endpgm"))
            break;
    }
    cr_assert_lt(c->count, MAX_INSNS);
    int most = 0;
    c->first = c->last = c->end = 0;
    for (int i = 0; i < c->count; i++) {
        uint64_t to = target(&c->insn[i]);
        c->end = is_product(&c->insn[i]) ? i : c->end;
        if (!to || to > c->insn[i].pc)
            continue;
        for (int j = 0; j < i; j++)
            if (c->insn[j].pc == to && products(c, j, i) > most) {
                most = products(c, j, i);
                c->first = j;
                c->last = i;
            }
    }
    cr_assert_gt(most, 0, "%s has no loop with products", k->name);
}

static unsigned vmcnt(const struct sim_insn *i)
{
    unsigned w = (unsigned)i->o[0].value;
    return (w & 15) | (w >> 14 & 3) << 4;
}

/* The descriptor B is read through: the one whose loads have instruction offsets, as only B's do.
 */
static unsigned descriptor_of_b(const struct code *c)
{
    for (int i = c->first; i <= c->last; i++)
        if (is_load(&c->insn[i]) && !c->insn[i].lds && c->insn[i].offset)
            return c->insn[i].o[2].reg;
    return ~0u;
}

/* Runs the loop's loads and waits three times over and reports, for the last time, the least number
 * of loads of B that are in flight at a barrier, and whether a copy to LDS is. */
static int in_flight_at_barrier(const struct code *c, unsigned b, bool *copies)
{
    enum kind { OTHER, B, COPY } queue[MAX_QUEUE];
    int n = 0, least = MAX_QUEUE;
    *copies = false;
    for (int round = 0; round < 3; round++)
        for (int i = c->first; i <= c->last; i++) {
            const struct sim_insn *x = &c->insn[i];
            if (is_load(x) && n < MAX_QUEUE)
                queue[n++] = x->lds ? COPY : x->o[2].reg == b ? B : OTHER;
            if (is(x, "s_waitcnt") && (int)vmcnt(x) < n) {
                int done = n - (int)vmcnt(x);
                memmove(queue, queue + done, sizeof *queue * (size_t)(n - done));
                n -= done;
            }
            if (is(x, "s_barrier") && round == 2) {
                int flying = 0;
                for (int j = 0; j < n; j++) {
                    flying += queue[j] == B;
                    *copies |= queue[j] == COPY;
                }
                least = flying < least ? flying : least;
            }
        }
    return least;
}

static void check_kernel(const struct fly_kernel *k, const struct sim_codeobj *o)
{
    static struct code c;
    const struct fly_gemm_tile *t = &k->gemm;
    const struct sim_kernel *s = sim_codeobj_kernel(o, k->name);
    cr_assert_not_null(s, "%s is not in its code object", k->name);
    cr_expect_eq(s->vgpr_spills + s->sgpr_spills + (int)s->scratch, 0, "%s spills", k->name);
    cr_expect_leq(s->vgprs, 256, "%s has %u registers: one wave a SIMD", k->name, s->vgprs);
    read_code(&c, o, s);

    int moved = 0, strayed = 0, branches = 0, valu = 0, loads_b = 0, empty_waits = 0, barriers = 0,
        copies = 0;
    unsigned b = descriptor_of_b(&c);
    for (int i = 0; i < c.count; i++)
        moved += is(&c.insn[i], "v_accvgpr");
    for (int i = c.first; i <= c.last; i++) {
        const struct sim_insn *x = &c.insn[i];
        strayed += is_product(x) && (x->o[0].file != x->o[3].file || x->o[0].reg != x->o[3].reg);
        valu += is_valu(x);
        loads_b += is_load(x) && !x->lds && x->o[2].reg == b;
        copies += is_load(x) && x->lds;
        empty_waits += is(x, "s_waitcnt") && vmcnt(x) == 0;
        barriers += is(x, "s_barrier");
    }
    for (int i = c.last + 1; i < c.end; i++)
        branches += target(&c.insn[i]) != 0;
    int tiles = t->depth,
        each = t->n / 16 / t->waves_n * (int)(t->k * fly_dtype_bits(k->types[0]) / 8 / 64);
    cr_expect_eq(moved, 0, "%s: %d moves between register files", k->name, moved);
    cr_expect_eq(strayed, 0, "%s: %d products leave their accumulator", k->name, strayed);
    cr_expect_eq(branches, 0, "%s: %d branches between loop and last product", k->name, branches);
    cr_expect_eq(barriers, tiles, "%s: %d barriers in %d tiles", k->name, barriers, tiles);
    cr_expect_eq(loads_b, tiles * each, "%s: %d loads of B in %d tiles of %d", k->name, loads_b,
                 tiles, each);
    cr_expect_leq(valu, (t->m > 32 ? 4 : 12) * tiles, "%s: %d vector operations in %d tiles",
                  k->name, valu, tiles);
    bool copying;
    int flying = in_flight_at_barrier(&c, b, &copying);
    cr_expect_geq(2 * flying, each, "%s: %d of %d loads of B in flight at the barrier", k->name,
                  flying, each);
    cr_expect(!copying, "%s: the barrier does not wait for copies to LDS", k->name);
    if (copies)
        cr_expect_eq(empty_waits, 0, "%s: %d waits for all loads in the loop", k->name,
                     empty_waits);
}

static uint8_t *read_file(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    cr_assert_not_null(f, "%s cannot be read", path);
    fseek(f, 0, SEEK_END);
    *bytes = (size_t)ftell(f);
    rewind(f);
    uint8_t *data = malloc(*bytes);
    cr_assert_eq(fread(data, 1, *bytes, f), *bytes);
    fclose(f);
    return data;
}

/* Modules by number, so that cases run side by side. */
ParameterizedTestParameters(gemm_loop, is_what_was_written)
{
    int *list = cr_malloc(sizeof *list * op()->nmodules);
    for (uint32_t i = 0; i < op()->nmodules; i++)
        list[i] = (int)i;
    return cr_make_param_array(int, list, op()->nmodules);
}

ParameterizedTest(int *module, gemm_loop, is_what_was_written)
{
    char path[1024], error[200];
    const char *folder = getenv("FLY_KERNEL_PATH");
    size_t bytes;
    struct sim_bundle bundle;
    cr_assert_not_null(folder);
    snprintf(path, sizeof path, "%s/gfx9/%s.hipfb", folder, op()->modules[*module].name);
    uint8_t *data = read_file(path, &bytes);
    cr_assert(sim_bundle_open(data, bytes, &bundle, error, sizeof error), "%s: %s", path, error);
    for (unsigned i = 0; i < bundle.nimages; i++) {
        const struct sim_image *image = &bundle.images[i];
        struct sim_codeobj *o =
            image->target[0] ? sim_codeobj_open(image->data, image->size, error, sizeof error)
                             : NULL;
        if (!o)
            continue;
        for (uint32_t j = 0; j < op()->nkernels; j++) {
            const struct fly_kernel *k = &op()->kernels[j];
            if (k->module == *module && k->gemm.m &&
                !strcmp(fly_arch_row(k->arch)->name, image->target))
                check_kernel(k, o);
        }
        sim_codeobj_close(o);
    }
    sim_bundle_close(&bundle);
    free(data);
}

/* The code object of an arch in a module's file; `data` and `bundle` keep it. */
static struct sim_codeobj *object_of(const char *module, const char *arch, uint8_t **data,
                                     struct sim_bundle *bundle)
{
    char path[1024], error[200];
    size_t bytes;
    struct sim_codeobj *o = NULL;
    snprintf(path, sizeof path, "%s/gfx9/%s.hipfb", getenv("FLY_KERNEL_PATH"), module);
    *data = read_file(path, &bytes);
    cr_assert(sim_bundle_open(*data, bytes, bundle, error, sizeof error), "%s: %s", path, error);
    for (unsigned i = 0; i < bundle->nimages && !o; i++)
        if (!strcmp(bundle->images[i].target, arch))
            o = sim_codeobj_open(bundle->images[i].data, bundle->images[i].size, error,
                                 sizeof error);
    return o;
}

struct tally {
    int products, lds, loads, valu, nops, waits, barriers, all;
};

static struct tally tally(const char *module, const char *arch, const char *name)
{
    static struct code c;
    uint8_t *data;
    struct sim_bundle bundle;
    struct tally n = {0};
    struct sim_codeobj *o = object_of(module, arch, &data, &bundle);
    cr_assert_not_null(o, "%s has nothing for %s", module, arch);
    const struct sim_kernel *k = sim_codeobj_kernel(o, name);
    cr_assert_not_null(k, "%s is not in its code object", name);
    read_code(&c, o, k);
    for (int i = c.first; i <= c.last; i++, n.all++) {
        const struct sim_insn *x = &c.insn[i];
        n.products += is_product(x);
        n.lds += is(x, "ds_");
        n.loads += is_load(x);
        n.valu += is_valu(x);
        n.nops += is(x, "s_nop");
        n.waits += is(x, "s_waitcnt");
        n.barriers += is(x, "s_barrier");
    }
    sim_codeobj_close(o);
    sim_bundle_close(&bundle);
    free(data);
    return n;
}

/* The kernel that is written as assembly and its twin that the compiler makes do the same in a
 * loop, and neither spends much beside it. docs/gemm.md has the counts. */
Test(gemm_loop, assembly_and_compiler_agree)
{
    for (uint32_t i = 0; i < op()->nkernels; i++) {
        const struct fly_kernel *k = &op()->kernels[i];
        const char *arch = fly_arch_row(k->arch)->name, *end = strstr(k->name, "_asm");
        char twin[128];
        if (!end)
            continue;
        snprintf(twin, sizeof twin, "%.*s", (int)(end - k->name), k->name);
        const struct fly_kernel *other = NULL;
        for (uint32_t j = 0; j < op()->nkernels && !other; j++)
            if (!strcmp(op()->kernels[j].name, twin))
                other = &op()->kernels[j];
        cr_assert_not_null(other, "%s has no twin", k->name);
        struct tally a = tally(op()->modules[k->module].name, arch, k->name),
                     b = tally(op()->modules[other->module].name, arch, other->name);
        cr_log_info("%s: %d instructions, %d VALU, %d s_nop, %d waits; compiled %d, %d, %d, %d",
                    k->name, a.all, a.valu, a.nops, a.waits, b.all, b.valu, b.nops, b.waits);
        cr_expect_eq(a.products, b.products, "%d and %d products", a.products, b.products);
        cr_expect_eq(a.lds, b.lds, "%d and %d LDS reads", a.lds, b.lds);
        cr_expect_eq(a.loads, b.loads, "%d and %d loads", a.loads, b.loads);
        cr_expect_eq(a.barriers, b.barriers, "%d and %d barriers", a.barriers, b.barriers);
        cr_expect_eq(a.valu, 0, "%d vector operations in assembly", a.valu);
        cr_expect_leq(a.all, b.all + 8, "%d instructions in assembly, %d compiled", a.all, b.all);
    }
}
