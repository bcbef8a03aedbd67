/* SPDX-License-Identifier: MIT */
/*
 * Scalar memory: loads by pointer and by buffer resource with every offset form, and clocks and
 * cache operations that only have to leave the registers alone; gfx9's stores and atomics.
 * References: CDNA3/CDNA4 ISA guides, scalar memory chapter; an access drops the two low address bits,
 * a buffer load beyond the records gives 0, stores and atomics there do nothing.
 */
#include "item.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int words;
    bool buffer;
    unsigned targets;
    int bits; /* of a small load, negative: signed; 0 otherwise */
} loads[] = {
    { "s_load_dword", 1, false, ON_GFX9 },         { "s_load_dwordx2", 2, false, ON_GFX9 },
    { "s_load_dwordx4", 4, false, ON_GFX9 },       { "s_load_dwordx8", 8, false, ON_GFX9 },
    { "s_load_dwordx16", 16, false, ON_GFX9 },     { "s_buffer_load_dword", 1, true, ON_GFX9 },
    { "s_buffer_load_dwordx2", 2, true, ON_GFX9 }, { "s_buffer_load_dwordx4", 4, true, ON_GFX9 },
    { "s_buffer_load_dwordx8", 8, true, ON_GFX9 }, { "s_buffer_load_dwordx16", 16, true, ON_GFX9 },
    { "s_load_b32", 1, false, ON_GFX11UP },        { "s_load_b64", 2, false, ON_GFX11UP },
    { "s_load_b96", 3, false, ON_GFX12 },          { "s_load_b128", 4, false, ON_GFX11UP },
    { "s_load_b256", 8, false, ON_GFX11UP },       { "s_load_b512", 16, false, ON_GFX11UP },
    { "s_buffer_load_b32", 1, true, ON_GFX11UP },  { "s_buffer_load_b64", 2, true, ON_GFX11UP },
    { "s_buffer_load_b96", 3, true, ON_GFX12 },    { "s_buffer_load_b128", 4, true, ON_GFX11UP },
    { "s_buffer_load_b256", 8, true, ON_GFX11UP }, { "s_buffer_load_b512", 16, true, ON_GFX11UP },
    { "s_load_u8", 1, false, ON_GFX12, 8 },        { "s_load_i8", 1, false, ON_GFX12, -8 },
    { "s_load_u16", 1, false, ON_GFX12, 16 },      { "s_load_i16", 1, false, ON_GFX12, -16 },
    { "s_buffer_load_u8", 1, true, ON_GFX12, 8 },  { "s_buffer_load_i8", 1, true, ON_GFX12, -8 },
    { "s_buffer_load_u16", 1, true, ON_GFX12, 16 },
    { "s_buffer_load_i16", 1, true, ON_GFX12, -16 },
};

