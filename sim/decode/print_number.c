/* SPDX-License-Identifier: MIT */
/* Text of plain numbers whose parts have names: counters, hardware registers, messages, formats;
 * see text.h. */
#include "decode/text.h"

static void hwreg(struct sim_text *t, unsigned v)
{
    static const struct { const char *name; uint8_t id, first, last; } names[] = {
        /* first and last: targets 0 gfx90a, 1 gfx942 and gfx950, 2 gfx11, 3 gfx12, 4 gfx1250 */
        {"MODE", 1, 0, 2}, {"WAVE_MODE", 1, 3, 4}, {"STATUS", 2, 0, 2}, {"WAVE_STATUS", 2, 3, 4},
        {"TRAPSTS", 3, 0, 2}, {"HW_ID", 4, 0, 1}, {"WAVE_STATE_PRIV", 4, 3, 4},
        {"GPR_ALLOC", 5, 0, 2}, {"WAVE_GPR_ALLOC", 5, 3, 4}, {"LDS_ALLOC", 6, 0, 2},
        {"WAVE_LDS_ALLOC", 6, 3, 4}, {"IB_STS", 7, 0, 4}, {"PERF_SNAPSHOT_DATA", 10, 3, 4},
        {"PERF_SNAPSHOT_PC_LO", 11, 3, 4}, {"PERF_SNAPSHOT_PC_HI", 12, 3, 4},
        {"SH_MEM_BASES", 15, 0, 2}, {"PERF_SNAPSHOT_DATA1", 15, 3, 4}, {"TBA_LO", 16, 0, 1},
        {"PERF_SNAPSHOT_DATA2", 16, 3, 4}, {"TBA_HI", 17, 0, 1}, {"WAVE_EXCP_FLAG_PRIV", 17, 3, 4},
        {"TMA_LO", 18, 0, 1}, {"PERF_SNAPSHOT_PC_LO", 18, 2, 2}, {"WAVE_EXCP_FLAG_USER", 18, 3, 4},
        {"TMA_HI", 19, 0, 1}, {"PERF_SNAPSHOT_PC_HI", 19, 2, 2}, {"WAVE_TRAP_CTRL", 19, 3, 4},
        {"XCC_ID", 20, 1, 1}, {"FLAT_SCR_LO", 20, 2, 2}, {"WAVE_SCRATCH_BASE_LO", 20, 3, 4},
        {"SQ_PERF_SNAPSHOT_DATA", 21, 1, 1}, {"FLAT_SCR_HI", 21, 2, 2},
        {"WAVE_SCRATCH_BASE_HI", 21, 3, 4}, {"SQ_PERF_SNAPSHOT_DATA1", 22, 1, 1},
        {"SQ_PERF_SNAPSHOT_PC_LO", 23, 1, 1}, {"HW_ID1", 23, 2, 2}, {"WAVE_HW_ID1", 23, 3, 4},
        {"SQ_PERF_SNAPSHOT_PC_HI", 24, 1, 1}, {"HW_ID2", 24, 2, 2}, {"WAVE_HW_ID2", 24, 3, 4},
        {"WAVE_SCHED_MODE", 26, 3, 4}, {"PERF_SNAPSHOT_DATA", 27, 2, 2}, {"IB_STS2", 28, 4, 4},
        {"SHADER_CYCLES", 29, 2, 2}, {"SHADER_CYCLES_LO", 29, 3, 4}, {"SHADER_CYCLES_HI", 30, 3, 4},
        {"WAVE_DVGPR_ALLOC_LO", 31, 3, 4}, {"WAVE_DVGPR_ALLOC_HI", 32, 3, 4},
        {"XNACK_STATE_PRIV", 33, 4, 4}, {"XNACK_MASK", 34, 4, 4},
    };
    unsigned id = v & 63, offset = v >> 6 & 31, size = (v >> 11) + 1;
    unsigned at = t->f->isa + (t->f->isa != SIM_ISA_GFX9 || t->f->flags & SIM_TEXT_SC);
    const char *name = NULL;

    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (names[k].id == id && at >= names[k].first && at <= names[k].last)
            name = names[k].name;
    if (name)
        sim_put(t, "hwreg(HW_REG_%s", name);
    else
        sim_put(t, "hwreg(%u", id);
    if (offset || size != 32)
        sim_put(t, ", %u, %u", offset, size);
    sim_put(t, ")");
}

/* s_waitcnt: counters at their maximum are left out, unless all are; LLVM, "Wait state
 * counters". */
