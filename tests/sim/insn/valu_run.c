/* SPDX-License-Identifier: MIT */
/*
 * Runs the forms of the vector ALU tables on waves of special and random values, with EXEC masks of
 * all kinds, and compares the whole state. The rules for modifiers, DPP, SDWA, clamp and output
 * modifier follow the chapters "Vector ALU operations" and "Instruction modifiers" of the CDNA and
 * RDNA ISA guides.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "valu_case.h"

/* Source `i` of a lane with everything applied. */
static void fetch(const struct vcase *c, const struct wave_state *w, struct lane *l, int i)
{
    const struct operand *o = &c->s[i];
    enum vtype t = c->row->s[i];
    int words = type_words(t), lane = l->lane;
    uint32_t *x = l->w[i];

    memset(x, 0, sizeof l->w[i]);
    if (c->lanes == LANES_DPP && i == 0)
        lane = dpp_source(l->target, c->ctrl, lane);
    bool absent = lane < 0 || (c->lanes == LANES_DPP && i == 0 && !c->fi &&
                                !(w->exec >> lane & 1));
    if (o->kind == OP_V) {
        for (int k = 0; k < words && !absent; k++)
            x[k] = w->v[o->reg + k][lane];
    } else if (o->kind == OP_S) {
        for (int k = 0; k < words; k++)
            x[k] = w->s[o->reg + k];
    } else {
        x[0] = (uint32_t)o->value;
        x[1] = words > 1 ? (uint32_t)(o->value >> 32) : 0;
    }
    if (c->lanes == LANES_SDWA && o->sel < 6) {
        int bits = o->sel < 4 ? 8 : 16, at = o->sel < 4 ? o->sel * 8 : (o->sel - 4) * 16;
        x[0] = x[0] >> at & ((1u << bits) - 1);
        if (o->sext && x[0] >> (bits - 1))
            x[0] |= ~0u << bits;
    }
    uint64_t v = x[0] | (uint64_t)x[1] << 32;
    if (is_packed(t)) {
        int n = words * 16;
        uint64_t m = words == 1 ? 0xffff : 0xffffffff, top = 1ull << (n - 1);
        uint64_t lo = v >> (o->opsel ? n : 0) & m, hi = v >> (o->opsel_hi ? n : 0) & m;
        if (t == V_PF16 || t == V_PF32 || t == V_PBF16) {
            lo ^= o->neg ? top : 0;
            hi ^= o->neg_hi ? top : 0;
        }
        v = lo | hi << n;
    } else if (is_mix(t)) {
        bool neg = o->neg, abs = o->neg_hi; /* neg_hi holds abs */
        if (o->opsel_hi) {
            uint64_t h = v >> (o->opsel ? 16 : 0) & 0xffff;
            h = abs ? h & 0x7fff : h;
            h ^= neg ? 0x8000 : 0;
            struct ref_num n = t == V_MIXB ? lane_bf16(l, h) : lane_f16(l, h);
            v = t == V_MIXB ? h << 16 & (n.cls == REF_FINITE && !n.man ? 0x80000000 : ~0u)
                : n.cls == REF_NAN ? (h & 0x8000) << 16 | 0x7f800000 | (h & 0x3ff) << 13
                                 : ref_pack(REF_F32, n, REF_RNE, false);
        } else {
            v = abs ? v & 0x7fffffff : v;
            v ^= neg ? 0x80000000 : 0;
        }
    } else {
        if (is_half(t)) {
            if (o->opsel)
                v >>= 16;
            v &= 0xffff;
        }
        const struct ref_format *f = type_format(t);
        if (f && (o->neg || o->abs)) {
            uint64_t top = 1ull << (f->exp_bits + f->man_bits);
            v = o->abs ? v & ~top : v;
            v ^= o->neg ? top : 0;
        }
    }
    l->s[i] = v;
    x[0] = (uint32_t)v;
    if (words > 1)
        x[1] = (uint32_t)(v >> 32);
}

