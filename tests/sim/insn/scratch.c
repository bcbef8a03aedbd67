/* SPDX-License-Identifier: MIT */
/*
 * Private memory: each program fills 64 bytes a lane, runs one scratch load or store under an EXEC
 * mask with holes, and reads the 64 bytes back. Address forms: none, VGPR, SGPR, (gfx940) both,
 * and FLAT instructions.
 * Reference: CDNA3 ISA guide, flat memory chapter, scratch address; every lane has its own bytes.
 */
#include "item.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sop {
    const char *name9, *name11;
    bool load;
    enum mconv conv;
    int words;
};

static const struct sop ops[] = {
    { "load_ubyte", "load_u8", true, M_U8, 1 },
    { "load_sbyte", "load_i8", true, M_I8, 1 },
    { "load_ushort", "load_u16", true, M_U16, 1 },
    { "load_sshort", "load_i16", true, M_I16, 1 },
    { "load_dword", "load_b32", true, M_PLAIN, 1 },
    { "load_dwordx2", "load_b64", true, M_PLAIN, 2 },
    { "load_dwordx3", "load_b96", true, M_PLAIN, 3 },
    { "load_dwordx4", "load_b128", true, M_PLAIN, 4 },
    { "load_ubyte_d16", "load_d16_u8", true, M_U8_D16, 1 },
    { "load_ubyte_d16_hi", "load_d16_hi_u8", true, M_U8_HI, 1 },
    { "load_sbyte_d16", "load_d16_i8", true, M_I8_D16, 1 },
    { "load_sbyte_d16_hi", "load_d16_hi_i8", true, M_I8_HI, 1 },
    { "load_short_d16", "load_d16_b16", true, M_B16_D16, 1 },
    { "load_short_d16_hi", "load_d16_hi_b16", true, M_B16_HI, 1 },
    { "store_byte", "store_b8", false, M_U8, 1 },
    { "store_byte_d16_hi", "store_d16_hi_b8", false, M_U8_HI, 1 },
    { "store_short", "store_b16", false, M_U16, 1 },
    { "store_short_d16_hi", "store_d16_hi_b16", false, M_B16_HI, 1 },
    { "store_dword", "store_b32", false, M_PLAIN, 1 },
    { "store_dwordx2", "store_b64", false, M_PLAIN, 2 },
    { "store_dwordx3", "store_b96", false, M_PLAIN, 3 },
    { "store_dwordx4", "store_b128", false, M_PLAIN, 4 },
};

/* v[32:47] fill, v4 address, v5 zero, v[10:13] data, v[20:23] result, v[48:63] what is there at the
 * end. */
enum { FILL = 32, ADDR = 4, DATA = 10, RESULT = 20, BACK = 48, SADDR = 12 };

struct scase {
    const struct sop *op;
    int form, offset, saddr, snippet; /* form: bit 0 VGPR, bit 1 SGPR; FLAT: a flat address */
    char name[40];
};

enum { FLAT = 4 };

/* Puts the FLAT address of the private byte v4 into v[8:9]. */
static const char *flat_address(enum target t)
{
    if (t == T_1250) /* LLVM, cast of private pointers: base plus the lane above bit 51 */
        return "v_mbcnt_lo_u32_b32 v9, -1, 0\nv_lshlrev_b32 v9, 20, v9\nv_mov_b32 v8, v4\n"
               "v_add_nc_u64 v[8:9], src_flat_scratch_base_lo, v[8:9]\n";
    return "s_mov_b64 s[42:43], src_private_base\nv_mov_b32 v9, s43\nv_mov_b32 v8, v4\n";
}

