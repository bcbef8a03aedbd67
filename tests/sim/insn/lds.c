/* SPDX-License-Identifier: MIT */
/*
 * LDS: reads and writes of every width, two-address forms, atomics, lane permutes and swizzles, and
 * the forms addressed by lane number. References: CDNA3/CDNA4 ISA guides, data share chapter and
 * instruction pages; gfx950's transposing reads after LLVM's and AMD's description of the matrix
 * layouts they feed.
 */
#include "item.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum dkind {
    READ,
    WRITE,
    READ2,
    WRITE2,
    ATOM,
    XCHG2,
    PERMUTE,
    BPERMUTE,
    BPERMUTE_FI, /* reads inactive lanes too */
    SWIZZLE,
    READ_TID,
    WRITE_TID,
    COUNT_UP,
    COUNT_DOWN,
    TR_B16,
    TR_B8,
    TR_B4,
    TR_B6
};

struct dop {
    const char *name;
    enum dkind kind;
    enum mconv conv;
    int words;
    int unit; /* two-address: bytes an offset step */
    atomic_fn *fn;
    enum mdraw draw;
    bool two, ret; /* two data operands; returns the old value */
    unsigned targets;
};

#define AT2_ON(name, rtn, words, fn, draw, two, on)                                                \
    { "ds_" name, ATOM, M_PLAIN, words, 0, fn, draw, two, false, on },                             \
    { "ds_" rtn, ATOM, M_PLAIN, words, 0, fn, draw, two, true, on },
#define AT2(name, rtn, words, fn, draw, two) AT2_ON(name, rtn, words, fn, draw, two, ON_ALL)

