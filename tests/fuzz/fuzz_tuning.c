/* SPDX-License-Identifier: MIT */
/* Tuning files: rows that are accepted are in order, and each prints to a file that is accepted. */
#include <stdlib.h>
#include <string.h>

#include "core/tune.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fly_tune_row *rows = NULL, *again = NULL;
    uint32_t n = 0, m = 0;
    char message[600], text[2048];
    if (fly_tune_read((const char *)data, bytes, false, &rows, &n, message, sizeof message) ==
        FLY_STATUS_SUCCESS)
        for (uint32_t i = 0; i < n; i++) {
            if (i && fly_tune_compare(&rows[i - 1], &rows[i]) >= 0)
                abort();
            int length = fly_tune_print(&rows[i], 1, NULL, 0, text, sizeof text);
            if (length < 0 || (size_t)length >= sizeof text ||
                fly_tune_read(text, (size_t)length, true, &again, &m, message, sizeof message) !=
                    FLY_STATUS_SUCCESS)
                abort();
            m = 0;
            free(again);
            again = NULL;
        }
    free(rows);
    return 0;
}
