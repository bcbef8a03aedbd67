/* SPDX-License-Identifier: MIT */
/*
 * The metadata note of a code object: a MessagePack map whose amdhsa.kernels lists each kernel's
 * arguments and resources (LLVM AMDGPU usage guide, "Code Object V5 Metadata").
 */
#include "metadata.h"

#include <stdlib.h>
#include <string.h>

#include "msgpack.h"

static unsigned arg_kind(const char *s)
{
    static const struct { const char *name; uint8_t kind; } kinds[] = {
        {"by_value", SIM_ARG_BY_VALUE},
        {"global_buffer", SIM_ARG_GLOBAL_BUFFER},
        {"dynamic_shared_pointer", SIM_ARG_DYNAMIC_SHARED_POINTER},
        {"hidden_block_count_x", SIM_ARG_HIDDEN_BLOCK_COUNT_X},
        {"hidden_block_count_y", SIM_ARG_HIDDEN_BLOCK_COUNT_Y},
        {"hidden_block_count_z", SIM_ARG_HIDDEN_BLOCK_COUNT_Z},
        {"hidden_group_size_x", SIM_ARG_HIDDEN_GROUP_SIZE_X},
        {"hidden_group_size_y", SIM_ARG_HIDDEN_GROUP_SIZE_Y},
        {"hidden_group_size_z", SIM_ARG_HIDDEN_GROUP_SIZE_Z},
        {"hidden_remainder_x", SIM_ARG_HIDDEN_REMAINDER_X},
        {"hidden_remainder_y", SIM_ARG_HIDDEN_REMAINDER_Y},
        {"hidden_remainder_z", SIM_ARG_HIDDEN_REMAINDER_Z},
        {"hidden_global_offset_x", SIM_ARG_HIDDEN_GLOBAL_OFFSET_X},
        {"hidden_global_offset_y", SIM_ARG_HIDDEN_GLOBAL_OFFSET_Y},
        {"hidden_global_offset_z", SIM_ARG_HIDDEN_GLOBAL_OFFSET_Z},
        {"hidden_grid_dims", SIM_ARG_HIDDEN_GRID_DIMS},
        {"hidden_dynamic_lds_size", SIM_ARG_HIDDEN_DYNAMIC_LDS_SIZE},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, s) == 0)
            return kinds[i].kind;
    return strncmp(s, "hidden_", 7) == 0 ? SIM_ARG_HIDDEN_OTHER : SIM_ARG_OTHER;
}

struct metadata {
    struct sim_codeobj *o;
    const char *error;
    struct sim_msgpack m;
    char **heap; /* a list of blocks; each starts with a pointer to the next */
};

/* A terminated copy of a string of the metadata; freed with the object. */
static const char *keep(struct metadata *md, const char *s, size_t n)
{
    char *block = malloc(sizeof(char *) + n + 1);

    if (!block) {
        md->error = "out of memory";
        return "";
    }
    memcpy(block, md->heap, sizeof(char *));
    *md->heap = block;
    memcpy(block + sizeof(char *), s, n);
    block[sizeof(char *) + n] = 0;
    return block + sizeof(char *);
}

static bool is(const struct sim_msgpack_item *key, const char *name)
{
    return key->type == SIM_MP_STR && key->n == strlen(name) && memcmp(key->s, name, key->n) == 0;
}

static uint64_t number(const struct sim_msgpack_item *v)
{
    return v->type == SIM_MP_UINT ? v->u : v->type == SIM_MP_BOOL ? v->u != 0 : 0;
}

static bool bad(struct metadata *md)
{
    if (!md->error)
        md->error = "metadata note is damaged";
    return false;
}

static bool read_arg(struct metadata *md, struct sim_arg *a)
{
    struct sim_msgpack_item map, key, v;

    a->name = a->type_name = a->value_kind = "";
    if (!sim_msgpack_next(&md->m, &map) || map.type != SIM_MP_MAP)
        return bad(md);
    for (uint64_t i = 0; i < map.n; i++) {
        if (!sim_msgpack_next(&md->m, &key) || !sim_msgpack_peek(&md->m, &v))
            return bad(md);
        if (is(&key, ".offset"))
            a->offset = number(&v);
        else if (is(&key, ".size"))
            a->size = number(&v);
        else if (is(&key, ".is_const"))
            a->is_const = number(&v);
        else if (v.type == SIM_MP_STR && is(&key, ".name"))
            a->name = keep(md, v.s, v.n);
        else if (v.type == SIM_MP_STR && is(&key, ".type_name"))
            a->type_name = keep(md, v.s, v.n);
        else if (v.type == SIM_MP_STR && is(&key, ".value_kind"))
            a->value_kind = keep(md, v.s, v.n);
        if (!sim_msgpack_skip(&md->m))
            return bad(md);
    }
    a->kind = arg_kind(a->value_kind);
    return !md->error;
}

static bool read_args(struct metadata *md, struct sim_kernel *k)
{
    struct sim_msgpack_item list;

    if (!sim_msgpack_next(&md->m, &list) || list.type != SIM_MP_ARRAY)
        return bad(md);
    if (list.n > 4096 || k->args)
        return bad(md);
    k->args = calloc(list.n ? list.n : 1, sizeof *k->args);
    if (!k->args) {
        md->error = "out of memory";
        return false;
    }
    for (uint64_t i = 0; i < list.n; i++)
        if (!read_arg(md, &k->args[k->nargs++]))
            return false;
    return true;
}