/* Nothing but a wait: registers, memory and flags stay. */
static const struct {
    const char *text;
    unsigned targets;
} quiet[] = {
    { "s_nop 3", ON_ALL }, { "s_sleep 1", ON_ALL }, { "s_setprio 2", ON_ALL },
      { "s_waitcnt 0", ON_GFX9 | ON_1100 },
    { "s_dcache_inv", ON_ALL }, { "s_dcache_wb", ON_GFX9 }, { "s_icache_inv", ON_ALL },
    { "buffer_wbinvl1", ON_90A }, { "buffer_wbinvl1_vol", ON_90A }, { "buffer_invl2", ON_90A },
      { "buffer_wbl2", ON_GFX9 },
    { "buffer_inv sc1", ON_940 }, { "v_nop", ON_ALL }, { "ds_nop", ON_ALL },
      { "s_barrier", ON_GFX9 | ON_1100 },
    { "s_sethalt 0", ON_ALL }, { "s_wakeup", ON_ALL }, { "s_setkill 0", ON_ALL & ~ON_1250 },
    { "s_incperflevel 1", ON_ALL }, { "s_decperflevel 1", ON_ALL }, { "s_ttracedata", ON_ALL },
    { "s_atc_probe 16, s[8:9], 0x124", ON_ALL }, { "s_atc_probe_buffer 3, s[8:11], s2", ON_ALL },
    { "s_dcache_inv_vol", ON_GFX9 }, { "s_dcache_wb_vol", ON_GFX9 }, { "v_clrexcp", ON_GFX9 },
    { "s_ttracedata_imm 0x0", ON_GFX11UP }, { "s_wait_idle", ON_GFX11UP },
    { "s_wait_event 0x0", ON_RDNA }, { "s_waitcnt_depctr 0x0", ON_1100 },
    { "s_set_inst_prefetch_distance 0x1", ON_1100 }, { "s_waitcnt_vmcnt null, 0x0", ON_1100 },
    { "buffer_gl0_inv", ON_1100 }, { "buffer_gl1_inv", ON_1100 },
    { "global_inv scope:SCOPE_DEV", ON_GFX12 }, { "global_wb scope:SCOPE_DEV", ON_GFX12 },
    { "global_wbinv scope:SCOPE_DEV", ON_GFX12 }, { "s_wait_alu 0x0", ON_GFX12 },
    { "s_waitcnt 0", ON_1201 }, { "s_wait_samplecnt 0x0", ON_1201 },
    { "s_wait_bvhcnt 0x0", ON_1201 }, { "s_wait_expcnt 0x0", ON_1201 },
    { "s_wait_xcnt 0x0", ON_1250 }, { "s_wait_asynccnt 0x0", ON_1250 },
    { "s_wait_tensorcnt 0x0", ON_1250 }, { "s_monitor_sleep 0x0", ON_1250 },
    { "s_clause 0x0\n v_nop\n v_nop", ON_GFX11UP }, { "s_delay_alu instid0(VALU_DEP_1)",
      ON_GFX11UP },
    { "s_wait_loadcnt 0", ON_GFX12 }, { "s_wait_storecnt 0", ON_GFX12 },
      { "s_wait_dscnt 0", ON_GFX12 },
    { "s_wait_kmcnt 0", ON_GFX12 }, { "s_wait_loadcnt_dscnt 0", ON_GFX12 },
      { "s_wait_storecnt_dscnt 0", ON_GFX12 },
    { "s_waitcnt_vscnt null, 0", ON_1100 },
    { "s_gl1_inv", ON_1100 }, { "s_dcache_discard s[8:9], 0x40", ON_GFX9 },
    { "s_dcache_discard_x2 s[8:9], s20", ON_GFX9 }, { "s_version 0x2000", ON_GFX11UP }, { "s_sleep_var s20", ON_GFX12 },
    { "s_prefetch_inst s[8:9], 0x100, s20, 3", ON_GFX12 },
    { "s_prefetch_inst_pc_rel 0x100, s20, 3", ON_GFX12 },
    { "s_prefetch_data s[8:9], 0x100, s20, 3", ON_GFX12 },
    { "s_prefetch_data_pc_rel 0x100, s20, 3", ON_GFX12 },
    { "s_buffer_prefetch_data s[8:11], 0x100, s20, 3", ON_GFX12 },
    { "s_barrier_signal -1\ns_barrier_wait 0xffff", ON_GFX12 }, { "s_barrier_wait 0xffff", ON_GFX12 },
    { "s_setprio_inc_wg 0x1", ON_1250 }, { "s_set_vgpr_msb 0x0", ON_1250 },
    { "global_prefetch_b8 v[2:3], off", ON_1250 }, { "flat_prefetch_b8 v[2:3]", ON_1250 },
};

enum { BASE = 8, DEST = 16, SOFF = 40, MIDDLE = WAVE_MEM / 2 };

struct scase {
    int load, form, offset, snippet; /* form: 0 immediate, 1 SGPR, 2 SGPR and immediate */
    bool scaled;                     /* the SGPR counts elements */
};

