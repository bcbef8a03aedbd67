/* SPDX-License-Identifier: MIT */
/* The table of simulated devices. */
#include "target.h"

#include <string.h>

#define SIM_TARGET(...) {__VA_ARGS__},
static struct sim_target targets[] = {
#include "target.inc"
};
#undef SIM_TARGET

enum { COUNT = sizeof targets / sizeof *targets };

/* Every caller writes the same pointers, so threads need no lock. */
const struct sim_target *sim_target_rows(size_t *n)
{
    for (size_t i = 0; i < COUNT; i++)
        targets[i].family = sim_family_by_name(targets[i].name);
    *n = COUNT;
    return targets;
}

const struct sim_target *sim_target_find(const char *name)
{
    size_t count, n = strcspn(name, ":");
    const struct sim_target *t = sim_target_rows(&count);

    for (size_t i = 0; i < count; i++)
        if (strlen(t[i].name) == n && !memcmp(t[i].name, name, n))
            return &t[i];
    return NULL;
}