void sim_text_waitcnt(struct sim_text *t, unsigned v)
{
    bool gfx9 = t->f->isa == SIM_ISA_GFX9;
    unsigned vm = gfx9 ? (v & 15) | (v >> 14 & 3) << 4 : v >> 10 & 63;
    unsigned exp = gfx9 ? v >> 4 & 7 : v & 7;
    unsigned lgkm = gfx9 ? v >> 8 & 15 : v >> 4 & 63;
    unsigned lgkm_max = gfx9 ? 15 : 63;
    bool all = vm == 63 && exp == 7 && lgkm == lgkm_max;
    const char *sep = " ";

    if (vm != 63 || all) {
        sim_put(t, "%svmcnt(%u)", sep, vm);
    }
    if (exp != 7 || all)
        sim_put(t, "%sexpcnt(%u)", sep, exp);
    if (lgkm != lgkm_max || all)
        sim_put(t, "%slgkmcnt(%u)", sep, lgkm);
}

void sim_text_delay_alu(struct sim_text *t, unsigned v)
{
    static const char *const ids[] = {"",
                                      "VALU_DEP_1",
                                      "VALU_DEP_2",
                                      "VALU_DEP_3",
                                      "VALU_DEP_4",
                                      "TRANS32_DEP_1",
                                      "TRANS32_DEP_2",
                                      "TRANS32_DEP_3",
                                      "FMA_ACCUM_CYCLE_1",
                                      "SALU_CYCLE_1",
                                      "SALU_CYCLE_2",
                                      "SALU_CYCLE_3"};
    static const char *const skips[] = {"", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"};
    unsigned id0 = v & 15, skip = v >> 4 & 7, id1 = v >> 7 & 15;
    const char *sep = " ";

    if (id0) {
        sim_put(t, " instid0(%s)", id0 < 12 ? ids[id0] : "/* invalid instid value */");
        sep = " | ";
    }
    if (skip) {
        sim_put(t, "%sinstskip(%s)", sep, skip < 6 ? skips[skip] : "/* invalid instskip value */");
        sep = " | ";
    }
    if (id1)
        sim_put(t, "%sinstid1(%s)", sep, id1 < 12 ? ids[id1] : "/* invalid instid value */");
    if (!id0 && !skip && !id1)
        sim_put(t, " 0");
}

/* s_waitcnt_depctr and s_wait_alu: named fields when the rest of the bits is as an assembler sets
 * it; fields at their default are left out unless all are. */
void sim_text_depctr(struct sim_text *t, unsigned v)
{
    static const struct { const char *name; uint8_t lo, bits, value; } fields[] = {
        {"hold_cnt", 7, 1, 1}, {"sa_sdst", 0, 1, 1}, {"va_vdst", 12, 4, 15}, {"va_sdst", 9, 3, 7},
        {"va_ssrc", 8, 1, 1}, {"va_vcc", 1, 1, 1}, {"vm_vsrc", 2, 3, 7}};
    unsigned used = 0;
    bool defaults = true;

    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
        unsigned m = (1u << fields[k].bits) - 1;

        used |= m << fields[k].lo;
        defaults &= (v >> fields[k].lo & m) == fields[k].value;
    }
    if (v & ~used & 0xffff) {
        sim_put(t, " 0x%x", v);
        return;
    }
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
        unsigned x = v >> fields[k].lo & ((1u << fields[k].bits) - 1);

        if (x != fields[k].value || defaults)
            sim_put(t, " depctr_%s(%u)", fields[k].name, x);
    }
}