static void run_load(const struct batch *b, const struct scase *c)
{
    static struct wave_state w, want;
    static uint8_t mem[WAVE_MEM], want_mem[WAVE_MEM];
    enum target t = b->target;
    char text[128];

    snprintf(text, sizeof text, "%s", batch_text(b, c->snippet));
    rand_seed(text);
    for (int run = 0; run < 8; run++) {
        wave_randomise(&w, t);
        for (int i = 0; i < WAVE_MEM; i += 8) {
            uint64_t v = rand64();
            memcpy(mem + i, &v, 8);
        }
        int words = loads[c->load].words, soff = (int)rand_below(250) * 4;
        if (c->scaled) {
            int bits = loads[c->load].bits < 0 ? -loads[c->load].bits : loads[c->load].bits, size = bits ? bits / 8 : 4 * words;
            w.s[SOFF] = rand_below(1000 / (uint32_t)size);
            soff = (int)w.s[SOFF] * size;
        } else {
            w.s[SOFF] = (uint32_t)soff;
        }
        int imm = c->form == 1 ? 0 : c->offset, reg = c->form ? soff : 0;
        int ea = loads[c->load].buffer ? 0 : MIDDLE;
        uint64_t base = run_address(t) + (uint64_t)ea;
        w.s[BASE] = (uint32_t)base;
        w.s[BASE + 1] = (uint32_t)(base >> 32);
        w.s[BASE + 2] = run & 1 ? 512 : 40000;
        w.s[BASE + 3] = t <= T_950 ? 0x27000 : 0x31004000;
        if (t == T_1250 && loads[c->load].buffer) { /* num_records at bit 57 */
            w.s[BASE + 1] |= (run & 1 ? 512u : 40000u) << 25;
            w.s[BASE + 2] = (run & 1 ? 512 : 40000) >> 7;
            w.s[BASE + 3] = 0;
        }
        ea += imm + reg;
        if (!loads[c->load].bits)
            ea &= ~3;
        want = w;
        for (int k = 0; k < words; k++) {
            uint32_t v = 0;
            if (!loads[c->load].buffer || ea + 4 * k < (run & 1 ? 512 : 40000))
                memcpy(&v, mem + ea + 4 * k, 4);
            switch (loads[c->load].bits) {
            case 8: v = (uint8_t)v; break;
            case -8: v = (uint32_t)(int8_t)v; break;
            case 16: v = (uint16_t)v; break;
            case -16: v = (uint32_t)(int16_t)v; break;
            }
            want.s[DEST + k] = v;
        }
        memcpy(want_mem, mem, sizeof mem);
        if (!run_snippet(b, c->snippet, &w, mem)) {
            fail(t, loads[c->load].name, "%s: %s", text, run_error());
            return;
        }
        const char *d = wave_diff(&w, &want, mem, want_mem);
        if (d) {
            fail(t, loads[c->load].name, "%s (s%d %x, records %u): %s", text, SOFF, soff,
                 w.s[BASE + 2], d);
            return;
        }
    }
}

/* ---- gfx9: stores and atomics, by pointer and by buffer ---- */

static const struct { const char *name; atomic_fn *fn[2]; } atomics[] = {
    { "swap", { at_swap, at_swap } },     { "cmpswap", { at_cmpswap, at_cmpswap } },
    { "add", { at_add32, at_add64 } },    { "sub", { at_sub32, at_sub64 } },
    { "smin", { at_smin32, at_smin64 } }, { "umin", { at_umin32, at_umin64 } },
    { "smax", { at_smax32, at_smax64 } }, { "umax", { at_umax32, at_umax64 } },
    { "and", { at_and, at_and } },        { "or", { at_or, at_or } },
    { "xor", { at_xor, at_xor } },        { "inc", { at_inc32, at_inc64 } },
    { "dec", { at_dec32, at_dec64 } },
};

struct change {
    char name[32];
    atomic_fn *fn; /* null: a store */
    int words, offset, snippet;
    bool buffer, returns, reg;
};