static const struct dop ops[] = {
    /* name, kind, item, registers, step, atomic, values, two data, returns, targets */
    { "ds_read_u8", READ, M_U8, 1, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_read_i8", READ, M_I8, 1, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_read_u16", READ, M_U16, 1, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_read_i16", READ, M_I16, 1, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_read_u8_d16", READ, M_U8_D16, 1, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_read_u8_d16_hi", READ, M_U8_HI, 1, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_read_i8_d16", READ, M_I8_D16, 1, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_read_i8_d16_hi", READ, M_I8_HI, 1, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_read_u16_d16", READ, M_B16_D16, 1, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_read_u16_d16_hi", READ, M_B16_HI, 1, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_read_b32", READ, M_PLAIN, 1, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_read_b64", READ, M_PLAIN, 2, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_read_b96", READ, M_PLAIN, 3, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_read_b128", READ, M_PLAIN, 4, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_read2_b32", READ2, M_PLAIN, 1, 4, NULL, D_BITS, false, false, ON_ALL },
    { "ds_read2st64_b32", READ2, M_PLAIN, 1, 256, NULL, D_BITS, false, false, ON_ALL },
    { "ds_read2_b64", READ2, M_PLAIN, 2, 8, NULL, D_BITS, false, false, ON_ALL },
    { "ds_read2st64_b64", READ2, M_PLAIN, 2, 512, NULL, D_BITS, false, false, ON_ALL },
    { "ds_write_b8", WRITE, M_U8, 1, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_write_b8_d16_hi", WRITE, M_U8_HI, 1, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_write_b16", WRITE, M_U16, 1, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_write_b16_d16_hi", WRITE, M_B16_HI, 1, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_write_b32", WRITE, M_PLAIN, 1, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_write_b64", WRITE, M_PLAIN, 2, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_write_b96", WRITE, M_PLAIN, 3, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_write_b128", WRITE, M_PLAIN, 4, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_write2_b32", WRITE2, M_PLAIN, 1, 4, NULL, D_BITS, true, false, ON_ALL },
    { "ds_write2st64_b32", WRITE2, M_PLAIN, 1, 256, NULL, D_BITS, true, false, ON_ALL },
    { "ds_write2_b64", WRITE2, M_PLAIN, 2, 8, NULL, D_BITS, true, false, ON_ALL },
    { "ds_write2st64_b64", WRITE2, M_PLAIN, 2, 512, NULL, D_BITS, true, false, ON_ALL },
    AT2("add_u32", "add_rtn_u32", 1, at_add32, D_BITS, false)
    AT2("sub_u32", "sub_rtn_u32", 1, at_sub32, D_BITS, false)
    AT2("rsub_u32", "rsub_rtn_u32", 1, at_rsub32, D_BITS, false)
    AT2("inc_u32", "inc_rtn_u32", 1, at_inc32, D_SMALL, false)
    AT2("dec_u32", "dec_rtn_u32", 1, at_dec32, D_SMALL, false)
    AT2("min_i32", "min_rtn_i32", 1, at_smin32, D_BITS, false)
    AT2("max_i32", "max_rtn_i32", 1, at_smax32, D_BITS, false)
    AT2("min_u32", "min_rtn_u32", 1, at_umin32, D_BITS, false)
    AT2("max_u32", "max_rtn_u32", 1, at_umax32, D_BITS, false)
    AT2("and_b32", "and_rtn_b32", 1, at_and, D_BITS, false)
    AT2("or_b32", "or_rtn_b32", 1, at_or, D_BITS, false)
    AT2("xor_b32", "xor_rtn_b32", 1, at_xor, D_BITS, false)
    AT2("mskor_b32", "mskor_rtn_b32", 1, at_mskor, D_BITS, true)
    AT2("cmpst_b32", "cmpst_rtn_b32", 1, NULL, D_SMALL, true)
    AT2_ON("cmpst_f32", "cmpst_rtn_f32", 1, at_cmpst_f32, D_F32, true, ON_GFX9 | ON_1100)
    AT2("min_f32", "min_rtn_f32", 1, at_min_f32, D_F32, false)
    AT2("max_f32", "max_rtn_f32", 1, at_max_f32, D_F32, false)
    AT2("add_f32", "add_rtn_f32", 1, at_add_f32, D_F32, false)
    AT2("add_u64", "add_rtn_u64", 2, at_add64, D_BITS, false)
    AT2("sub_u64", "sub_rtn_u64", 2, at_sub64, D_BITS, false)
    AT2("rsub_u64", "rsub_rtn_u64", 2, at_rsub64, D_BITS, false)
    AT2("inc_u64", "inc_rtn_u64", 2, at_inc64, D_SMALL, false)
    AT2("dec_u64", "dec_rtn_u64", 2, at_dec64, D_SMALL, false)
    AT2("min_i64", "min_rtn_i64", 2, at_smin64, D_BITS, false)
    AT2("max_i64", "max_rtn_i64", 2, at_smax64, D_BITS, false)
    AT2("min_u64", "min_rtn_u64", 2, at_umin64, D_BITS, false)
    AT2("max_u64", "max_rtn_u64", 2, at_umax64, D_BITS, false)
    AT2("and_b64", "and_rtn_b64", 2, at_and, D_BITS, false)
    AT2("or_b64", "or_rtn_b64", 2, at_or, D_BITS, false)
    AT2("xor_b64", "xor_rtn_b64", 2, at_xor, D_BITS, false)
    AT2("mskor_b64", "mskor_rtn_b64", 2, at_mskor, D_BITS, true)
    AT2("cmpst_b64", "cmpst_rtn_b64", 2, NULL, D_SMALL, true)
    AT2_ON("cmpst_f64", "cmpst_rtn_f64", 2, at_cmpst_f64, D_F64, true, ON_GFX9 | ON_1100)
    AT2("min_f64", "min_rtn_f64", 2, at_min_f64, D_F64, false)
    AT2("max_f64", "max_rtn_f64", 2, at_max_f64, D_F64, false)
    AT2_ON("add_f64", "add_rtn_f64", 2, at_add_f64, D_F64, false, ON_GFX9 | ON_1250)
    AT2_ON("sub_clamp_u32", "sub_clamp_rtn_u32", 1, at_sub_clamp, D_BITS, false, ON_GFX12)
    AT2_ON("cond_sub_u32", "cond_sub_rtn_u32", 1, at_cond_sub, D_BITS, false, ON_GFX12)
    { "ds_pk_add_f16", ATOM, M_PLAIN, 1, 0, at_pk_f16, D_PKF16, false, false, ON_940 | ON_GFX12 },
    { "ds_pk_add_rtn_f16", ATOM, M_PLAIN, 1, 0, at_pk_f16, D_PKF16, false, true, ON_940 |
      ON_GFX12 },
    { "ds_pk_add_bf16", ATOM, M_PLAIN, 1, 0, at_pk_bf16, D_PKBF16, false, false, ON_940 |
      ON_GFX12 },
    { "ds_pk_add_rtn_bf16", ATOM, M_PLAIN, 1, 0, at_pk_bf16, D_PKBF16, false, true, ON_940 |
      ON_GFX12 },
    { "ds_wrxchg_rtn_b32", ATOM, M_PLAIN, 1, 0, at_swap, D_BITS, false, true, ON_ALL },
    { "ds_wrxchg_rtn_b64", ATOM, M_PLAIN, 2, 0, at_swap, D_BITS, false, true, ON_ALL },
    { "ds_wrap_rtn_b32", ATOM, M_PLAIN, 1, 0, at_wrap, D_SMALL, true, true, ON_GFX9 | ON_1100 },
    { "ds_condxchg32_rtn_b64", ATOM, M_PLAIN, 2, 0, at_condxchg, D_BITS, false, true, ON_ALL },
    { "ds_wrxchg2_rtn_b32", XCHG2, M_PLAIN, 1, 4, NULL, D_BITS, true, true, ON_ALL },
    { "ds_wrxchg2st64_rtn_b32", XCHG2, M_PLAIN, 1, 256, NULL, D_BITS, true, true, ON_ALL },
    { "ds_wrxchg2_rtn_b64", XCHG2, M_PLAIN, 2, 8, NULL, D_BITS, true, true, ON_ALL },
    { "ds_wrxchg2st64_rtn_b64", XCHG2, M_PLAIN, 2, 512, NULL, D_BITS, true, true, ON_ALL },
    { "ds_permute_b32", PERMUTE, M_PLAIN, 1, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_bpermute_b32", BPERMUTE, M_PLAIN, 1, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_bpermute_fi_b32", BPERMUTE_FI, M_PLAIN, 1, 0, NULL, D_BITS, false, false, ON_GFX12 },
    { "ds_swizzle_b32", SWIZZLE, M_PLAIN, 1, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_read_addtid_b32", READ_TID, M_PLAIN, 1, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_write_addtid_b32", WRITE_TID, M_PLAIN, 1, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_append", COUNT_UP, M_PLAIN, 1, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_consume", COUNT_DOWN, M_PLAIN, 1, 0, NULL, D_BITS, false, false, ON_ALL },
    { "ds_read_b64_tr_b16", TR_B16, M_PLAIN, 2, 0, NULL, D_BITS, false, false, ON_950 },
    { "ds_read_b64_tr_b8", TR_B8, M_PLAIN, 2, 0, NULL, D_BITS, false, false, ON_950 },
    { "ds_read_b64_tr_b4", TR_B4, M_PLAIN, 2, 0, NULL, D_BITS, false, false, ON_950 },
    { "ds_read_b96_tr_b6", TR_B6, M_PLAIN, 3, 0, NULL, D_BITS, false, false, ON_950 },
};

