/* SPDX-License-Identifier: MIT */
/*
 * Global, flat and buffer memory: loads and stores of every width with their partial registers,
 * atomics with and without return, all address forms, offsets of both signs, AGPR data, direct
 * loads to LDS. References: CDNA3/CDNA4 ISA guides, chapters on vector memory and flat memory; LDS
 * destination of the direct loads as LLVM's AMDGPUUsage describes them (M0 + offset + lane * size).
 */
#include "item.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum mkind { LOAD, STORE, ATOMIC, TO_LDS };
enum space { GLOBAL, FLAT, BUFFER, SPACES };
static const char *const space_name[SPACES] = { "global", "flat", "buffer" };

struct mop {
    const char *name9, *name11; /* null: not there */
    enum mkind kind;
    enum mconv conv;
    int words;
    atomic_fn *fn;
    enum mdraw draw;
    unsigned on[SPACES];
};

#define ALL3 { ON_ALL, ON_ALL, ON_ALL }
static const struct mop ops[] = {
    /* gfx9 name, gfx11 name, kind, item, registers, atomic, values, targets: global, flat,
     * buffer */
    { "load_ubyte", "load_u8", LOAD, M_U8, 1, NULL, D_BITS, ALL3 },
    { "load_sbyte", "load_i8", LOAD, M_I8, 1, NULL, D_BITS, ALL3 },
    { "load_ushort", "load_u16", LOAD, M_U16, 1, NULL, D_BITS, ALL3 },
    { "load_sshort", "load_i16", LOAD, M_I16, 1, NULL, D_BITS, ALL3 },
    { "load_dword", "load_b32", LOAD, M_PLAIN, 1, NULL, D_BITS, ALL3 },
    { "load_dwordx2", "load_b64", LOAD, M_PLAIN, 2, NULL, D_BITS, ALL3 },
    { "load_dwordx3", "load_b96", LOAD, M_PLAIN, 3, NULL, D_BITS, ALL3 },
    { "load_dwordx4", "load_b128", LOAD, M_PLAIN, 4, NULL, D_BITS, ALL3 },
    { "load_ubyte_d16", "load_d16_u8", LOAD, M_U8_D16, 1, NULL, D_BITS, ALL3 },
    { "load_ubyte_d16_hi", "load_d16_hi_u8", LOAD, M_U8_HI, 1, NULL, D_BITS, ALL3 },
    { "load_sbyte_d16", "load_d16_i8", LOAD, M_I8_D16, 1, NULL, D_BITS, ALL3 },
    { "load_sbyte_d16_hi", "load_d16_hi_i8", LOAD, M_I8_HI, 1, NULL, D_BITS, ALL3 },
    { "load_short_d16", "load_d16_b16", LOAD, M_B16_D16, 1, NULL, D_BITS, ALL3 },
    { "load_short_d16_hi", "load_d16_hi_b16", LOAD, M_B16_HI, 1, NULL, D_BITS, ALL3 },
    { "store_byte", "store_b8", STORE, M_U8, 1, NULL, D_BITS, ALL3 },
    { "store_byte_d16_hi", "store_d16_hi_b8", STORE, M_U8_HI, 1, NULL, D_BITS, ALL3 },
    { "store_short", "store_b16", STORE, M_U16, 1, NULL, D_BITS, ALL3 },
    { "store_short_d16_hi", "store_d16_hi_b16", STORE, M_B16_HI, 1, NULL, D_BITS, ALL3 },
    { "store_dword", "store_b32", STORE, M_PLAIN, 1, NULL, D_BITS, ALL3 },
    { "store_dwordx2", "store_b64", STORE, M_PLAIN, 2, NULL, D_BITS, ALL3 },
    { "store_dwordx3", "store_b96", STORE, M_PLAIN, 3, NULL, D_BITS, ALL3 },
    { "store_dwordx4", "store_b128", STORE, M_PLAIN, 4, NULL, D_BITS, ALL3 },
    { "atomic_swap", "atomic_swap_b32", ATOMIC, M_PLAIN, 1, at_swap, D_BITS, ALL3 },
    { "atomic_cmpswap", "atomic_cmpswap_b32", ATOMIC, M_PLAIN, 1, at_cmpswap, D_SMALL, ALL3 },
    { "atomic_add", "atomic_add_u32", ATOMIC, M_PLAIN, 1, at_add32, D_BITS, ALL3 },
    { "atomic_sub", "atomic_sub_u32", ATOMIC, M_PLAIN, 1, at_sub32, D_BITS, ALL3 },
    { "atomic_smin", "atomic_min_i32", ATOMIC, M_PLAIN, 1, at_smin32, D_BITS, ALL3 },
    { "atomic_umin", "atomic_min_u32", ATOMIC, M_PLAIN, 1, at_umin32, D_BITS, ALL3 },
    { "atomic_smax", "atomic_max_i32", ATOMIC, M_PLAIN, 1, at_smax32, D_BITS, ALL3 },
    { "atomic_umax", "atomic_max_u32", ATOMIC, M_PLAIN, 1, at_umax32, D_BITS, ALL3 },
    { "atomic_and", "atomic_and_b32", ATOMIC, M_PLAIN, 1, at_and, D_BITS, ALL3 },
    { "atomic_or", "atomic_or_b32", ATOMIC, M_PLAIN, 1, at_or, D_BITS, ALL3 },
    { "atomic_xor", "atomic_xor_b32", ATOMIC, M_PLAIN, 1, at_xor, D_BITS, ALL3 },
    { "atomic_inc", "atomic_inc_u32", ATOMIC, M_PLAIN, 1, at_inc32, D_SMALL, ALL3 },
    { "atomic_dec", "atomic_dec_u32", ATOMIC, M_PLAIN, 1, at_dec32, D_SMALL, ALL3 },
    { "atomic_swap_x2", "atomic_swap_b64", ATOMIC, M_PLAIN, 2, at_swap, D_BITS, ALL3 },
    { "atomic_cmpswap_x2", "atomic_cmpswap_b64", ATOMIC, M_PLAIN, 2, at_cmpswap, D_SMALL, ALL3 },
    { "atomic_add_x2", "atomic_add_u64", ATOMIC, M_PLAIN, 2, at_add64, D_BITS, ALL3 },
    { "atomic_sub_x2", "atomic_sub_u64", ATOMIC, M_PLAIN, 2, at_sub64, D_BITS, ALL3 },
    { "atomic_smin_x2", "atomic_min_i64", ATOMIC, M_PLAIN, 2, at_smin64, D_BITS, ALL3 },
    { "atomic_umin_x2", "atomic_min_u64", ATOMIC, M_PLAIN, 2, at_umin64, D_BITS, ALL3 },
    { "atomic_smax_x2", "atomic_max_i64", ATOMIC, M_PLAIN, 2, at_smax64, D_BITS, ALL3 },
    { "atomic_umax_x2", "atomic_max_u64", ATOMIC, M_PLAIN, 2, at_umax64, D_BITS, ALL3 },
    { "atomic_and_x2", "atomic_and_b64", ATOMIC, M_PLAIN, 2, at_and, D_BITS, ALL3 },
    { "atomic_or_x2", "atomic_or_b64", ATOMIC, M_PLAIN, 2, at_or, D_BITS, ALL3 },
    { "atomic_xor_x2", "atomic_xor_b64", ATOMIC, M_PLAIN, 2, at_xor, D_BITS, ALL3 },
    { "atomic_inc_x2", "atomic_inc_u64", ATOMIC, M_PLAIN, 2, at_inc64, D_SMALL, ALL3 },
    { "atomic_dec_x2", "atomic_dec_u64", ATOMIC, M_PLAIN, 2, at_dec64, D_SMALL, ALL3 },
    { "atomic_add_f32", "atomic_add_f32", ATOMIC, M_PLAIN, 1, at_add_f32, D_F32,
      { ON_ALL, ON_940 | ON_GFX11UP, ON_ALL } },
    { "atomic_pk_add_f16", "atomic_pk_add_f16", ATOMIC, M_PLAIN, 1, at_pk_f16, D_PKF16,
      { ON_GFX9 | ON_GFX12, ON_940 | ON_GFX12, ON_GFX9 | ON_GFX12 } },
    { "atomic_pk_add_bf16", "atomic_pk_add_bf16", ATOMIC, M_PLAIN, 1, at_pk_bf16, D_PKBF16,
      { ON_940 | ON_GFX12, ON_940 | ON_GFX12, ON_950 | ON_GFX12 } },
    { "atomic_add_f64", "atomic_add_f64", ATOMIC, M_PLAIN, 2, at_add_f64, D_F64,
      { ON_GFX9 | ON_1250, ON_GFX9 | ON_1250, ON_GFX9 | ON_1250 } },
    { "atomic_min_f64", "atomic_min_num_f64", ATOMIC, M_PLAIN, 2, at_min_f64, D_F64,
      { ON_GFX9 | ON_1250, ON_GFX9 | ON_1250, ON_GFX9 | ON_1250 } },
    { "atomic_max_f64", "atomic_max_num_f64", ATOMIC, M_PLAIN, 2, at_max_f64, D_F64,
      { ON_GFX9 | ON_1250, ON_GFX9 | ON_1250, ON_GFX9 | ON_1250 } },
    { "", "atomic_min_f32", ATOMIC, M_PLAIN, 1, at_min_f32, D_F32, { ON_1100, ON_1100, ON_1100 } },
    { "", "atomic_max_f32", ATOMIC, M_PLAIN, 1, at_max_f32, D_F32, { ON_1100, ON_1100, ON_1100 } },
    { "", "atomic_cmpswap_f32", ATOMIC, M_PLAIN, 1, at_cmpswap_f32, D_F32,
      { ON_1100, ON_1100, ON_1100 } },
    { "", "atomic_csub_u32", ATOMIC, M_PLAIN, 1, at_sub_clamp, D_BITS, { ON_1100, 0, ON_1100 } },
    { "", "atomic_min_num_f32", ATOMIC, M_PLAIN, 1, at_min_f32, D_F32,
      { ON_GFX12, ON_GFX12, ON_GFX12 } },
    { "", "atomic_max_num_f32", ATOMIC, M_PLAIN, 1, at_max_f32, D_F32,
      { ON_GFX12, ON_GFX12, ON_GFX12 } },
    { "", "atomic_sub_clamp_u32", ATOMIC, M_PLAIN, 1, at_sub_clamp, D_BITS,
      { ON_GFX12, ON_GFX12, ON_GFX12 } },
    { "", "atomic_cond_sub_u32", ATOMIC, M_PLAIN, 1, at_cond_sub, D_BITS,
      { ON_GFX12, ON_GFX12, ON_GFX12 } },
    { "load_lds_ubyte", NULL, TO_LDS, M_U8, 1, NULL, D_BITS, { ON_940, 0, 0 } },
    { "load_lds_sbyte", NULL, TO_LDS, M_I8, 1, NULL, D_BITS, { ON_940, 0, 0 } },
    { "load_lds_ushort", NULL, TO_LDS, M_U16, 1, NULL, D_BITS, { ON_940, 0, 0 } },
    { "load_lds_sshort", NULL, TO_LDS, M_I16, 1, NULL, D_BITS, { ON_940, 0, 0 } },
    { "load_lds_dword", NULL, TO_LDS, M_PLAIN, 1, NULL, D_BITS, { ON_940, 0, 0 } },
    { "load_lds_dwordx3", NULL, TO_LDS, M_PLAIN, 3, NULL, D_BITS, { ON_950, 0, 0 } },
    { "load_lds_dwordx4", NULL, TO_LDS, M_PLAIN, 4, NULL, D_BITS, { ON_950, 0, 0 } },
};