static uint64_t omod_clamp_one(const struct vcase *c, const struct lane *l, struct ref_format f,
                               uint64_t v)
{
    bool is32 = f.man_bits == 23;
    bool denorm = c->mode & (is32 ? 0x20 : 0x80);
    enum ref_round rnd = is32 ? round32(l) : round16(l);
    struct ref_num x = ref_unpack(f, v);
    if (c->omod && (l->target >= T_1201 || (!(c->mode & MODE_IEEE) && !denorm))) {
        v = ref_pack(f, ref_scale(x, c->omod == 1 ? 1 : c->omod == 2 ? 2 : -1), rnd, true);
        if (v == 1ull << (f.exp_bits + f.man_bits))
            v = 0; /* "-0 is flushed to +0" */
    }
    if (c->clamp) {
        x = ref_unpack(f, v);
        struct ref_num one = ref_from_int(1), zero = ref_from_int(0);
        if (x.cls == REF_NAN)
            return c->mode & MODE_DX10 || l->target >= T_1201 ? 0 : v;
        if (ref_cmp(x, zero) < 0 || ref_cmp(x, zero) == 0)
            return 0; /* "-0 is clamped to +0" */
        if (ref_cmp(x, one) > 0)
            return ref_pack(f, one, REF_RNE, false);
    }
    return v;
}

static uint64_t omod_clamp(const struct vcase *c, const struct lane *l, uint64_t v)
{
    const struct ref_format *f = type_format(c->row->d);
    if (!f || (!c->omod && !c->clamp))
        return v;
    if (c->row->d == V_PF16 || c->row->d == V_PBF16)
        return omod_clamp_one(c, l, *f, v & 0xffff) | omod_clamp_one(c, l, *f, v >> 16 & 0xffff)
                                                          << 16;
    if (c->row->d == V_PF32)
        return omod_clamp_one(c, l, *f, v & 0xffffffff) | omod_clamp_one(c, l, *f, v >> 32) << 32;
    return omod_clamp_one(c, l, *f, v);
}

/* gfx10 and later always leave the other half alone. */
static bool keeps_half(const struct vcase *c)
{
    return c->rdna || (c->row->flags & VF_KEEP_HI && c->lanes != LANES_SDWA);
}

/* Puts a result into the destination's old bits. */
static uint64_t place(const struct vcase *c, uint64_t old, uint64_t v)
{
    const struct valu_row *r = c->row;
    if (c->lanes == LANES_SDWA && c->dst_sel < 6) {
        int bits = c->dst_sel < 4 ? 8 : 16,
            at = c->dst_sel < 4 ? c->dst_sel * 8 : (c->dst_sel - 4) * 16;
        uint32_t m = (uint32_t)((1u << bits) - 1), x = (uint32_t)v & m;
        uint32_t rest = c->dst_unused == 2 ? (uint32_t)old & ~(m << at)
                        : c->dst_unused == 1 && x >> (bits - 1) && at + bits < 32
                            ? ~0u << (at + bits)
                            : 0;
        return rest | x << at;
    }
    if (r->flags & VF_BYTE_DST) {
        int at = (c->s[2].opsel + 2 * c->opsel_d) * 8;
        return (old & ~(0xffull << at)) | (v & 0xff) << at;
    }
    if (r->flags & VF_PK_CVT)
        return c->opsel_d ? (old & 0xffff) | (v & 0xffff) << 16 : (old & 0xffff0000) | (v & 0xffff);
    if (is_half(r->d)) {
        if (c->opsel_d)
            return (old & 0xffff) | (v & 0xffff) << 16;
        return (v & 0xffff) |
               (keeps_half(c) ? old & 0xffff0000 : 0);
    }
    return type_words(r->d) == 1 ? v & 0xffffffff : v;
}

/* A NaN that `got` may be: quiet, and the payload of a source NaN if there was one of the same
 * format. */