enum { ADDR = 2, DATA = 10, DATA2 = 14, RESULT = 20 };

/* The mnemonic on a target: gfx11 renamed many, gfx12 some. */
static const char *name_on(const struct dop *op, enum target t)
{
    static const struct { const char *from, *to; enum target first; } renamed[] = {
        { "read2st64_", "load_2addr_stride64_", T_1100 },
        { "read2_", "load_2addr_", T_1100 },
        { "read_", "load_", T_1100 },
        { "write2st64_", "store_2addr_stride64_", T_1100 },
        { "write2_", "store_2addr_", T_1100 },
        { "write_", "store_", T_1100 },
        { "wrxchg2st64_", "storexchg_2addr_stride64_", T_1100 },
        { "wrxchg2_", "storexchg_2addr_", T_1100 },
        { "wrxchg_", "storexchg_", T_1100 },
        { "cmpst_", "cmpstore_", T_1100 },
        { "min_f", "min_num_f", T_1201 },
        { "max_f", "max_num_f", T_1201 },
        { "min_rtn_f", "min_num_rtn_f", T_1201 },
        { "max_rtn_f", "max_num_rtn_f", T_1201 },
    };
    static char name[64];
    const char *rest = op->name + 3;

    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (t >= renamed[i].first && !strncmp(rest, renamed[i].from, strlen(renamed[i].from))) {
            snprintf(name, sizeof name, "ds_%s%s", renamed[i].to, rest + strlen(renamed[i].from));
            return name;
        }
    return op->name;
}