/* Registers: address v[2:3] (offset v4, index v5), data v[10:13], result v[20:23], base s[8:9],
 * buffer s[8:11], soffset s12. The middle of the memory is base, so that offsets of both signs stay
 * inside. */
enum { DATA = 10, RESULT = 20, BASE = 8, SOFF = 12, MIDDLE = WAVE_MEM / 2 };

struct mcase {
    const struct mop *op;
    enum space space;
    int form; /* global: 0 VGPR, 1 SGPR + VGPR; flat: 1 = LDS aperture; buffer: bit 0 offen, bit 1
                 idxen */
    int offset, snippet;
    bool agpr, ret, soff, lds;
    char name[48];
};

static const char *span(char *out, char file, int first, int words)
{
    if (words == 1)
        sprintf(out, "%c%d", file, first);
    else
        sprintf(out, "%c[%d:%d]", file, first, first + words - 1);
    return out;
}

static bool two_values(const struct mop *op)
{
    return op->fn == at_cmpswap || op->fn == at_cmpswap_f32;
}

/* Atomics without a form that returns nothing. */
static bool only_returns(const struct mop *op, enum target t)
{
    return op->fn == at_cond_sub || (op->fn == at_sub_clamp && t == T_1100);
}

static const char *ret_bit(enum target t)
{
    return t == T_90A    ? " glc"
           : t <= T_950  ? " sc0"
           : t == T_1100 ? " glc"
                         : " th:TH_ATOMIC_RETURN";
}

