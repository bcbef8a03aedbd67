/* SPDX-License-Identifier: MIT */
/* The environment libfly reads: one place, one list (docs/environment.md). */
#ifndef FLY_CORE_ENV_H
#define FLY_CORE_ENV_H

enum fly_env {
    FLY_ENV_RUNTIME,     /* FLY_RUNTIME: hip, cuda, sim, or the path of a runtime library */
    FLY_ENV_KERNEL,      /* FLY_KERNEL: variant that must run for its operation */
    FLY_ENV_KERNEL_PATH, /* FLY_KERNEL_PATH: folders of kernel files, separated by colons */
    FLY_ENV_TUNING,      /* FLY_TUNING: file or folder in place of all tuning tables; "0": none */
    FLY_ENV_LOG,         /* FLY_LOG: topics, separated by commas */
    FLY_ENV_LOG_FILE,    /* FLY_LOG_FILE: where the log goes; stderr when unset */
    FLY_ENV_CACHE_HOME,  /* XDG_CACHE_HOME */
    FLY_ENV_HOME,        /* HOME: its .cache where XDG_CACHE_HOME is unset */
    FLY_ENV_COUNT
};

/* Value, or null when unset or empty. Not for hot paths. */
const char *fly_env(enum fly_env name);

#endif
