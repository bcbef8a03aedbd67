/* SPDX-License-Identifier: MIT */
/* Tables of handlers by lane count and CPU level, and what bodies share. */
#include "handlers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

#include "decode/decode.h"
#include "dpp.h"
#include "isa.h"
#include "trap.h"

/* Each build of insn/insn.c leaves pointers to its bodies in a section of its own. */
#define TABLE(name)                                                                                \
    extern const struct sim_body *const __start_sim_bodies_##name[] __attribute__((weak));         \
    extern const struct sim_body *const __stop_sim_bodies_##name[] __attribute__((weak));          \
    extern const struct sim_level_ops sim_ops_##name __attribute__((weak));
TABLE(v2w64)
TABLE(v3w64)
TABLE(v4w64)
TABLE(v2w32)
TABLE(v3w32)
TABLE(v4w32)
#undef TABLE

#define TABLE(level, wave, name)                                                                   \
    {level, wave, __start_sim_bodies_##name, __stop_sim_bodies_##name, &sim_ops_##name, NULL},
static struct table {
    int level, wave;
    const struct sim_body *const *first, *const *last;
    const struct sim_level_ops *ops;
    const struct sim_body **hash; /* open addressing, HASH slots */
} tables[] = {
    TABLE(2, 64, v2w64) TABLE(3, 64, v3w64) TABLE(4, 64, v4w64)
    TABLE(2, 32, v2w32) TABLE(3, 32, v3w32) TABLE(4, 32, v4w32)
};

enum { HASH = 4096 };

static struct table *table(int level, int wave)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (tables[i].level == level && tables[i].wave == wave)
            return &tables[i];
    return NULL;
}