static bool read_wg_size(struct metadata *md, uint32_t *size)
{
    struct sim_msgpack_item list, v;

    if (!sim_msgpack_next(&md->m, &list) || list.type != SIM_MP_ARRAY || list.n != 3)
        return bad(md);
    for (int i = 0; i < 3; i++) {
        if (!sim_msgpack_next(&md->m, &v))
            return bad(md);
        size[i] = number(&v);
    }
    return true;
}

/* One map of amdhsa.kernels: read into a scratch record, then moved to the kernel of that
 * symbol. */
static bool read_kernel_map(struct metadata *md)
{
    struct sim_codeobj *o = md->o;
    struct sim_msgpack_item map, key, v;
    struct sim_kernel tmp = {0};
    const char *symbol = NULL;
    bool ok = sim_msgpack_next(&md->m, &map) && map.type == SIM_MP_MAP;

    for (uint64_t i = 0; ok && i < map.n; i++) {
        ok = sim_msgpack_next(&md->m, &key) && sim_msgpack_peek(&md->m, &v);
        if (!ok)
            break;
        if (is(&key, ".args")) {
            ok = read_args(md, &tmp);
            continue;
        }
        if (is(&key, ".reqd_workgroup_size")) {
            ok = read_wg_size(md, tmp.reqd_workgroup);
            continue;
        }
        if (is(&key, ".cluster_dims")) {
            ok = read_wg_size(md, tmp.cluster);
            continue;
        }
        if (v.type == SIM_MP_STR && is(&key, ".symbol"))
            symbol = keep(md, v.s, v.n);
        else if (is(&key, ".kernarg_segment_size"))
            tmp.kernarg = number(&v);
        else if (is(&key, ".kernarg_segment_align"))
            tmp.kernarg_align = number(&v);
        else if (is(&key, ".sgpr_count"))
            tmp.sgpr_count = number(&v);
        else if (is(&key, ".vgpr_count"))
            tmp.vgpr_count = number(&v);
        else if (is(&key, ".agpr_count"))
            tmp.agpr_count = number(&v);
        else if (is(&key, ".sgpr_spill_count"))
            tmp.sgpr_spills = number(&v);
        else if (is(&key, ".vgpr_spill_count"))
            tmp.vgpr_spills = number(&v);
        else if (is(&key, ".max_flat_workgroup_size"))
            tmp.max_workgroup = number(&v);
        else if (is(&key, ".workgroup_processor_mode"))
            tmp.wgp_mode = number(&v);
        ok = sim_msgpack_skip(&md->m);
    }
    if (ok && symbol)
        for (unsigned i = 0; i < o->nkernels; i++) {
            struct sim_kernel *k = &o->kernels[i];
            size_t n = strlen(k->name);

            if (k->has_metadata || strncmp(symbol, k->name, n) != 0 ||
                strcmp(symbol + n, ".kd") != 0)
                continue;
            k->args = tmp.args;
            k->nargs = tmp.nargs;
            memcpy(k->reqd_workgroup, tmp.reqd_workgroup, sizeof k->reqd_workgroup);
            memcpy(k->cluster, tmp.cluster, sizeof k->cluster);
            /* Assembly that leaves the descriptor's size out is common. */
            if (k->kernarg < tmp.kernarg)
                k->kernarg = tmp.kernarg;
            k->kernarg_align = tmp.kernarg_align;
            k->sgpr_count = tmp.sgpr_count;
            k->vgpr_count = tmp.vgpr_count;
            k->agpr_count = tmp.agpr_count;
            k->sgpr_spills = tmp.sgpr_spills;
            k->vgpr_spills = tmp.vgpr_spills;
            k->max_workgroup = tmp.max_workgroup;
            k->wgp_mode = tmp.wgp_mode;
            k->has_metadata = true;
            tmp.args = NULL;
            break;
        }
    free(tmp.args);
    return ok || bad(md);
}

static bool read_kernels(struct metadata *md)
{
    struct sim_msgpack_item map, key, list;

    if (!sim_msgpack_next(&md->m, &map) || map.type != SIM_MP_MAP)
        return bad(md);
    for (uint64_t i = 0; i < map.n; i++) {
        if (!sim_msgpack_next(&md->m, &key))
            return bad(md);
        if (!is(&key, "amdhsa.kernels")) {
            if (!sim_msgpack_skip(&md->m))
                return bad(md);
            continue;
        }
        if (!sim_msgpack_next(&md->m, &list) || list.type != SIM_MP_ARRAY)
            return bad(md);
        for (uint64_t k = 0; k < list.n; k++)
            if (!read_kernel_map(md))
                return false;
    }
    return true;
}

const char *sim_metadata_read(struct sim_codeobj *o, const uint8_t *p, size_t n)
{
    struct metadata md = {.o = o, .m = {p, p + n}, .heap = &o->metadata};

    read_kernels(&md);
    return md.error;
}