static void add(struct batch *b, struct scase *c)
{
    enum target t = b->target;
    bool gfx9 = t <= T_950;
    const char *st = gfx9 ? "scratch_store_dwordx4" : "scratch_store_b128";
    const char *ld = gfx9 ? "scratch_load_dwordx4" : "scratch_load_b128";
    const char *wait = t >= T_1201   ? "s_wait_loadcnt 0\ns_wait_storecnt 0\n"
                       : t == T_1100 ? "s_waitcnt vmcnt(0)\ns_waitcnt_vscnt null, 0\n"
                                     : "s_waitcnt vmcnt(0)\n";
    const char *all = gfx9 ? "s_mov_b64 exec, -1\n" : "s_mov_b32 exec_lo, -1\n";
    const char *some = gfx9 ? "s_mov_b64 exec, s[40:41]\n" : "s_mov_b32 exec_lo, s40\n";
    const char *none = t == T_90A ? "v5" : "off"; /* gfx90a has no form without a register */
    char fill[256] = "", back[256] = "", addr[24], reg[16], tail[24] = "";

    for (int k = 0; k < 4; k++) {
        sprintf(fill + strlen(fill), "%s %s, v[%d:%d], off offset:%d\n", st, none, FILL + 4 * k,
                FILL + 4 * k + 3, 16 * k);
        sprintf(back + strlen(back), "%s v[%d:%d], %s, off offset:%d\n", ld, BACK + 4 * k,
                BACK + 4 * k + 3, none, 16 * k);
    }
    int first = c->op->load ? RESULT : DATA;
    sprintf(reg, c->op->words == 1 ? "v%d" : "v[%d:%d]", first, first + c->op->words - 1);
    sprintf(addr, c->form & 1 ? "v%d" : "off", ADDR);
    if (c->offset)
        sprintf(tail, " offset:%d", c->offset);
    char s[8];
    sprintf(s, c->form & 2 ? "s%d" : "off", SADDR);
    char text[512];
    if (c->form == FLAT)
        sprintf(text, "%s%s %s, %s%s\n%s%s", flat_address(t), c->name, c->op->load ? reg : "v[8:9]",
                c->op->load ? "v[8:9]" : reg, tail, t >= T_1201 ? "s_wait_dscnt 0\n" : "s_waitcnt lgkmcnt(0)\n",
                "v_mov_b32 v8, 0\nv_mov_b32 v9, 0\ns_mov_b64 s[42:43], 0\n");
    else if (c->op->load)
        sprintf(text, "%s %s, %s, %s%s\n", c->name, reg, addr, s, tail);
    else
        sprintf(text, "%s %s, %s, %s%s\n", c->name, addr, reg, s, tail);
    c->snippet = batch_add(b, "%s%s%s%s%s%s%s%s%s%s", all, fill, wait, some, text, wait, all, back,
                           wait, some);
}

static void run_case(const struct batch *b, const struct scase *c)
{
    static struct wave_state w, want;
    enum target t = b->target;
    int lanes = target_lanes(t), bytes = mconv_bytes(c->op->conv, c->op->words);
    int align = bytes == 12 ? 4 : bytes > 4 ? 4 : bytes;

    rand_seed(batch_text(b, c->snippet));
    for (int run = 0; run < 4; run++) {
        wave_randomise(&w, t);
        uint64_t exec = lane_mask_draw(t, run);
        w.s[40] = (uint32_t)exec;
        w.s[41] = (uint32_t)(exec >> 32);
        w.s[SADDR] = (uint32_t)c->saddr;
        memset(w.v[5], 0, sizeof w.v[5]);
        if (c->form == FLAT) {
            memset(w.v[8], 0, 2 * sizeof w.v[8]);
            w.s[42] = w.s[43] = 0;
        }
        for (int i = 0; i < lanes; i++)
            w.v[ADDR][i] = rand_below((uint32_t)(48 - c->offset - c->saddr) / (uint32_t)align) *
                           (uint32_t)align;
        want = w;
        want.exec = exec;
        for (int i = 0; i < lanes; i++) {
            uint8_t m[64];
            uint32_t reg[4];
            for (int k = 0; k < 16; k++)
                memcpy(m + 4 * k, &w.v[FILL + k][i], 4);
            if (exec >> i & 1) {
                int at = c->offset + (c->form & 1 || c->form == FLAT ? (int)w.v[ADDR][i] : 0) +
                         (c->form & 2 ? c->saddr : 0);
                for (int k = 0; k < c->op->words; k++)
                    reg[k] = w.v[(c->op->load ? RESULT : DATA) + k][i];
                if (c->op->load)
                    mem_to_regs(c->op->conv, c->op->words, m + at, reg);
                else
                    regs_to_mem(c->op->conv, c->op->words, reg, m + at);
                for (int k = 0; k < c->op->words && c->op->load; k++)
                    want.v[RESULT + k][i] = reg[k];
            }
            for (int k = 0; k < 16; k++)
                memcpy(&want.v[BACK + k][i], m + 4 * k, 4);
        }
        if (!run_snippet(b, c->snippet, &w, NULL)) {
            fail(t, c->name, "form %d offset %d: %s", c->form, c->offset, run_error());
            return;
        }
        const char *d = wave_diff(&w, &want, NULL, NULL);
        if (d) {
            fail(t, c->name, "form %d offset %d (exec %llx): %s", c->form, c->offset,
                 (unsigned long long)exec, d);
            return;
        }
    }
}

