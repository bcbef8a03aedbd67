/* SPDX-License-Identifier: MIT */
/*
 * The generator's records: names, the order of the registry, and that what is written depends on
 * the record alone. Links the generator and the library, whose registry must say the same.
 */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "../../kernels-gen/emit.h"
#include "core/op.h"

enum { MAX_RECORDS = 16384 };

static struct kg_spec records[MAX_RECORDS];
static unsigned count;

static void keep(const struct kg_spec *s, void *with)
{
    (void)with;
    cr_assert_lt(count, MAX_RECORDS);
    records[count++] = *s;
}

static void read_records(void)
{
    count = 0;
    kg_spec_all(keep, NULL);
    cr_assert_gt(count, 0);
}

TestSuite(records, .init = read_records);

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

Test(records, names_are_unique_and_within_96_characters)
{
    static char names[MAX_RECORDS][KG_NAME_MAX + 1];
    for (unsigned i = 0; i < count; i++) {
        kg_spec_name(&records[i], names[i]);
        cr_expect_lt(strlen(names[i]), KG_NAME_MAX, "%s was cut", names[i]);
        cr_expect_eq(strspn(names[i], "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(names[i]),
                     "%s is no symbol", names[i]);
    }
    qsort(names, count, sizeof names[0], by_text);
    for (unsigned i = 1; i < count; i++)
        cr_expect_str_neq(names[i - 1], names[i]);
}

/* <op>_<types>_<arch>_<tile>, for row-wise ops in full. */
Test(records, names_are_printed_from_the_record)
{
    for (unsigned i = 0; i < count; i++) {
        const struct kg_spec *s = &records[i];
        char name[KG_NAME_MAX + 1], want[KG_NAME_MAX + 1], arch[24] = "", tag[16] = "", waves[16] = "";
        if (strcmp(s->op->name, "layernorm") || s->in != s->out)
            continue;
        for (const char *c = s->arch->name; *c; c++)
            if (*c != '-')
                strncat(arch, c, 1);
        if (s->tile.cluster)
            snprintf(tag, sizeof tag, "_c%u", s->tile.cluster);
        else if (s->tile.vec == 1)
            strcpy(tag, "_e1");
        if (s->tile.waves)
            snprintf(waves, sizeof waves, "_w%u", s->tile.waves);
        snprintf(want, sizeof want, "layernorm_%s_%s_r%ut%uv%u%s%s%s", kg_dtypes[s->in].token, arch,
                 s->tile.rows, s->tile.threads, s->tile.vectors, tag, s->tile.loop ? "_loop" : "", waves);
        kg_spec_name(s, name);
        cr_expect_str_eq(name, want);
    }
}

Test(records, the_registry_has_the_same_rows_in_the_same_order)
{
    unsigned i = 0;
    for (unsigned o = 0; o < FLY_OP_COUNT; o++) {
        const struct fly_op *op = fly_op_table[o];
        for (unsigned k = 0; k < op->nkernels; k++, i++) {
            char text[KG_NAME_MAX + 1], hex[17];
            const struct fly_kernel *row = &op->kernels[k];
            cr_assert_lt(i, count);
            kg_spec_name(&records[i], text);
            cr_assert_str_eq(row->name, text);
            cr_expect_eq(row->block, kg_spec_block(&records[i]), "%s", text);
            cr_expect_eq(row->kernarg_bytes, kg_args_size(&records[i]), "%s", text);
            kg_spec_module(&records[i], text);
            cr_expect_str_eq(op->modules[row->module].name, text);
            kg_module_fingerprint(text, hex);
            cr_expect_str_eq(op->modules[row->module].fingerprint, hex);
        }
    }
    cr_expect_eq(i, count);
}

static bool same_group(const struct kg_spec *a, const struct kg_spec *b)
{
    return a->op == b->op && a->arch == b->arch && a->in == b->in && a->weight == b->weight &&
           a->out == b->out;
}

Test(records, the_last_row_wise_kernel_of_a_group_takes_any_row)
{
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(records[i].op->family, "norm") ||
            (i + 1 < count && same_group(&records[i], &records[i + 1])))
            continue;
        cr_expect(records[i].tile.loop);
        cr_expect_eq(records[i].tile.vec, 1);
        cr_expect_eq(kg_spec_max_cols(&records[i]), 0);
    }
}

/* An index that was not filled in; PTX has the letter for predicates. */
static const char *index_left(const char *text)
{
    const char *at = strchr(text, '@');
    while (at && (!strncmp(at, "@there ", 7) || !strncmp(at, "@!open ", 7)))
        at = strchr(at + 1, '@');
    return at;
}

Test(records, every_record_is_legal_and_written_twice_alike)
{
    for (unsigned i = 0; i < count; i++) {
        struct kg_buf first = {0}, second = {0}, told = {0};
        char name[KG_NAME_MAX + 1];
        kg_spec_name(&records[i], name);
        cr_assert_null(records[i].op->legal(&records[i]), "%s", name);
        cr_assert(kg_emit_kernel(&first, &records[i]), "%s", name);
        cr_assert(kg_emit_kernel(&second, &records[i]), "%s", name);
        cr_assert_eq(first.size, second.size, "%s", name);
        cr_assert_eq(memcmp(first.text, second.text, first.size), 0, "%s", name);
        cr_expect_not_null(strstr(first.text, name));
        cr_expect_null(strstr(first.text, "#if"), "%s", name);
        cr_expect_null(strstr(first.text, "template"), "%s", name);
        cr_expect_null(strchr(first.text, '$'), "%s", name);
        cr_expect_null(index_left(first.text), "%s", name);
        cr_expect_null(strstr(first.text, "``"), "%s", name);
        if (records[i].arch->caps & FLY_CAP_OVERLAP)
            cr_expect_not_null(strstr(first.text, "    after_earlier("), "%s may overlap and does not wait", name);
        records[i].op->explain(&told, &records[i]);
        cr_expect_gt(told.size, 0, "%s", name);
        kg_buf_free(&first);
        kg_buf_free(&second);
        kg_buf_free(&told);
    }
}

Test(records, one_fingerprint_a_module)
{
    char a[17], b[17];
    kg_module_fingerprint("norm_bf16", a);
    kg_module_fingerprint("norm_f16", b);
    cr_expect_str_neq(a, b);
    kg_module_fingerprint("norm_bf16", b);
    cr_expect_str_eq(a, b);
}
