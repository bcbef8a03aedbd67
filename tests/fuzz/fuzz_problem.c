/* SPDX-License-Identifier: MIT */
/* The problem grammar: what parses must print to a text that parses to the same problem. */
#include <stdlib.h>
#include <string.h>

#include "core/op.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fly_problem p, again;
    char message[600], text[FLY_MAX_PROBLEM_TEXT];
    char *input = malloc(bytes + 1);
    if (!input)
        return 0;
    memcpy(input, data, bytes);
    input[bytes] = '\0';
    if (fly_problem_parse(input, &p, message, sizeof message) == FLY_STATUS_SUCCESS) {
        int n = fly_problem_print(&p, text, sizeof text);
        if (n < 0 || (size_t)n >= sizeof text ||
            fly_problem_parse(text, &again, message, sizeof message) != FLY_STATUS_SUCCESS ||
            fly_problem_compare(&p, &again) != 0)
            abort();
    }
    free(input);
    return 0;
}