static void run_change(const struct batch *b, const struct change *c)
{
    static struct wave_state w, want;
    static uint8_t mem[WAVE_MEM], want_mem[WAVE_MEM];
    const enum target t = b->target;
    const bool compares = c->fn == at_cmpswap;

    rand_seed(batch_text(b, c->snippet));
    for (int run = 0; run < 8; run++) {
        const int bytes = 4 * c->words, records = run % 4 == 3 ? c->offset + 4 + (c->reg ? 64 : 0) : 40000;
        wave_randomise(&w, t);
        const int at = MIDDLE + c->offset + (c->reg ? 64 : 0);
        for (int i = 0; i < 256; i++)
            mem[MIDDLE + i] = (uint8_t)rand64();
        for (int k = 0; k < 2 * c->words && compares && c->fn; k++) { /* equal now and then */
            w.s[DEST + k] = rand_below(2);
            if (k < c->words) {
                uint32_t x = rand_below(2);
                memcpy(mem + at + 4 * k, &x, 4);
            }
        }
        w.s[SOFF] = 64;
        const uint64_t base = run_address(t) + MIDDLE;
        w.s[BASE] = (uint32_t)base;
        w.s[BASE + 1] = (uint32_t)(base >> 32);
        w.s[BASE + 2] = (uint32_t)records;
        w.s[BASE + 3] = 0x27000;
        want = w;
        memcpy(want_mem, mem, sizeof mem);
        int inside = c->buffer && at + bytes > MIDDLE + records ? 4 : bytes; /* the records end 4 bytes behind its start */
        if (c->fn) {
            uint64_t old = 0, data = w.s[DEST], other = w.s[DEST + c->words];
            if (c->words == 2) {
                data |= (uint64_t)w.s[DEST + 1] << 32;
                other |= (uint64_t)w.s[DEST + 3] << 32;
            }
            if (inside == bytes) {
                memcpy(&old, mem + at, (size_t)bytes);
                const uint64_t x = c->fn(t, old, data, other);
                memcpy(want_mem + at, &x, (size_t)bytes);
            }
            for (int k = 0; k < c->words && c->returns; k++)
                want.s[DEST + k] = (uint32_t)(old >> 32 * k);
        } else {
            memcpy(want_mem + at, &w.s[DEST], (size_t)inside);
        }
        const char *d = run_snippet(b, c->snippet, &w, mem) ? wave_diff(&w, &want, mem, want_mem) : run_error();
        if (d) {
            fail(t, c->name, "%s (records %d): %s", batch_text(b, c->snippet), records, d);
            return;
        }
    }
}

static void add_change(struct batch *b, struct change *c, bool compares)
{
    char data[24], offset[40];
    const int words = compares ? 2 * c->words : c->words;
    sprintf(data, words == 1 ? "s%d" : "s[%d:%d]", DEST, DEST + words - 1);
    if (c->reg)
        sprintf(offset, c->offset ? "s%d offset:0x%x" : "s%d", SOFF, c->offset);
    else
        sprintf(offset, "0x%x", c->offset);
    c->snippet = batch_add(b, "%s %s, s[%d:%d], %s%s\ns_dcache_wb\ns_waitcnt lgkmcnt(0)", c->name, data, BASE,
                           BASE + (c->buffer ? 3 : 1), offset, c->returns ? " glc" : "");
    covered_add(b->target, c->name);
}

static void run_changes(enum target t)
{
    enum { N = sizeof atomics / sizeof *atomics };
    static struct change list[3 * 2 * 3 + N * 2 * 2 * 4];
    int n = 0;
    struct batch b;

    batch_begin(&b, t);
    for (int buffer = 0; buffer < 2; buffer++) {
        const char *head = buffer ? "s_buffer" : "s";
        for (int k = 0; k < 3; k++)
            for (int form = 0; form < 3; form++) { /* immediate, register, both */
                struct change *c = &list[n++];
                *c = (struct change){ .words = 1 << k, .buffer = buffer, .reg = form, .offset = form == 1 ? 0 : 16 * (k + 1) };
                sprintf(c->name, k ? "%s_store_dwordx%d" : "%s_store_dword", head, 1 << k);
                add_change(&b, c, false);
            }
        for (int i = 0; i < N; i++)
            for (int wide = 0; wide < 2; wide++)
                for (int form = 0; form < 4; form++) {
                    struct change *c = &list[n++];
                    *c = (struct change){ .fn = atomics[i].fn[wide], .words = 1 + wide, .buffer = buffer, .reg = form & 1,
                                          .returns = form & 2, .offset = form == 1 ? 0 : 16 };
                    sprintf(c->name, "%s_atomic_%s%s", head, atomics[i].name, wide ? "_x2" : "");
                    add_change(&b, c, c->fn == at_cmpswap);
                }
    }
    if (!batch_assemble(&b))
        fail(t, "(assembler)", "a scalar store or atomic is refused");
    else
        for (int i = 0; i < n; i++)
            run_change(&b, &list[i]);
    batch_end(&b);
}