struct dcase {
    const struct dop *op;
    int off0, off1, snippet;
    bool agpr;
};

static void span(char *out, char file, int first, int words)
{
    if (words == 1)
        sprintf(out, "%c%d", file, first);
    else
        sprintf(out, "%c[%d:%d]", file, first, first + words - 1);
}

static void add(struct batch *b, struct dcase *list, int *n, struct dcase c)
{
    const struct dop *op = c.op;
    const char *name = name_on(op, b->target);
    char file = c.agpr ? 'a' : 'v', d[16], e[16], r[16], text[160], tail[40] = "";
    bool two_addr = op->kind == READ2 || op->kind == WRITE2 || op->kind == XCHG2;

    span(d, file, DATA, op->words);
    span(e, file, DATA2, op->words);
    span(r, file, RESULT, two_addr ? op->words * 2 : op->words);
    if (two_addr)
        sprintf(tail, " offset0:%d offset1:%d", c.off0, c.off1);
    else if (c.off0)
        sprintf(tail, op->kind == SWIZZLE ? " offset:0x%x" : " offset:%d", c.off0);
    switch (op->kind) {
    case READ:
    case READ2:
    case TR_B16:
    case TR_B8:
    case TR_B4:
    case TR_B6: sprintf(text, "%s %s, v%d%s", name, r, ADDR, tail); break;
    case WRITE: sprintf(text, "%s v%d, %s%s", name, ADDR, d, tail); break;
    case WRITE2: sprintf(text, "%s v%d, %s, %s%s", name, ADDR, d, e, tail); break;
    case XCHG2: sprintf(text, "%s %s, v%d, %s, %s%s", name, r, ADDR, d, e, tail); break;
    case ATOM:
        sprintf(text, "%s %s%sv%d, %s%s%s%s", name, op->ret ? r : "", op->ret ? ", " : "", ADDR,
                d, op->two ? ", " : "", op->two ? e : "", tail);
        break;
    case PERMUTE:
    case BPERMUTE:
    case BPERMUTE_FI: sprintf(text, "%s v%d, v%d, v%d%s", name, RESULT, ADDR, DATA, tail); break;
    case SWIZZLE: sprintf(text, "%s v%d, v%d%s", name, RESULT, DATA, tail); break;
    case WRITE_TID: sprintf(text, "%s %s%s", name, d, tail); break;
    default: sprintf(text, "%s %s%s", name, r, tail);
    }
    c.snippet = batch_add(b, "%s\n%s", text,
                          b->target >= T_1201 ? "s_wait_dscnt 0" : "s_waitcnt lgkmcnt(0)");
    list[(*n)++] = c;
}

static int item_bytes(const struct dop *op) { return mconv_bytes(op->conv, op->words); }

