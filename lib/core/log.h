/* SPDX-License-Identifier: MIT */
/* The log: off unless FLY_LOG names topics. The library prints nothing else. */
#ifndef FLY_CORE_LOG_H
#define FLY_CORE_LOG_H

#include <stdbool.h>

enum fly_log_topic {
    FLY_LOG_BENCH = 1,  /* bench: each call as a fly-bench line that replays it */
    FLY_LOG_SELECT = 2, /* select: each choice of a kernel and its reason */
    FLY_LOG_LOAD = 4,   /* load: runtimes, devices and kernel files */
    FLY_LOG_TUNE = 8,   /* tune: tuning tables read and refused */
    FLY_LOG_ERROR = 16, /* error: the sentence of each failed call */
    FLY_LOG_ALL = 31    /* all */
};

/* Reads FLY_LOG and FLY_LOG_FILE, once a process. */
void fly_log_open(void);

/* Topics that are on. */
extern unsigned fly_log_topics;

static inline bool fly_log_on(enum fly_log_topic topic)
{
    return __builtin_expect(fly_log_topics & topic, 0);
}

/* One line, written at once, so that lines of threads and processes do not mix. bench lines are
 * bare, others start with "libfly: ". */
void fly_log(enum fly_log_topic topic, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