static void add(struct batch *b, struct mcase *list, int *n, struct mcase c)
{
    char addr[64], data[24], res[24], text[256], tail[64] = "";
    const struct mop *op = c.op;
    char file = c.agpr ? 'a' : 'v';
    int dwords = two_values(op) ? op->words * 2 : op->words;
    enum target t = b->target;

    span(data, file, DATA, dwords);
    span(res, file, RESULT, op->words);
    if (c.offset)
        sprintf(tail, " offset:%d", c.offset);
    if (c.space == GLOBAL && c.form == 2)
        strcat(tail, " scale_offset");
    if (op->kind == ATOMIC && c.ret)
        strcat(tail, ret_bit(t));
    const char *wait = t >= T_1201   ? "s_wait_loadcnt 0\ns_wait_storecnt 0\ns_wait_dscnt 0"
                       : t == T_1100 ? "s_waitcnt vmcnt(0) lgkmcnt(0)\ns_waitcnt_vscnt null, 0"
                                     : "s_waitcnt vmcnt(0) lgkmcnt(0)";
    if (c.space == BUFFER) {
        static const char *const va[] = { "off", "v4", "v5", "v[4:5]" };
        sprintf(addr, "%s, s[%d:%d], %s%s%s", c.form == 3 ? "v[6:7]" : va[c.form], BASE, BASE + 3,
                c.soff ? "s12" : b->target >= T_1201 ? "null" : "0", c.form & 2 ? " idxen" : "",
                    c.form & 1 ? " offen" : "");
        const char *reg = op->kind == LOAD ? res : data;
        if (c.lds)
            sprintf(text, "%s %s%s lds", c.name, addr, tail);
        else
            sprintf(text, "%s %s, %s%s", c.name, reg, addr, tail);
    } else {
        const char *a = c.space == GLOBAL && c.form ? "v4" : "v[2:3]";
        const char *s = c.space == FLAT ? "" : c.form ? ", s[8:9]" : ", off";
        if (op->kind == LOAD)
            sprintf(text, "%s %s, %s%s%s", c.name, res, a, s, tail);
        else if (op->kind == TO_LDS)
            sprintf(text, "%s %s%s%s", c.name, a, s, tail);
        else if (op->kind == ATOMIC && c.ret)
            sprintf(text, "%s %s, %s, %s%s%s", c.name, res, a, data, s, tail);
        else
            sprintf(text, "%s %s, %s%s%s", c.name, a, data, s, tail);
    }
    if (c.space == FLAT && c.form)
        c.snippet = batch_add(b, "s_mov_b64 s[40:41], src_shared_base\nv_mov_b32 v3, s41\n%s\n%s",
                              text, wait);
    else
        c.snippet = batch_add(b, "%s\n%s", text, wait);
    list[(*n)++] = c;
}