static int make_cases(struct batch *b, const struct dop *op, struct dcase *list)
{
    int n = 0, bytes = item_bytes(op), align = bytes == 12 ? 16 : bytes;
    struct dcase c = { .op = op };
    bool lanes = op->kind == PERMUTE || op->kind == BPERMUTE || op->kind == BPERMUTE_FI;
    rand_seed(op->name);
    for (int k = 0; k < 5; k++) {
        c.agpr = b->target <= T_950 && k == 4 && op->kind <= ATOM;
        switch (op->kind) {
        case READ2:
        case WRITE2:
        case XCHG2:
            c.off0 = (int)rand_below(op->unit > 8 ? 3 : 60);
            c.off1 = c.off0 + 1 + (int)rand_below(3);
            if (k & 1) {
                int t = c.off0;
                c.off0 = c.off1;
                c.off1 = t;
            }
            break;
        case SWIZZLE: continue;
        default:
            c.off0 = k == 0 ? 0 : (int)rand_below(64) * align;
            if (lanes)
                c.off0 = k * 4;
        }
        add(b, list, &n, c);
    }
    if (op->kind == SWIZZLE) {
        static const int masks[] = { 0x801b, 0x80b1, 0x8000, 0x401f, 0x001f, 0x041f,
                                     0x001e, 0x0010, 0x7c1f, 0x0200, 0x2555 };
        for (size_t k = 0; k < sizeof masks / sizeof *masks; k++) {
            c.off0 = masks[k];
            add(b, list, &n, c);
        }
        for (int k = 0; k < 20; k++) {
            c.off0 = (int)rand_below(0x8000);
            add(b, list, &n, c);
        }
        for (int k = 0; k < 8; k++) { /* bit reversals */
            static const int kept[] = { 0, 0x10, 0x18, 0x1c, 0x1e, 0x1f, 0x05, 0x01 };
            c.off0 = 0xe000 | kept[k];
            add(b, list, &n, c);
        }
        for (int k = 0; k < 10; k++) { /* rotations within 32 lanes */
            c.off0 = 0xc000 | (int)rand_below(64) << 5 | (k & 1 ? (int)rand_below(32) : 0);
            add(b, list, &n, c);
        }
    }
    return n;
}

static uint64_t load64(const uint8_t *p, int bytes)
{
    uint64_t v = 0;
    memcpy(&v, p, (size_t)bytes);
    return v;
}

/* Source lane of ds_swizzle: quad permute, rotation, bit reversal, or and/or/xor masks within 32
 * lanes. */
static int swizzle_source(int pattern, int lane)
{
    if ((pattern & 0xff00) == 0x8000)
        return (lane & ~3) | (pattern >> (lane & 3) * 2 & 3);
    if ((pattern & 0xe000) == 0xe000) { /* mask keeps bits of the lane, the rest is reversed */
        int keep = pattern & 31, back = 0;
        for (int i = 0; i < 5; i++)
            back |= (lane >> i & 1) << (4 - i);
        return (lane & 32) | back >> __builtin_popcount((unsigned)keep) | (lane & keep);
    }
    if ((pattern & 0xe000) == 0xc000) { /* mask keeps bits of the lane, the rest rotates */
        int keep = pattern & 31, by = pattern >> 5 & 31, right = pattern >> 10 & 1, in = lane & 31;
        int moved = (right ? in - by : in + by) & 31;
        return (lane & 32) | (in & keep) | (moved & ~keep & 31);
    }
    return (lane & 32) | ((((lane & 31) & pattern) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31));
}