static bool nan_fits(const struct vcase *c, const struct lane *l, struct ref_format f, uint64_t got)
{
    struct ref_num g = ref_unpack(f, got);
    uint64_t quiet = 1ull << (f.man_bits - 1), pay = got & ((1ull << f.man_bits) - 1);
    bool any = false;
    if (g.cls != REF_NAN || !(pay & quiet))
        return false;
    if (c->row->flags & VF_NAN_ANY)
        return true;
    for (int i = 0; i <= c->nsrc; i++) {
        if (i == c->nsrc && !(c->row->flags & VF_ACC))
            break;
        enum vtype t = i < c->nsrc ? c->row->s[i] : c->row->d;
        const struct ref_format *sf = is_mix(t) ? &REF_F32 : type_format(t);
        if (!sf || sf->man_bits != f.man_bits)
            return true; /* converted: the documents do not say */
        uint64_t src = i < c->nsrc ? l->s[i] : l->old;
        int n = t == V_PF16 || t == V_PBF16 || t == V_PF32 ? 2 : 1;
        for (int k = 0; k < n; k++) {
            uint64_t bits = src >> (k * (f.man_bits + f.exp_bits + 1));
            bits &= f.man_bits == 52 ? ~0ull : (1ull << (f.man_bits + f.exp_bits + 1)) - 1;
            if (ref_unpack(f, bits).cls == REF_NAN) {
                any = true;
                if (((bits & ((1ull << f.man_bits) - 1)) | quiet) == pay)
                    return true;
            }
        }
    }
    return !any && pay == quiet;
}

static bool value_fits(const struct vcase *c, const struct lane *l, uint64_t want, uint64_t got)
{
    const struct ref_format *f = type_format(c->row->d);
    if (want == got)
        return true;
    if (!f)
        return false;
    int bits = f->man_bits + f->exp_bits + 1;
    int n = c->row->d == V_PF16 || c->row->d == V_PBF16 || c->row->d == V_PF32 ? 2 : 1;
    uint64_t m = bits == 64 ? ~0ull : (1ull << bits) - 1;
    for (int k = 0; k < n; k++) {
        uint64_t x = want >> (k * bits % 64) & m, y = got >> (k * bits % 64) & m;
        if (x == y)
            continue;
        if (ref_unpack(*f, x).cls == REF_NAN) {
            if (nan_fits(c, l, *f, y))
                continue;
            return false;
        }
        if (c->clamp && ref_ulps(*f, x, y) == 0) /* the sign of a clamped zero */
            continue;
        if (c->row->tol && ref_ulps(*f, x, y) <= c->row->tol)
            continue;
        return false;
    }
    return true;
}

static bool result_fits(const struct vcase *c, const struct lane *l, uint64_t old, uint64_t got)
{
    for (int k = -1; k < l->nalt; k++) {
        uint64_t v = omod_clamp(c, l, k < 0 ? l->d : l->alt[k]);
        uint64_t full = place(c, old, v);
        if (full == got)
            return true;
        if (c->row->flags & VF_HI_ANY && c->lanes != LANES_SDWA && is_half(c->row->d) &&
            ((full ^ got) & 0xffff) == 0 && (got >> 16 == 0 || got >> 16 == (old >> 16 & 0xffff)))
            return true;
        uint64_t part = got;
        if (is_half(c->row->d))
            part = c->opsel_d || (c->lanes == LANES_SDWA && c->dst_sel == 5) ? got >> 16 & 0xffff
                                                                             : got & 0xffff;
        if (c->lanes == LANES_SDWA && c->dst_sel < 6 && !(is_half(c->row->d) && c->dst_sel >= 4)) {
            const struct ref_format *f = type_format(c->row->d);
            if (f && (c->row->tol || ref_unpack(*f, v).cls == REF_NAN))
                return true; /* a piece of a value that is not fixed to the bit */
            continue;
        }
        if (value_fits(c, l, v, part)) {
            uint64_t again = place(c, old, part);
            if (again == got)
                return true;
            if (c->row->flags & VF_HI_ANY && ((again ^ got) & 0xffff) == 0 &&
                (got >> 16 == 0 || got >> 16 == (old >> 16 & 0xffff)))
                return true;
        }
    }
    return false;
}