void run_smem(enum target t);
void run_smem(enum target t)
{
    static struct wave_state w, want;
    struct scase list[sizeof loads / sizeof *loads * 8];
    int n = 0, snippet[sizeof quiet / sizeof *quiet];
    struct batch b;
    bool gfx9 = t <= T_950;

    if (gfx9)
        run_changes(t);
    batch_begin(&b, t);
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        if (!(loads[i].targets >> t & 1))
            continue;
        covered_add(t, loads[i].name);
        rand_seed(loads[i].name);
        for (int form = 0; form < 3; form++)
            for (int k = 0; k < 2; k++) {
                struct scase c = { .load = (int)i, .form = form };
                char dest[24], base[16], tail[40] = "";
                c.offset = (int)(rand_below(4000) & ~3u) +
                           (k && !loads[i].buffer && form == 0 ? -4000 : 0);
                if (form == 1 && k && (t != T_1250 || loads[i].buffer))
                    continue;
                c.scaled = form == 1 && k;
                if (loads[i].words == 1)
                    sprintf(dest, "s%d", DEST);
                else
                    sprintf(dest, "s[%d:%d]", DEST, DEST + loads[i].words - 1);
                sprintf(base, "s[%d:%d]", BASE, BASE + (loads[i].buffer ? 3 : 1));
                if (form == 2)
                    sprintf(tail, " offset:0x%x", c.offset);
                if (c.scaled)
                    strcat(tail, " scale_offset");
                const char *wait = t >= T_1201 ? "s_wait_kmcnt 0" : "s_waitcnt lgkmcnt(0)";
                if (form == 0)
                    c.snippet = batch_add(&b, "%s %s, %s, %s0x%x\n%s", loads[i].name, dest, base,
                                          c.offset < 0 ? "-" : "",
                                          c.offset < 0 ? -c.offset : c.offset, wait);
                else
                    c.snippet = batch_add(&b, "%s %s, %s, s%d%s\n%s", loads[i].name, dest, base,
                                          SOFF, tail, wait);
                list[n++] = c;
            }
    }
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++) {
        snippet[i] = -1;
        if (quiet[i].targets >> t & 1) {
            char name[32];
            sscanf(quiet[i].text, "%31s", name);
            covered_add(t, name);
            snippet[i] = batch_add(&b, "%s", quiet[i].text);
        }
    }
    int time =
        gfx9 ? batch_add(&b, "s_memtime s[20:21]\ns_memrealtime s[22:23]\ns_waitcnt lgkmcnt(0)")
             : -1;
    if (gfx9) {
        covered_add(t, "s_memtime");
        covered_add(t, "s_memrealtime");
        covered_add(t, "s_endpgm");
    }
    if (!batch_assemble(&b)) {
        fail(t, "(assembler)", "a scalar memory form is refused");
        batch_end(&b);
        return;
    }
    for (int i = 0; i < n; i++)
        run_load(&b, &list[i]);
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++) {
        if (snippet[i] < 0)
            continue;
        rand_seed(quiet[i].text);
        wave_randomise(&w, t);
        want = w;
        if (!run_snippet(&b, snippet[i], &w, NULL))
            fail(t, quiet[i].text, "%s", run_error());
        else if (wave_diff(&w, &want, NULL, NULL))
            fail(t, quiet[i].text, "%s", wave_diff(&w, &want, NULL, NULL));
    }
    if (time >= 0) {
        wave_randomise(&w, t);
        want = w;
        if (!run_snippet(&b, time, &w, NULL))
            fail(t, "s_memtime", "%s", run_error());
        memcpy(&want.s[20], &w.s[20], 16); /* any time */
        if (wave_diff(&w, &want, NULL, NULL))
            fail(t, "s_memtime", "%s", wave_diff(&w, &want, NULL, NULL));
    }
    batch_end(&b);
}