static unsigned hash(const char *s)
{
    u32 h = 2166136261u;
    for (; *s; s++)
        h = (h ^ (u8)*s) * 16777619u;
    return h % HASH;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void build(struct table *t)
{
    const struct sim_body **h = calloc(HASH, sizeof *h);
    for (const struct sim_body *const *b = t->first; h && b < t->last; b++) {
        unsigned k = hash((*b)->token);
        while (h[k])
            k = (k + 1) % HASH;
        h[k] = *b;
    }
    t->hash = h;
}

const struct sim_body *sim_body_find(int level, int wave, const char *token)
{
    struct table *t = table(level, wave);
    if (!t)
        return NULL;
    pthread_mutex_lock(&lock);
    if (!t->hash)
        build(t);
    pthread_mutex_unlock(&lock);
    if (!t->hash)
        return NULL;
    const struct sim_body *alias = NULL;
    for (unsigned k = hash(token); t->hash[k]; k = (k + 1) % HASH)
        if (!strcmp(t->hash[k]->token, token)) {
            alias = t->hash[k];
            break;
        }
    if (!alias || alias->dt != SIM_DT_ALIAS)
        return alias;
    /* The body whose handler it shares carries the types. */
    for (const struct sim_body *const *b = t->first; b < t->last; b++)
        if ((*b)->fn == alias->fn && (*b)->dt != SIM_DT_ALIAS)
            return *b;
    return NULL;
}

const struct sim_body *const *sim_bodies(int level, int wave, size_t *n)
{
    struct table *t = table(level, wave);
    *n = t ? (size_t)(t->last - t->first) : 0;
    return t ? t->first : NULL;
}

const struct sim_level_ops *sim_level_ops(int level, int wave)
{
    struct table *t = table(level, wave);
    return t ? t->ops : NULL;
}

static int level;

void sim_set_level(int want)
{
    level = want;
}

int sim_level(void)
{
    if (!level) {
        int best = __builtin_cpu_supports("x86-64-v4") ? 4 : __builtin_cpu_supports("x86-64-v3") ? 3 : 2;
        const char *e = getenv("FLYSIM_ISA");
        int want = e && e[0] == 'v' && e[1] >= '2' && e[1] <= '4' ? e[1] - '0' : best;
        want = want < best ? want : best;
        while (want > SIM_LEVEL_V2 && !sim_level_ops(want, 64))
            want--;
        level = want;
    }
    return level;
}

int sim_ulp;
void (*sim_trace_hook)(struct sim_wave *w, const struct insn *in);

u32 sim_special(const struct sim_wave *w, unsigned file)
{
    switch (file) {
    case SIM_FILE_SCC: return w->scc;
    case SIM_FILE_VCCZ: return (w->prog->wave == 64 ? w->vcc : (u32)w->vcc) == 0;
    case SIM_FILE_EXECZ: return w->exec == 0;
    default: return 0;
    }
}

void sim_unpack_mask(u32 *d, u64 m)
{
    static const u32 four[16][4] = {
#define ROW(n) {n & 1 ? ~0u : 0, n & 2 ? ~0u : 0, n & 4 ? ~0u : 0, n & 8 ? ~0u : 0}
        ROW(0), ROW(1), ROW(2), ROW(3), ROW(4), ROW(5), ROW(6), ROW(7),
        ROW(8), ROW(9), ROW(10), ROW(11), ROW(12), ROW(13), ROW(14), ROW(15)
#undef ROW
    };
    for (int i = 0; i < 64; i += 4)
        memcpy(d + i, four[m >> i & 15], sizeof four[0]);
}

unsigned sim_swizzle_lane(u32 p, unsigned lane)
{
    const unsigned l = lane & 31, mask = p & 31;
    unsigned from;
    if ((p & 0xe000) == 0xe000) { /* the order of a Fourier transform */
        unsigned r = (l >> 4 & 1) | (l >> 2 & 2) | (l & 4) | (l << 2 & 8) | (l << 4 & 16);
        from = r >> __builtin_popcount(mask) | (l & mask);
    } else if ((p & 0xe000) == 0xc000) { /* rotate, except in the bits of the mask */
        const unsigned by = p >> 5 & 31;
        from = (l & mask) | ((p >> 10 & 1 ? l - by : l + by) & ~mask);
    } else if (p & 0x8000) { /* within four lanes */
        from = (l & ~3u) | (p >> (2 * (l & 3)) & 3);
    } else {
        from = ((l & mask) | (p >> 5 & 31)) ^ (p >> 10 & 31);
    }
    return (lane & 32) | (from & 31);
}

/* ---- DPP ---- */

bool sim_dpp_map(unsigned ctrl, int lanes, bool rdna, signed char *map)
{
    for (int i = 0; i < lanes; i++) {
        const int row = i & ~15, k = i & 15;
        int from;
        if (ctrl <= 0xff)
            from = (i & ~3) | (int)(ctrl >> (2 * (i & 3)) & 3);
        else if (ctrl >= 0x101 && ctrl <= 0x10f)
            from = k + (int)(ctrl & 15) < 16 ? i + (int)(ctrl & 15) : -1;
        else if (ctrl >= 0x111 && ctrl <= 0x11f)
            from = k - (int)(ctrl & 15) >= 0 ? i - (int)(ctrl & 15) : -1;
        else if (ctrl >= 0x121 && ctrl <= 0x12f)
            from = row | ((k - (int)(ctrl & 15)) & 15);
        else if (ctrl == 0x140)
            from = row | (15 - k);
        else if (ctrl == 0x141)
            from = (i & ~7) | (7 - (i & 7));
        else if (ctrl >= 0x150 && ctrl <= 0x15f)
            from = row | (int)(ctrl & 15); /* row_newbcast, row_share */
        else if (rdna && ctrl >= 0x160 && ctrl <= 0x16f)
            from = row | (k ^ (int)(ctrl & 15));
        else if (!rdna && ctrl == 0x130)
            from = i + 1 < lanes ? i + 1 : -1;
        else if (!rdna && ctrl == 0x134)
            from = (i + 1) % lanes;
        else if (!rdna && ctrl == 0x138)
            from = i - 1;
        else if (!rdna && ctrl == 0x13c)
            from = (i + lanes - 1) % lanes;
        else if (!rdna && ctrl == 0x142)
            from = row ? row - 1 : -1; /* lane 15 of the row before */
        else if (!rdna && ctrl == 0x143)
            from = i < 32 ? -1 : 31;
        else
            return false;
        map[i] = (signed char)from;
    }
    return true;
}

/* ---- hardware registers ---- */

u32 sim_getreg(struct sim_wave *w, unsigned id)
{
    switch (id) {
    case 1: return w->mode;
    case 2: return w->scc;
    case 4: return w->id << 0; /* HW_ID: wave slot */
    case 20: return 0;         /* XCC_ID */
    case 28: /* IB_STS2 of gfx1250: [9:6] not 0 in a cluster, [24:21] the workgroup's number there (LLVM, SIDefines.h) */
        return w->wg->cluster ? 1u << 6 | w->wg->rank << 21 : 0;
    case 29: return (u32)w->clock;
    default: return 0;
    }
}

void sim_setreg(struct sim_wave *w, unsigned simm16, u32 value)
{
    const unsigned id = simm16 & 63, off = simm16 >> 6 & 31, size = (simm16 >> 11 & 31) + 1;
    const u32 field = (size >= 32 ? ~0u : (1u << size) - 1) << off;
    if (id != 1)
        return;
    w->mode = (w->mode & ~field) | (value << off & field);
    w->ieee = w->prog->target->family->isa < SIM_ISA_GFX12 && w->mode >> 9 & 1;
    sim_host_mode(w);
}

/* MXCSR has one denormal and one rounding mode: MODE's for f32, or for f64 while such an instruction
 * runs and they differ. Half precision runs in floats and rounds by MODE itself. */
static void host_mode(unsigned round, unsigned denorm)
{
    static const unsigned rounding[4] = {0, 2, 1, 3}; /* MODE: even, up, down, zero */
    unsigned csr = 0x1f80 | rounding[round & 3] << 13;
    if (!(denorm & 1))
        csr |= 1 << 6;  /* inputs to zero */
    if (!(denorm & 2))
        csr |= 1 << 15; /* results to zero */
    _mm_setcsr(csr);
}

void sim_host_mode(const struct sim_wave *w)
{
    host_mode(w ? w->mode : 0, w ? w->mode >> 4 : 3);
}

void sim_host_mode64(const struct sim_wave *w) { host_mode(w->mode >> 2, w->mode >> 6); }

/* The registers that rel[k] is added to, and the sets that follow from them. */
static bool renumber(struct sim_wave *w, const struct insn *in, const u32 rel[4], struct insn *copy)
{
    *copy = *in;
    memset(copy->use, 0, 4 * sizeof *copy->use);
    memset(copy->def, 0, 4 * sizeof *copy->def);
    for (int k = 0; k < 4; k++) {
        struct operand *o = &copy->o[k];
        if (o->kind != SIM_KIND_ROW || o->reg >= SIM_ROW_ACC)
            continue;
        const u64 first = (u64)o->reg + rel[k];
        if (first + o->words > SIM_ROW_ACC || first + o->words > (u64)w->rows) {
            sim_trap(w, in, -1, SIM_TRAP_REGISTER, 0, "v%llu, by an index in M0: the wave has %d", (unsigned long long)first,
                     w->rows < SIM_ROW_ACC ? w->rows : SIM_ROW_ACC);
            return false;
        }
        const bool also_read = !k && in->use[o->reg / 64] >> (o->reg & 63) & 1;
        o->reg = (u16)first;
        for (unsigned r = o->reg; r < (unsigned)o->reg + o->words; r++) {
            if (!k)
                copy->def[r / 64] |= 1ull << (r & 63);
            if (k || also_read)
                copy->use[r / 64] |= 1ull << (r & 63);
        }
    }
    return true;
}

bool sim_gpr_index(struct sim_wave *w, const struct insn *in, struct insn *copy)
{
    const u32 by = w->s[SIM_S_M0] & 255, which = w->s[SIM_S_M0] >> 12 & 15;
    const unsigned op = in->src->op->op;
    if (!by || !which || op == SIM_OP_v_readlane_b32 || op == SIM_OP_v_writelane_b32 || op == SIM_OP_v_readfirstlane_b32)
        return false;
    const u32 rel[4] = {which & 8 ? by : 0, which & 1 ? by : 0, which & 2 ? by : 0, which & 4 ? by : 0};
    if (!renumber(w, in, rel, copy))
        copy->fn = NULL;
    return true;
}

bool sim_relative(struct sim_wave *w, const struct insn *in, u32 from, u32 to, struct insn *copy)
{
    return renumber(w, in, (const u32[4]){to, from, 0, 0}, copy);
}

u64 sim_clock(struct sim_wave *w, const struct insn *in)
{
    w->changed = true; /* the next read gives something else */
    /* What slices before this one ran, and this one up to here; the current run has not been booked. */
    return w->insns + (u64)(in - w->run) + 1000;
}