/* ---- straight to LDS: M0 + offset + 4 * lane gets the dword that the element extends to ---- */

static void run_to_lds(enum target t)
{
    static const struct { const char *name; enum mconv conv; } loads[] = {
        { "scratch_load_lds_dword", M_PLAIN }, { "scratch_load_lds_ubyte", M_U8 }, { "scratch_load_lds_sbyte", M_I8 },
        { "scratch_load_lds_ushort", M_U16 },  { "scratch_load_lds_sshort", M_I16 } };
    enum { N = sizeof loads / sizeof *loads, OFFSET = 16 };
    static struct wave_state w, want;
    int snippet[N];
    struct batch b;

    batch_begin(&b, t);
    for (int i = 0; i < N; i++) {
        covered_add(t, loads[i].name);
        snippet[i] = batch_add(&b, "s_mov_b64 exec, -1\nscratch_store_dwordx4 off, v[32:35], off offset:%d\n"
                               "s_waitcnt vmcnt(0)\ns_mov_b64 exec, s[40:41]\n%s v4, off offset:%d\ns_waitcnt vmcnt(0)",
                               OFFSET, loads[i].name, OFFSET);
    }
    if (!batch_assemble(&b)) {
        fail(t, "(assembler)", "a load to LDS is refused");
        batch_end(&b);
        return;
    }
    for (int i = 0; i < N; i++)
        for (int run = 0; run < 4; run++) {
            const int bytes = mconv_bytes(loads[i].conv, 1);
            rand_seed(loads[i].name);
            for (int k = 0; k < run; k++)
                rand64();
            wave_randomise(&w, t);
            const uint64_t exec = lane_mask_draw(t, run);
            w.s[40] = (uint32_t)exec;
            w.s[41] = (uint32_t)(exec >> 32);
            w.m0 = 64 + 16 * rand_below(8);
            for (int l = 0; l < 64; l++)
                w.v[4][l] = rand_below(16 / (uint32_t)bytes) * (uint32_t)bytes;
            want = w;
            want.exec = exec;
            for (int l = 0; l < 64; l++) {
                uint8_t m[16];
                uint32_t x = 0;
                for (int k = 0; k < 4; k++)
                    memcpy(m + 4 * k, &w.v[FILL + k][l], 4);
                mem_to_regs(loads[i].conv, 1, m + w.v[4][l], &x);
                if (exec >> l & 1)
                    memcpy(want.lds + w.m0 + OFFSET + 4 * l, &x, 4);
            }
            const char *d = run_snippet(&b, snippet[i], &w, NULL) ? wave_diff(&w, &want, NULL, NULL) : run_error();
            if (d) {
                fail(t, loads[i].name, "exec %llx: %s", (unsigned long long)exec, d);
                break;
            }
        }
    batch_end(&b);
}

void run_scratch(enum target t);
void run_scratch(enum target t)
{
    struct batch b;
    struct scase list[sizeof ops / sizeof *ops * 10];
    int n = 0;

    batch_begin(&b, t);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        for (int form = 0; form <= FLAT; form++)
            for (int k = 0; k < 2; k++) {
                struct scase *c = &list[n];
                int bytes = mconv_bytes(ops[i].conv, ops[i].words), align = bytes > 4 ? 4 : bytes;
                if ((form == 3 || form == 0) && t == T_90A)
                    continue;
                *c = (struct scase){ .op = &ops[i], .form = form };
                snprintf(c->name, sizeof c->name, "%s_%s", form == FLAT ? "flat" : "scratch",
                         t <= T_950 ? ops[i].name9 : ops[i].name11);
                rand_seed(c->name);
                c->offset = k && (form != FLAT || t != T_90A) ? (int)rand_below(16) / align * align + (form ? 0 : 16) : 0;
                c->saddr = form & 2 ? (int)rand_below(16) / align * align : 0;
                covered_add(t, c->name);
                add(&b, c);
                n++;
            }
    if (!batch_assemble(&b))
        fail(t, "(assembler)", "a scratch form is refused");
    else
        for (int i = 0; i < n; i++)
            run_case(&b, &list[i]);
    batch_end(&b);
    if (t == T_942 || t == T_950)
        run_to_lds(t);
}
