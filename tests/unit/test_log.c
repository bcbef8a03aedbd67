/* SPDX-License-Identifier: MIT */
/* The log: bench lines replay the call, select lines give the reason, and nothing is printed
 * unasked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/log.h"
#include "unit.h"

static char path[] = "/tmp/fly-test-XXXXXX";
static char text[8192];

static void start(const char *topics)
{
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    setenv("FLY_LOG", topics, 1);
    setenv("FLY_LOG_FILE", path, 1);
}

static void finish(void)
{
    FILE *f = fopen(path, "r");
    size_t n = fread(text, 1, sizeof text - 1, f);
    text[n] = '\0';
    fclose(f);
    unlink(path);
}

Test(log, a_bench_line_replays_the_call)
{
    start("bench");
    flyHandle_t h = unit_handle("gfx942");
    flyLayerNormArgs_t a = unit_layernorm();
    a.rows = 12;
    a.cols = 700;
    a.ldx = 704;
    a.beta = NULL;
    a.eps = 1e-6f;
    cr_assert_eq(flyLayerNorm(h, &a), FLY_STATUS_SUCCESS);
    flyDestroy(h);
    finish();
    cr_assert_str_eq(text,
                     "fly-bench 'layernorm:bf16:rows=12,cols=700,ldx=704,eps=1e-06,beta=0'\n");
}

Test(log, a_select_line_gives_the_reason_once)
{
    start("select");
    flyHandle_t h = unit_handle("gfx942");
    flyLayerNormArgs_t a = unit_layernorm();
    cr_assert_eq(flyLayerNorm(h, &a), FLY_STATUS_SUCCESS);
    cr_assert_eq(flyLayerNorm(h, &a), FLY_STATUS_SUCCESS);
    flyDestroy(h);
    finish();
    cr_assert(
        strstr(text, "libfly: select: layernorm:bf16:rows=4,cols=1000 -> layernorm_bf16_gfx942_"),
        "%s", text);
    cr_assert(strstr(text, "(heuristic)\n"), "%s", text);
    cr_assert_null(strchr(strchr(text, '\n') + 1, '\n'), "%s", text);
}

Test(log, an_error_line_has_the_sentence)
{
    start("error,nosuchtopic");
    flyHandle_t h = unit_handle("gfx942");
    flyLayerNormArgs_t a = unit_layernorm();
    a.cols = 0;
    flyLayerNorm(h, &a);
    flyDestroy(h);
    finish();
    cr_assert(strstr(text, "no topic 'nosuchtopic'"), "%s", text);
    cr_assert(strstr(text, "libfly: FLY_STATUS_INVALID_VALUE: flyLayerNorm: cols = 0"), "%s", text);
}

Test(log, nothing_is_printed_unasked)
{
    start("");
    flyHandle_t h = unit_handle("gfx942");
    flyLayerNormArgs_t a = unit_layernorm();
    flyLayerNorm(h, &a);
    a.cols = 0;
    flyLayerNorm(h, &a);
    flyDestroy(h);
    finish();
    cr_assert_str_empty(text);
}
