/* SPDX-License-Identifier: MIT */
/* Results as JSON lines and as a table. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "bench.h"
#include "flysim.h"

static void json_string(const char *name, const char *value)
{
    printf("\"%s\":\"", name);
    for (; *value; value++) {
        if (*value == '"' || *value == '\\')
            printf("\\%c", *value);
        else if ((unsigned char)*value < ' ')
            printf("\\u%04x", *value);
        else
            putchar(*value);
    }
    putchar('"');
}

/* JSON has no infinity: a result that is no number where one is expected is 1e999 of the bound. */
static void json_number(const char *name, double v)
{
    if (isfinite(v))
        printf(",\"%s\":%.6g", name, v);
    else
        printf(",\"%s\":1e999", name);
}

static void json_integer(const char *name, uint64_t v)
{
    printf(",\"%s\":%" PRIu64, name, v);
}

/* NOTHING where no element could be compared: such a result is not right for that. */
static const char *outcome_of(const struct bench_result *r)
{
    return r->check.worst.compared || r->check.outcome == CHECK_FAIL ? check_outcome_name(r->check.outcome) : "NOTHING";
}

void bench_print_json(const struct bench_options *opt, const struct bench_result *r, bool ok)
{
    putchar('{');
    json_string("problem", r->problem);
    putchar(',');
    json_string("on", opt->on);
    if (!ok) {
        putchar(',');
        json_string("error", r->check.message);
        puts("}");
        return;
    }
    putchar(',');
    json_string("variant", r->variant);
    putchar(',');
    json_string("reason", r->reason);
    printf(",\"grid\":[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]", r->grid[0], r->grid[1], r->grid[2]);
    if (r->plan_us > 0) {
        json_number("plan_us", r->plan_us);
        putchar(',');
        json_string("plan_bound", r->plan_bound);
    }
    if (r->checked) {
        putchar(',');
        json_string("outcome", outcome_of(r));
        json_number("max_error", r->check.worst.operand < 0 ? 0 : r->check.worst.fraction);
        json_number("error_c", r->check.worst.operand < 0 ? 0 : r->check.worst.c);
        json_integer("compared", (uint64_t)r->check.worst.compared);
    }
    json_integer("ideal_bytes", r->ideal_bytes);
    if (r->counted) {
        json_integer("bytes_read", r->bytes_read);
        json_integer("bytes_written", r->bytes_written);
        json_integer("param_bytes", r->param_bytes);
        json_integer("unique_bytes", r->unique_bytes);
        json_integer("memory_bytes", r->memory_bytes);
        json_integer("workgroups", r->workgroups);
        json_integer("simulated_workgroups", r->simulated);
        if (r->ideal_bytes)
            json_number("bytes_ratio", (double)(r->bytes_read + r->bytes_written) / (double)r->ideal_bytes);
        printf(",\"instructions\":{");
        for (int i = 0; i < r->classes; i++)
            printf("%s\"%s\":%" PRIu64, i ? "," : "", r->instructions[i].name, r->instructions[i].count);
        putchar('}');
        json_integer("vgprs", r->vgprs);
        json_integer("agprs", r->agprs);
        json_integer("sgprs", r->sgprs);
        json_integer("lds_bytes", r->lds_bytes);
        json_integer("spills", r->spills);
        json_integer("occupancy", r->occupancy);
        json_integer("lds_conflict_cycles", r->lds_conflict_cycles);
        json_number("modelled_us", r->modelled_us);
        printf(",\"modelled_units_us\":{");
        for (int i = 0; i < r->nunits; i++)
            printf("%s\"%s\":%.6g", i ? "," : "", r->units[i].name, r->units[i].us);
        putchar('}');
        json_integer("assumed_l1_bytes_a_clock", r->l1_bytes_clk);
        if (r->bound) {
            putchar(',');
            json_string("modelled_bound", r->bound);
            json_number("modelled_bound_share", r->bound_share);
        }
    }
    if (r->timed) {
        json_number("median_us", r->median_us);
        json_number("best_us", r->best_us);
        json_number("gbps", r->gbps);
        json_integer("launches", (uint64_t)r->launches);
    }
    puts("}");
}

void bench_print_text(const struct bench_options *opt, const struct bench_result *r, bool ok, bool first)
{
    if (first)
        printf("%-44s %-12s %-40s %-10s %-8s %8s %s\n", "problem", "on", "variant", "reason", "check", "of bound",
               "measured");
    if (!ok) {
        printf("%-44s %-12s %s\n", r->problem, opt->on, r->check.message);
        return;
    }
    printf("%-44s %-12s %-40s %-10s ", r->problem, opt->on, r->variant, r->reason);
    if (r->checked)
        printf("%-8s %8.3f", outcome_of(r),
               r->check.worst.operand < 0 ? 0 : r->check.worst.fraction);
    else
        printf("%-8s %8s", "-", "-");
    if (r->counted)
        printf(" %sbytes/ideal %.3f, unique %.3f, %u VGPRs, %u spills, occupancy %u, modelled %.2f us (%s; L1 assumed %d B/clk)",
               r->simulated < r->workgroups ? "extrapolated: " : "",
               r->ideal_bytes ? (double)(r->bytes_read + r->bytes_written) / (double)r->ideal_bytes : 0,
               r->ideal_bytes ? (double)r->unique_bytes / (double)r->ideal_bytes : 0, r->vgprs,
               r->spills, r->occupancy, r->modelled_us, r->bound ? r->bound : "-", (int)r->l1_bytes_clk);
    if (r->timed)
        printf(" %.2f us, %.0f GB/s", r->median_us, r->gbps);
    putchar('\n');
    if (r->checked && r->check.outcome == CHECK_FAIL)
        printf("  %s\n", r->check.message);
}