static int make_cases(struct batch *b, const struct mop *op, enum space space, struct mcase *list)
{
    enum target t = b->target;
    int n = 0, bytes = mconv_bytes(op->conv, op->words), align = bytes == 12 ? 4 : bytes;
    bool gfx9 = t <= T_950;
    const char *base = gfx9 ? op->name9 : op->name11;
    struct mcase c = { .op = op, .space = space };

    if (!base || !(op->on[space] >> t & 1))
        return 0;
    snprintf(c.name, sizeof c.name, "%s_%s", space_name[space], base);
    rand_seed(c.name);
    int forms = space == BUFFER ? 4 : space == GLOBAL && t == T_1250 && op->kind != TO_LDS ? 3 : 2;
    for (int form = 0; form < forms; form++)
        for (int k = 0; k < 4; k++) {
            c.form = form;
            int room = space == GLOBAL ? 4096 : 4095;
            c.offset = k == 0   ? 0
                       : k == 1 ? (room - 1) / align * align
                                : (int)rand_below(1024) * align % room;
            if (space == GLOBAL && k == 2)
                c.offset = -c.offset;
            if (space == FLAT && (form || !gfx9))
                c.offset = c.offset % 2048 / align * align;
            if (space == BUFFER)
                c.offset &= 1023 & ~(align - 1);
            c.ret = op->kind == ATOMIC && (k & 1 || only_returns(op, t));
            c.agpr =
                gfx9 && k == 3 && op->kind != TO_LDS && op->draw != D_F32 && op->draw != D_PKF16;
            c.soff = space == BUFFER && k >= 2;
            if (op->kind == TO_LDS && bytes == 12)
                c.offset = c.offset / 12 * 12;
            if (op->kind == TO_LDS)
                c.offset = abs(c.offset) % 1024 / 16 * 16;
            if (space == FLAT && form && op->kind == ATOMIC &&
                (op->fn == at_min_f64 || op->fn == at_max_f64) && !gfx9)
                continue;
            add(b, list, &n, c);
        }
    /* A buffer load with the lds bit, where it is a bit. */
    if (space == BUFFER && gfx9 && op->kind == LOAD && op->conv != M_PLAIN
            ? op->conv <= M_I16
            : space == BUFFER && gfx9 && op->kind == LOAD &&
                  (op->words == 1 || (t == T_950 && op->words >= 3))) {
        c.lds = true;
        c.agpr = c.ret = c.soff = false;
        for (int form = 0; form < 2; form++) {
            c.form = form;
            c.offset = form * 48;
            add(b, list, &n, c);
        }
    }
    return n;
}