void sim_text_sendmsg(struct sim_text *t, unsigned v)
{
    static const struct {
        const char *name;
        uint8_t id;
        bool gfx9, gfx11, gfx12, gfx1250;
    } names[] = {
        {"MSG_INTERRUPT", 1, true, true, true, true},
        {"MSG_HS_TESSFACTOR", 2, false, true, true, true},
        {"MSG_DEALLOC_VGPRS", 3, false, true, true, true},
        {"MSG_SAVEWAVE", 4, true, false, false, false},
        {"MSG_STALL_WAVE_GEN", 5, true, true, false, false},
        {"MSG_HALT_WAVES", 6, true, true, false, false},
        {"MSG_ORDERED_PS_DONE", 7, true, false, false, false},
        {"MSG_EARLY_PRIM_DEALLOC", 8, true, false, false, false},
        {"MSG_GS_ALLOC_REQ", 9, true, true, true, true},
        {"MSG_GET_DOORBELL", 10, true, false, false, false},
        {"MSG_SAVEWAVE_HAS_TDM", 10, false, false, false, true},
        {"MSG_RTN_GET_DOORBELL", 128, false, true, true, true},
        {"MSG_RTN_GET_DDID", 129, false, true, true, true},
        {"MSG_RTN_GET_TMA", 130, false, true, true, true},
        {"MSG_RTN_GET_REALTIME", 131, false, true, true, true},
        {"MSG_RTN_SAVE_WAVE", 132, false, true, true, true},
        {"MSG_RTN_GET_TBA", 133, false, true, true, true},
        {"MSG_RTN_GET_TBA_TO_PC", 134, false, true, true, true},
        {"MSG_RTN_GET_SE_AID_ID", 135, false, false, true, true},
        {"MSG_RTN_GET_CLUSTER_BARRIER_STATE", 136, false, false, false, true},
    };
    static const char *const gs[] = {"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"};
    bool gfx9 = t->f->isa == SIM_ISA_GFX9;
    unsigned id = gfx9 ? v & 15 : v & 255, op = gfx9 ? v >> 4 & 7 : 0,
             stream = gfx9 ? v >> 8 & 3 : 0;

    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        bool has = t->f->isa == SIM_ISA_GFX9    ? names[k].gfx9
                   : t->f->isa == SIM_ISA_GFX11 ? names[k].gfx11
                   : t->f->isa == SIM_ISA_GFX12 ? names[k].gfx12
                                                : names[k].gfx1250;

        if (has && names[k].id == id && !op && !stream) {
            sim_put(t, "sendmsg(%s)", names[k].name);
            return;
        }
    }
    if (gfx9 ? v & ~0x37fu : v & ~0xffu) {
        sim_put(t, "%u", v);
        return;
    }
    if (gfx9 && (id == 2 || id == 3) && op <= 3 && (op || (id == 3 && !stream))) {
        sim_put(t, "sendmsg(MSG_GS%s, %s", id == 3 ? "_DONE" : "", gs[op]);
        if (op)
            sim_put(t, ", %u", stream);
        sim_put(t, ")");
        return;
    }
    sim_put(t, "sendmsg(%u, %u, %u)", id, op, stream);
}

void sim_text_gpr_idx(struct sim_text *t, unsigned v)
{
    static const char *const names[] = {"SRC0", "SRC1", "SRC2", "DST"};
    const char *sep = "";

    if (v & ~15u) {
        sim_put(t, "0x%x", v);
        return;
    }
    sim_put(t, "gpr_idx(");
    for (int k = 0; k < 4; k++)
        if (v >> k & 1) {
            sim_put(t, "%s%s", sep, names[k]);
            sep = ",";
        }
    sim_put(t, ")");
}

/* The 16-bit number of SOPP and SOPK. Sets *sep when it writes its own leading space. */
void sim_text_simm16(struct sim_text *t, unsigned v)
{
    switch (t->op->token) {
    case SIM_OP_s_getreg_b32: case SIM_OP_s_setreg_b32: case SIM_OP_s_setreg_imm32_b32:
        hwreg(t, v);
        return;
    case SIM_OP_s_sendmsg: case SIM_OP_s_sendmsghalt:
        sim_text_sendmsg(t, v);
        return;
    case SIM_OP_s_set_gpr_idx_mode:
        sim_text_gpr_idx(t, v);
        return;
    case SIM_OP_s_set_inst_prefetch_distance: case SIM_OP_s_clause: case SIM_OP_s_wait_event:
    case SIM_OP_s_round_mode: case SIM_OP_s_ttracedata_imm:
        sim_put(t, "0x%x", v);
        return;
    default:
        break;
    }
    if (t->op->cls == SIM_BRANCH || text_is(t, SIM_OP_s_endpgm))
        sim_put(t, "%u", v);
    else if (t->op->format == SIM_FMT_SOPK || t->op->cls == SIM_WAIT || v > 64)
        sim_put(t, "0x%x", v);
    else
        sim_put(t, "%u", v);
}