static uint64_t draw_exec(int lanes, int wave)
{
    uint64_t full = lanes == 64 ? ~0ull : (1ull << lanes) - 1;
    switch (wave % 6) {
    case 0:
    case 2: return full;
    case 1:
    case 3: return rand64() & full;
    case 4:
        return rand_below(4) ? rand64() & rand64() & rand64() & full
                             : 1ull << rand_below((uint32_t)lanes);
    default: return rand_below(8) ? full & ~(1ull << rand_below((uint32_t)lanes)) : 0;
    }
}

/* Values of the sources: the cross product of the specials where asked, then draws. */
static void fill_sources(const struct vcase *c, struct wave_state *w, int wave, int lanes)
{
    const struct valu_row *r = c->row;
    for (int lane = 0; lane < lanes; lane++) {
        unsigned index = (unsigned)(wave * lanes + lane), n0 = 0, n1 = 0, n;
        uint64_t prev = 0;
        special(r->s[0], 0, &n0);
        if (c->nsrc > 1)
            special(r->s[1], 0, &n1);
        for (int i = 0; i < c->nsrc; i++) {
            uint64_t v = draw(r->s[i]);
            if (c->cross && c->nsrc == 1 && index < n0)
                v = special(r->s[0], index, &n);
            else if (c->cross && c->nsrc == 2 && n0 && n1 && index < n0 * n1)
                v = special(r->s[i], i ? index / n0 : index % n0, &n);
            else if (i && type_words(r->s[i]) == type_words(r->s[i - 1]) && rand_below(8) == 0)
                v = rand_below(2) ? prev : prev + rand_below(3) - 1;
            prev = v;
            if (c->s[i].kind != OP_V && !(c->s[i].kind == OP_S && lane == 0))
                continue;
            int words = type_words(r->s[i]);
            if (is_half(r->s[i]) && c->s[i].kind == OP_V)
                v = (v & 0xffff) << (c->s[i].opsel || c->s[i].sel == 5 ? 16 : 0) |
                    (draw(r->s[i]) & 0xffff) << (c->s[i].opsel || c->s[i].sel == 5 ? 0 : 16);
            for (int k = 0; k < words; k++) {
                uint32_t x = k < 2 ? (uint32_t)(v >> 32 * k) : (uint32_t)rand64();
                if (words > 2) /* lists of small floats in wide operands: any halves */
                    x = rand_below(2) ? (uint32_t)draw(V_F32) : (uint32_t)draw(V_PF16);
                if (c->s[i].kind == OP_V)
                    w->v[c->s[i].reg + k][lane] = x;
                else
                    w->s[c->s[i].reg + k] = x;
            }
        }
    }
}

static const char *operands_text(const struct vcase *c, const struct lane *l)
{
    static char out[160];
    int n = 0;
    for (int i = 0; i < c->nsrc; i++)
        n += snprintf(out + n, sizeof out - (size_t)n, " %s%0*llx", i ? "," : "",
                      8 * (type_words(c->row->s[i]) > 1 ? 2 : 1), (unsigned long long)l->s[i]);
    return out;
}

static bool same_but(const struct wave_state *a, const struct wave_state *b, int from, int to)
{
    for (int r = 0; r < WAVE_V; r++)
        if ((r < from || r >= to) && memcmp(a->v[r], b->v[r], sizeof a->v[r]))
            return false;
    return true;
}