static uint64_t regs64(const uint32_t *r, int words)
{
    return words == 2 ? r[0] | (uint64_t)r[1] << 32 : r[0];
}

static void run_case(const struct batch *b, const struct mcase *c)
{
    static struct wave_state w, want;
    static uint8_t mem[WAVE_MEM], want_mem[WAVE_MEM];
    const struct mop *op = c->op;
    enum target t = b->target;
    int lanes = target_lanes(t), bytes = mconv_bytes(op->conv, op->words);
    bool shared = c->space == FLAT && c->form, to_lds = op->kind == TO_LDS || c->lds;
    char text[256];

    snprintf(text, sizeof text, "%s", batch_text(b, c->snippet));
    rand_seed(text);
    wave_randomise(&w, t);
    for (int wave = 0; wave < 6; wave++) {
        uint64_t base = run_address(t);
        int step = bytes > 4 ? bytes : 4, slots = shared ? 128 : 256;
        uint8_t used[256] = { 0 };
        w.exec = lane_mask_draw(t, wave);
        for (int i = 0; i < WAVE_MEM; i += 8) {
            uint64_t v = rand64();
            memcpy(mem + i, &v, 8);
        }
        w.m0 = to_lds ? 64 + rand_below(8) * 16 : 0;
        uint64_t middle = base + MIDDLE;
        w.s[BASE] = (uint32_t)middle;
        w.s[BASE + 1] = (uint32_t)(middle >> 32);
        w.s[SOFF] = rand_below(64) * 16;
        int stride = 0;
        if (c->space == BUFFER) {
            if (c->form & 2) {
                stride = 64;
                if (t != T_1250)
                    w.s[BASE + 1] |= (uint32_t)stride << 16;
            }
            w.s[BASE + 2] = stride ? 300 : 16384; /* records or bytes; some lanes fall beyond */
            w.s[BASE + 3] = t <= T_950 ? 0x27000 : 0x31004000;
            if (stride && t >= T_1100)
                w.s[BASE + 3] = 0x01004000 | (t == T_1100 ? 0x20000 : 0);
            if (t == T_1250) { /* num_records in bytes at bit 57, stride at bit 108 */
                uint32_t records = stride ? 300 * 64 : 16384;
                w.s[BASE + 1] |= records << 25;
                w.s[BASE + 2] = records >> 7;
                w.s[BASE + 3] = (uint32_t)stride << 12;
            }
        }
        want = w;
        if (shared) /* the aperture's numbers are the simulator's own */
            want.s[40] = w.s[40];

        int where[64];
        bool inside[64];
        for (int i = 0; i < lanes; i++) {
            int slot;
            do
                slot = (int)rand_below((uint32_t)slots);
            while (op->kind != LOAD && op->kind != TO_LDS && used[slot]);
            used[slot] = 1;
            inside[i] = true;
            if (c->space == BUFFER) {
                int off = c->form & 1
                              ? (c->form & 2 ? (int)rand_below(4) * (bytes == 12 ? 4 : bytes) % 16
                                             : slot * step)
                              : 0;
                int index = c->form & 2 ? slot : 0;
                if (c->form & 2 && wave == 5 && i % 5 == 0)
                    index += 1000; /* beyond the records: loads give 0, stores do nothing */
                if (c->form == 1 && !c->lds && wave == 5 && i % 5 == 0)
                    off += 32768;
                if (c->form & 2)
                    inside[i] = index < 300;
                else
                    inside[i] = off + c->offset + (c->soff ? (int)w.s[SOFF] : 0) < 16384;
                if (c->form == 0 && op->kind != LOAD && !c->lds &&
                    i != __builtin_ctzll(w.exec ? w.exec : 1))
                    w.exec &= ~(1ull << i); /* one address: one lane stores */
                w.v[4][i] = (uint32_t)off;
                w.v[5][i] = (uint32_t)index;
                w.v[6][i] = (uint32_t)index;
                w.v[7][i] = (uint32_t)off;
                where[i] =
                    MIDDLE + index * stride + off + c->offset + (c->soff ? (int)w.s[SOFF] : 0);
            } else {
                int ea = shared ? slot * step % (WAVE_LDS - 2560) + c->offset
                                : MIDDLE + (slot - slots / 2) * step;
                if (c->space == GLOBAL && bytes == 4 && op->kind == LOAD && wave == 4)
                    ea = ea / 4 * 4;
                where[i] = ea;
                uint64_t a = shared ? (uint64_t)(ea - c->offset)
                                    : base + (uint64_t)ea - (uint64_t)(int64_t)c->offset;
                if (c->space == GLOBAL && c->form == 2) { /* signed, in units of the access */
                    w.v[4][i] = (uint32_t)(slot - slots / 2);
                    where[i] = MIDDLE + (slot - slots / 2) * bytes;
                    uint64_t s = base + MIDDLE - (uint64_t)(int64_t)c->offset;
                    w.s[BASE] = (uint32_t)s;
                    w.s[BASE + 1] = (uint32_t)(s >> 32);
                } else if (c->space == GLOBAL &&
                    c->form) { /* VGPR offset is unsigned: move the base down */
                    w.v[4][i] = (uint32_t)(ea + 8192 - MIDDLE);
                    uint64_t s = base + MIDDLE - 8192 - (uint64_t)(int64_t)c->offset;
                    w.s[BASE] = (uint32_t)s;
                    w.s[BASE + 1] = (uint32_t)(s >> 32);
                } else {
                    w.v[2][i] = (uint32_t)a;
                    if (!shared)
                        w.v[3][i] = (uint32_t)(a >> 32);
                }
            }
            uint8_t *item = (shared ? w.lds : mem) + (inside[i] ? where[i] : 0);
            if (op->draw != D_BITS && inside[i]) {
                uint64_t v = mem_draw(op->draw, bytes);
                memcpy(item, &v, (size_t)bytes);
            }
            for (int k = 0; k < 2; k++) {
                uint64_t v = mem_draw(op->draw, bytes);
                uint32_t(*file)[64] = c->agpr ? w.a : w.v;
                for (int j = 0; j < op->words && j < 2; j++)
                    file[DATA + k * op->words + j][i] = (uint32_t)(v >> 32 * j);
            }
        }
        memcpy(want_mem, mem, sizeof mem);
        want = w;
        for (int i = 0; i < lanes; i++) {
            if (shared && w.exec >> i & 1)
                want.v[3][i] = 0; /* filled in from the result below */
            if (!(w.exec >> i & 1))
                continue;
            uint32_t(*file)[64] = c->agpr ? want.a : want.v;
            uint8_t zero[16] = { 0 },
                    *item = !inside[i] ? zero : (shared ? want.lds : want_mem) + where[i];
            uint32_t reg[8];
            if (to_lds) {
                uint32_t v[4] = { 0 };
                mem_to_regs(op->conv, op->words, item, v);
                /* Three dwords are padded to four (MLIR, amdgpu.gather_to_lds). */
                int each = op->words == 3 ? 16 : op->words * 4;
                memcpy(want.lds + (w.m0 & 0xffff) + c->offset + i * each, v, (size_t)each);
                continue;
            }
            if (op->kind == LOAD) {
                for (int k = 0; k < op->words; k++)
                    reg[k] = file[RESULT + k][i];
                mem_to_regs(op->conv, op->words, item, reg);
                for (int k = 0; k < op->words; k++)
                    file[RESULT + k][i] = reg[k];
                continue;
            }
            for (int k = 0; k < 8; k++)
                reg[k] = file[DATA + k][i];
            if (op->kind == STORE) {
                regs_to_mem(op->conv, op->words, reg, item);
                continue;
            }
            uint64_t old = 0, d = regs64(reg, op->words), d2 = regs64(reg + op->words, op->words);
            memcpy(&old, item, (size_t)bytes);
            uint64_t v = op->fn(t, old, d, d2);
            memcpy(item, &v, (size_t)bytes);
            int dst = c->space == BUFFER ? DATA : RESULT;
            if (c->ret)
                for (int k = 0; k < op->words; k++)
                    file[dst + k][i] = (uint32_t)(old >> 32 * k);
        }
        if (!run_snippet(b, c->snippet, &w, mem)) {
            fail(t, c->name, "%s: %s", text, run_error());
            return;
        }
        if (shared) {
            want.s[40] = w.s[40];
            want.s[41] = w.s[41];
            for (int i = 0; i < lanes; i++)
                if (w.exec >> i & 1)
                    want.v[3][i] = w.s[41];
        }
        const char *d = wave_diff(&w, &want, mem, want_mem);
        if (d) {
            fail(t, c->name, "%s (wave %d, exec %llx): %s", text, wave, (unsigned long long)w.exec,
                 d);
            return;
        }
    }
}

void run_vmem(enum target t);
void run_vmem(enum target t)
{
    struct batch b;
    struct mcase *list = calloc(sizeof ops / sizeof *ops * SPACES * 20, sizeof *list);
    int n = 0;

    batch_begin(&b, t);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        for (enum space s = 0; s < SPACES; s++) {
            int more = make_cases(&b, &ops[i], s, list + n);
            if (more)
                covered_add(t, list[n].name);
            n += more;
        }
    if (!batch_assemble(&b))
        fail(t, "(assembler)", "a vector memory form is refused");
    else
        for (int i = 0; i < n; i++)
            run_case(&b, &list[i]);
    free(list);
    batch_end(&b);
}
