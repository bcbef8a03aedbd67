/* SPDX-License-Identifier: MIT */
/* The only getenv of the library. */
#include "core/env.h"

#include <stdlib.h>

static const char *const names[FLY_ENV_COUNT] = {
    [FLY_ENV_RUNTIME] = "FLY_RUNTIME",
    [FLY_ENV_KERNEL] = "FLY_KERNEL",
    [FLY_ENV_KERNEL_PATH] = "FLY_KERNEL_PATH",
    [FLY_ENV_TUNING] = "FLY_TUNING",
    [FLY_ENV_LOG] = "FLY_LOG",
    [FLY_ENV_LOG_FILE] = "FLY_LOG_FILE",
    [FLY_ENV_CACHE_HOME] = "XDG_CACHE_HOME",
    [FLY_ENV_HOME] = "HOME",
};

const char *fly_env(enum fly_env name)
{
    const char *value = getenv(names[name]);
    return value && *value ? value : NULL;
}