static void run_case(const struct batch *b, const struct dcase *c)
{
    static struct wave_state w, want;
    const struct dop *op = c->op;
    enum target t = b->target;
    int lanes = target_lanes(t), bytes = item_bytes(op);
    int align = bytes == 12 ? 16 : bytes < 4 ? bytes : bytes;
    char text[200];

    snprintf(text, sizeof text, "%s", batch_text(b, c->snippet));
    rand_seed(text);
    for (int wave = 0; wave < 6; wave++) {
        wave_randomise(&w, t);
        w.exec = lane_mask_draw(t, wave);
        uint32_t(*file)[64] = c->agpr ? w.a : w.v;
        bool alone = op->kind != READ && op->kind != READ2;
        int step = op->unit ? (op->unit > 8 ? bytes : bytes * 4) : align < 4 ? 4 : align;
        uint8_t order[128];
        int slots = 128;
        if (step * slots > 2048)
            slots = 2048 / step;
        if (slots < lanes || op->unit > 8) /* st64: the lanes fill one stride */
            slots = lanes;
        for (int i = 0; i < slots; i++)
            order[i] = (uint8_t)i;
        for (int i = slots - 1; i > 0; i--) {
            int j = (int)rand_below((uint32_t)i + 1);
            uint8_t x = order[i];
            order[i] = order[j];
            order[j] = x;
        }
        for (int i = 0; i < lanes; i++) {
            int slot = alone ? order[i] : (int)rand_below((uint32_t)slots);
            w.v[ADDR][i] = (uint32_t)(slot * step);
            /* Address and offset are added in 32 bits: the address alone may be negative. */
            if (wave & 1 && (op->kind == READ || op->kind == WRITE || op->kind == ATOM))
                w.v[ADDR][i] -= (uint32_t)c->off0;
            if (op->kind == PERMUTE || op->kind == BPERMUTE || op->kind == BPERMUTE_FI)
                w.v[ADDR][i] = rand_below(8) ? rand_below(64) * 4 : (uint32_t)rand64();
            for (int k = 0; k < 2; k++) {
                uint64_t v = mem_draw(op->draw, bytes);
                for (int j = 0; j < op->words && j < 2; j++)
                    file[(k ? DATA2 : DATA) + j][i] = (uint32_t)(v >> 32 * j);
            }
            if (op->kind == ATOM) {
                uint64_t v = mem_draw(op->draw, bytes);
                memcpy(w.lds + (uint32_t)(w.v[ADDR][i] + (uint32_t)c->off0), &v, (size_t)bytes);
            }
        }
        if (op->kind == COUNT_UP || op->kind == COUNT_DOWN || op->kind == READ_TID ||
            op->kind == WRITE_TID)
            w.m0 = rand_below(64) * 4;
        want = w;
        uint32_t(*out)[64] = c->agpr ? want.a : want.v;
        uint32_t sent[64] = { 0 };
        for (int i = 0; i < lanes && op->kind == PERMUTE; i++)
            if (w.exec >> i & 1)
                sent[(w.v[ADDR][i] + (uint32_t)c->off0) / 4 % (uint32_t)lanes] = w.v[DATA][i];
        uint32_t count = (uint32_t)__builtin_popcountll(w.exec),
                 at = (w.m0 & 0xffff) + (uint32_t)c->off0, old32 = 0;
        if (op->kind == COUNT_UP || op->kind == COUNT_DOWN) {
            memcpy(&old32, w.lds + at, 4);
            uint32_t now = op->kind == COUNT_UP ? old32 + count : old32 - count;
            if (w.exec)
                memcpy(want.lds + at, &now, 4);
        }
        for (int i = 0; i < lanes; i++) {
            if (!(w.exec >> i & 1))
                continue;
            uint32_t a = w.v[ADDR][i] + (uint32_t)(op->unit ? 0 : c->off0), reg[4];
            switch (op->kind) {
            case READ:
                for (int k = 0; k < op->words; k++)
                    reg[k] = out[RESULT + k][i];
                mem_to_regs(op->conv, op->words, w.lds + a, reg);
                for (int k = 0; k < op->words; k++)
                    out[RESULT + k][i] = reg[k];
                break;
            case READ2:
            case XCHG2:
            case WRITE2:
                for (int h = 0; h < 2; h++) {
                    uint32_t p = a + (uint32_t)((h ? c->off1 : c->off0) * op->unit);
                    for (int k = 0; k < op->words && op->kind != WRITE2; k++)
                        memcpy(&out[RESULT + h * op->words + k][i], w.lds + p + 4 * k, 4);
                    for (int k = 0; k < op->words && op->kind != READ2; k++)
                        memcpy(want.lds + p + 4 * k, &file[(h ? DATA2 : DATA) + k][i], 4);
                }
                break;
            case WRITE:
                for (int k = 0; k < op->words; k++)
                    reg[k] = file[DATA + k][i];
                regs_to_mem(op->conv, op->words, reg, want.lds + a);
                break;
            case ATOM: {
                uint64_t m = load64(w.lds + a, bytes);
                uint64_t x =
                    file[DATA][i] | (op->words > 1 ? (uint64_t)file[DATA + 1][i] << 32 : 0);
                uint64_t y =
                    file[DATA2][i] | (op->words > 1 ? (uint64_t)file[DATA2 + 1][i] << 32 : 0);
                if (t >= T_1100 && op->two && strstr(op->name, "cmpst")) {
                    uint64_t value = x; /* gfx11: the value first */
                    x = y;
                    y = value;
                }
                uint64_t v = op->fn   ? op->fn(t, m, x, y)
                             : m == x ? y
                                      : m; /* cmpst: compare, then value */
                memcpy(want.lds + a, &v, (size_t)bytes);
                for (int k = 0; k < op->words && op->ret; k++)
                    out[RESULT + k][i] = (uint32_t)(m >> 32 * k);
                break;
            }
            case PERMUTE: out[RESULT][i] = sent[i]; break;
            case BPERMUTE:
            case BPERMUTE_FI: {
                uint32_t src = (w.v[ADDR][i] + (uint32_t)c->off0) / 4 % (uint32_t)lanes;
                bool read = w.exec >> src & 1 || op->kind == BPERMUTE_FI;
                out[RESULT][i] = read ? w.v[DATA][src] : 0;
                break;
            }
            case SWIZZLE: {
                int src = swizzle_source(c->off0, i);
                out[RESULT][i] = w.exec >> src & 1 ? w.v[DATA][src] : 0;
                break;
            }
            case READ_TID: memcpy(&out[RESULT][i], w.lds + at + 4 * i, 4); break;
            case WRITE_TID: memcpy(want.lds + at + 4 * i, &file[DATA][i], 4); break;
            case COUNT_UP:
            case COUNT_DOWN: out[RESULT][i] = old32; break;
            default: { /* transposing reads: rows of lanes exchange columns within 16 lanes */
                int width = op->kind == TR_B16  ? 16
                            : op->kind == TR_B8 ? 8
                            : op->kind == TR_B6 ? 6
                                                : 4;
                int n = op->words * 32 / width, rows = 16, group = i / rows * rows, in = i % rows;
                for (int k = 0; k < op->words; k++)
                    out[RESULT + k][i] = 0;
                for (int e = 0; e < n; e++) {
                    int per = rows / n ? rows / n : 1; /* lanes that hold one row of 16 columns */
                    int flat = e * 16 + in, src = group + flat / n, el = flat % n;
                    (void)per;
                    uint32_t base = w.v[ADDR][src] + (uint32_t)c->off0;
                    int bit = el * width;
                    uint32_t v = 0;
                    for (int q = 0; q < width; q++)
                        v |=
                            (uint32_t)(w.lds[base + (uint32_t)((bit + q) / 8)] >> (bit + q) % 8 & 1)
                            << q;
                    for (int q = 0; q < width; q++)
                        out[RESULT + (e * width + q) / 32][i] |= (v >> q & 1)
                                                                 << (e * width + q) % 32;
                }
            }
            }
        }
        if (op->kind >= TR_B16 && wave % 3)
            continue; /* only with all lanes: what an inactive row gives is not described */
        if (!run_snippet(b, c->snippet, &w, NULL)) {
            fail(t, op->name, "%s: %s", text, run_error());
            return;
        }
        const char *d = wave_diff(&w, &want, NULL, NULL);
        if (d) {
            fail(t, op->name, "%s (exec %llx): %s", text, (unsigned long long)w.exec, d);
            return;
        }
    }
}

void run_lds(enum target t);
void run_lds(enum target t)
{
    struct batch b;
    struct dcase *list = calloc(sizeof ops / sizeof *ops * 48, sizeof *list);
    int n = 0;

    batch_begin(&b, t);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (ops[i].targets >> t & 1) {
            covered_add(t, name_on(&ops[i], t));
            n += make_cases(&b, &ops[i], list + n);
        }
    if (!batch_assemble(&b))
        fail(t, "(assembler)", "an LDS form is refused");
    else
        for (int i = 0; i < n; i++)
            run_case(&b, &list[i]);
    free(list);
    batch_end(&b);
}