void sim_text_swizzle(struct sim_text *t, unsigned v)
{
    if (!v)
        return;
    sim_put(t, " offset:");
    if (v >= 0xe000) {
        sim_put(t, "swizzle(FFT,%u)", v & 31);
    } else if (v >= 0xc000) {
        sim_put(t, "swizzle(ROTATE,%u,%u)", v >> 10 & 1, v >> 5 & 31);
    } else if (v & 0x8000) {
        if ((v & 0xff00) == 0x8000)
            sim_put(t, "swizzle(QUAD_PERM,%u,%u,%u,%u)", v & 3, v >> 2 & 3, v >> 4 & 3, v >> 6 & 3);
        else
            sim_put(t, "%u", v);
    } else {
        unsigned and = v & 31, or = v >> 5 & 31, xor = v >> 10 & 31;

        if (xor == 0x10 && and == 0x1f && !or) {
            sim_put(t, "swizzle(SWAP,16)");
        } else if (and == 31 && !or && xor && !(xor & (xor - 1))) {
            sim_put(t, "swizzle(SWAP,%u)", xor);
        } else if (and == 31 && !or && xor && !((xor + 1) & xor)) {
            sim_put(t, "swizzle(REVERSE,%u)", xor + 1);
        } else {
            unsigned group = 32 - and, size = group;

            if (group > 1 && !(group & (group - 1)) && !xor && or < group) {
                sim_put(t, "swizzle(BROADCAST,%u,%u)", size, or);
                return;
            }
            sim_put(t, "swizzle(BITMASK_PERM,\"");
            for (int b = 4; b >= 0; b--) {
                unsigned p0 = (((0u & and) | or) ^ xor) >> b & 1;
                unsigned p1 = (((~0u & and) | or) ^ xor) >> b & 1;

                sim_put(t, "%c", p0 == p1 ? (p0 ? '1' : '0') : p0 ? 'i' : 'p');
            }
            sim_put(t, "\")");
        }
    }
}


void sim_text_version(struct sim_text *t, unsigned v)
{
    static const struct { const char *name; uint16_t bit; } flags[] = {
        {"W64", 0x2000}, {"W32", 0x4000}, {"MDP", 0x8000}};
    unsigned n = 0, code = v & 0xff;

    if (v & 0x1f00) {
        sim_put(t, " 0x%x", v);
        return;
    }
    for (int k = 0; k < 3; k++)
        n += (v & flags[k].bit) != 0;
    sim_put(t, " %.*s", n ? (int)n - 1 : 0, "((");
    if (code == 0 || code == 4 || code == 6 || code == 9)
        sim_put(t, "UC_VERSION_GFX%s",
                code == 0   ? "7"
                : code == 4 ? "10"
                : code == 6 ? "11"
                            : "12");
    else
        sim_put(t, "%u", code);
    for (int k = 0; k < 3; k++)
        if (v & flags[k].bit)
            sim_put(t, "|UC_VERSION_%s_BIT%s", flags[k].name, --n ? ")" : "");
}

/* Typed buffer format, left out when it is the assembler's default; gfx9 has two fields, later
 * targets one number that counts through the list below. RDNA3 ISA, "Buffer image format". */
void sim_text_typed_format(struct sim_text *t)
{
    static const char *const data[] = {"INVALID",     "8",          "16",          "8_8",
                                       "32",          "16_16",      "10_11_11",    "11_11_10",
                                       "10_10_10_2",  "2_10_10_10", "8_8_8_8",     "32_32",
                                       "16_16_16_16", "32_32_32",   "32_32_32_32", "RESERVED_15"};
    static const char *const numbers[] = {"UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT",
                                          "RESERVED_6", "FLOAT"};
    enum {
        U = 1,
        S = 2,
        US = 4,
        SS = 8,
        UI = 16,
        SI = 32,
        F = 128,
        NORM = U | S | US | SS | UI | SI
    };
    static const struct { uint8_t data, numbers; } unified[] = {
        {1, NORM}, {2, NORM | F}, {3, NORM}, {4, UI | SI | F}, {5, NORM | F}, {6, F}, {7, F},
        {8, U | S | UI | SI}, {9, NORM}, {10, NORM}, {11, UI | SI | F}, {12, NORM | F},
        {13, UI | SI | F}, {14, UI | SI | F}};
    unsigned dfmt = t->i->dfmt, nfmt = t->i->nfmt, at = 1;

    if (t->f->isa == SIM_ISA_GFX9) {
        if (dfmt == 1 && !nfmt)
            return;
        sim_put(t, " format:[");
        if (dfmt != 1)
            sim_put(t, "BUF_DATA_FORMAT_%s%s", data[dfmt & 15], nfmt ? "," : "");
        if (nfmt)
            sim_put(t, "BUF_NUM_FORMAT_%s", numbers[nfmt & 7]);
        sim_put(t, "]");
        return;
    }
    if (dfmt == 1)
        return;
    if (dfmt == 0) {
        sim_put(t, " format:[BUF_FMT_INVALID]");
        return;
    }
    for (size_t k = 0; k < sizeof unified / sizeof *unified; k++)
        for (unsigned n = 0; n < 8; n++)
            if (unified[k].numbers >> n & 1 && at++ == dfmt) {
                sim_put(t, " format:[BUF_FMT_%s_%s]", data[unified[k].data], numbers[n]);
                return;
            }
    sim_put(t, " format:%u", dfmt);
}