static void run_case(const struct batch *b, const struct vcase *c, struct wave_state *base)
{
    static struct wave_state in, out;
    const struct valu_row *r = c->row;
    int lanes = target_lanes(b->target), dwords = r->form == VOPC ? 0 : type_words(r->d);
    uint64_t full = lanes == 64 ? ~0ull : (1ull << lanes) - 1;
    char text[512];

    snprintf(text, sizeof text, "%s", batch_text(b, c->snippet));
    rand_seed(text);
    for (int wave = 0; wave < c->waves; wave++) {
        in = *base;
        in.exec = draw_exec(lanes, wave);
        in.vcc = rand64() & full;
        in.scc = rand_below(2);
        in.mode = c->mode;
        for (int i = 0; i < 4; i++)
            in.s[SD_REG + i] = (uint32_t)rand64();
        fill_sources(c, &in, wave, lanes);
        if (c->dreg == D_REG || c->dreg == D_WIDE)
            for (int i = 0; i < lanes; i++) {
                uint64_t v = draw(r->d);
                for (int k = 0; k < dwords; k++)
                    in.v[c->dreg + k][i] = k < 2 ? (uint32_t)(v >> 32 * k) : (uint32_t)rand64();
            }
        out = in;
        if (!run_snippet(b, c->snippet, &out, NULL)) {
            fail(b->target, r->name, "%s: %s", text, run_error());
            return;
        }
        uint64_t carry = c->e64 ? in.s[CARRY_REG] | (uint64_t)in.s[CARRY_REG + 1] << 32 : in.vcc;
        if (r->form == VOP3 && !(r->flags & VF_MASK))
            carry = in.vcc;
        uint64_t mask = 0, mask_any = 0;
        for (int i = 0; i < lanes; i++) {
            uint32_t words[32] = { 0 };
            struct lane l = { .row = r,
                              .target = b->target,
                              .mode = c->mode,
                              .lane = i,
                              .clamp = c->clamp,
                              .got = words,
                              .imm = c->imm,
                              .mask_in = carry >> i & 1 };
            uint64_t old = 0, got = 0;
            bool active = in.exec >> i & 1, written = active;
            for (int k = 0; k < dwords; k++) {
                l.dw[k] = in.v[c->dreg + k][i];
                words[k] = out.v[c->dreg + k][i];
                if (k < 2) {
                    old |= (uint64_t)in.v[c->dreg + k][i] << 32 * k;
                    got |= (uint64_t)out.v[c->dreg + k][i] << 32 * k;
                }
            }
            if (active && c->lanes == LANES_DPP) {
                int src = dpp_source(b->target, c->ctrl, i);
                bool enabled = c->row_mask >> (i >> 4 & 3) & 1 && c->bank_mask >> (i >> 2 & 3) & 1;
                bool valid = src >= 0 && (c->fi || in.exec >> src & 1);
                written = enabled && (valid || c->bound_ctrl);
            }
            if (!written) {
                if (r->form == VOPC) {
                    if (c->lanes == LANES_DPP && active)
                        mask_any |= 1ull << i;
                    continue;
                }
                if (r->flags & VF_CARRY_OUT)
                    mask_any |= 1ull << i;
                for (int k = 0; k < dwords; k++)
                    if (out.v[c->dreg + k][i] != in.v[c->dreg + k][i]) {
                        fail(b->target, r->name,
                             "%s: lane %d is off (exec %016llx) and was written: %08x, was %08x",
                             text, i, (unsigned long long)in.exec, out.v[c->dreg + k][i],
                             in.v[c->dreg + k][i]);
                        return;
                    }
                continue;
            }
            for (int k = 0; k < c->nsrc; k++)
                fetch(c, &in, &l, k);
            for (int k = 0; k < 3; k++)
                l.opsel |= (unsigned)c->s[k].opsel << k;
            l.opsel |= (unsigned)c->opsel_d << 3;
            l.d = l.old = old;
            if (is_half(r->d) && r->flags & VF_ACC && c->opsel_d)
                l.d = old >> 16;
            r->ref(&l);
            if (l.skip) {
                mask_any |= 1ull << i;
                continue;
            }
            mask |= (uint64_t)l.mask_out << i;
            if (r->form == VOPC)
                continue;
            bool ok;
            if (r->flags & VF_SELF) {
                ok = l.ok;
            } else if (dwords > 2) {
                ok = true;
                for (int k = 0; k < dwords; k++)
                    ok &= out.v[c->dreg + k][i] == l.dw[k];
                got = out.v[c->dreg][i];
            } else {
                ok = result_fits(c, &l, old, got);
            }
            if (!ok) {
                fail(b->target, r->name,
                     "%s: lane %d:%s old %0*llx: got %0*llx, want %0*llx (mode %x, mask %d)", text,
                     i, operands_text(c, &l), dwords > 1 ? 16 : 8, (unsigned long long)old,
                     dwords > 1 ? 16 : 8, (unsigned long long)got, dwords > 1 ? 16 : 8,
                     (unsigned long long)(dwords > 2 ? l.dw[0]
                                                     : place(c, old, omod_clamp(c, &l, l.d))),
                     c->mode, l.mask_in);
                return;
            }
        }
        uint64_t want_vcc = in.vcc, want_exec = in.exec,
                 sd = in.s[SD_REG] | (uint64_t)in.s[SD_REG + 1] << 32;
        uint64_t got_sd = out.s[SD_REG] | (uint64_t)out.s[SD_REG + 1] << 32, got_mask = mask;
        if (r->form == VOPC || r->flags & VF_CARRY_OUT) {
            bool to_s = c->e64 || (c->lanes == LANES_SDWA && !c->vcc_dst && r->form == VOPC);
            bool to_exec = r->flags & VF_CMPX && target_lanes(b->target) == 32;
            got_mask = to_exec ? out.exec : to_s ? got_sd : out.vcc;
            if (to_s && !to_exec)
                sd = got_sd;
            else if (!to_exec)
                want_vcc = out.vcc;
            if (r->flags & VF_CMPX)
                want_exec = mask;
        }
        if ((got_mask ^ mask) & ~mask_any & full) {
            int i = __builtin_ctzll((got_mask ^ mask) & ~mask_any & full);
            struct lane l = { .row = r, .target = b->target, .mode = c->mode, .lane = i };
            for (int k = 0; k < c->nsrc; k++)
                fetch(c, &in, &l, k);
            fail(b->target, r->name,
                 "%s: mask %016llx, want %016llx; lane %d:%s mask in %d exec %d", text,
                 (unsigned long long)got_mask, (unsigned long long)mask, i, operands_text(c, &l),
                 (int)(carry >> i & 1), (int)(in.exec >> i & 1));
            return;
        }
        if (out.exec != want_exec &&
            !(r->flags & VF_CMPX && ((out.exec ^ want_exec) & ~mask_any) == 0)) {
            fail(b->target, r->name, "%s: exec %016llx, want %016llx", text,
                 (unsigned long long)out.exec, (unsigned long long)want_exec);
            return;
        }
        bool sgprs = true;
        for (int i = 0; i < WAVE_S; i++)
            sgprs &= out.s[i] == in.s[i] || ((i == SD_REG || i == SD_REG + 1) && sd == got_sd);
        if (out.vcc != want_vcc || !sgprs || out.scc != in.scc || out.m0 != in.m0 ||
            out.mode != in.mode || !same_but(&in, &out, c->dreg, c->dreg + dwords)) {
            fail(b->target, r->name,
                 "%s: wrote something else (vcc %016llx was %016llx, scc %u was %u)", text,
                 (unsigned long long)out.vcc, (unsigned long long)in.vcc, out.scc, in.scc);
            return;
        }
    }
}

void valu_run(enum target t, const struct valu_row *rows, size_t count)
{
    static struct wave_state base;
    struct vcases all = { NULL, 0 };
    struct batch b;

    batch_begin(&b, t);
    for (size_t i = 0; i < count; i++)
        if (rows[i].targets >> t & 1) {
            covered_add(t, rows[i].name);
            rand_seed(rows[i].name);
            valu_forms(&b, &rows[i], &all);
        }
    rand_seed("base");
    for (int r = 0; r < WAVE_V; r++)
        for (int i = 0; i < 64; i++)
            base.v[r][i] = (uint32_t)rand64();
    for (int r = 0; r < WAVE_A; r++)
        for (int i = 0; i < 64; i++)
            base.a[r][i] = (uint32_t)rand64();
    for (int i = 0; i < WAVE_S; i++)
        base.s[i] = (uint32_t)rand64();
    if (!batch_assemble(&b))
        fail(t, "(assembler)", "a form of the tables is refused");
    else
        for (int i = 0; i < all.count; i++)
            run_case(&b, &all.list[i], &base);
    free(all.list);
    batch_end(&b);
}
