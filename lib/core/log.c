/* SPDX-License-Identifier: MIT */
/* The log. */
#include "core/log.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/env.h"

unsigned fly_log_topics;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int file = STDERR_FILENO;

static const struct {
    const char *name;
    unsigned topics;
} topics[] = {
    {"bench", FLY_LOG_BENCH}, {"select", FLY_LOG_SELECT}, {"load", FLY_LOG_LOAD},
    {"tune", FLY_LOG_TUNE},   {"error", FLY_LOG_ERROR},   {"all", FLY_LOG_ALL},
};

static void write_line(const char *line, size_t n)
{
    while (n) {
        ssize_t done = write(file, line, n);
        if (done <= 0)
            return;
        line += done;
        n -= (size_t)done;
    }
}

static void read_environment(void)
{
    const char *list = fly_env(FLY_ENV_LOG);
    if (!list)
        return;
    const char *path = fly_env(FLY_ENV_LOG_FILE);
    if (path) {
        int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (fd >= 0)
            file = fd;
    }
    unsigned on = 0;
    while (*list) {
        size_t n = strcspn(list, ",");
        bool known = n == 0;
        for (unsigned i = 0; i < sizeof topics / sizeof *topics; i++)
            if (strlen(topics[i].name) == n && !memcmp(topics[i].name, list, n)) {
                on |= topics[i].topics;
                known = true;
            }
        if (!known) {
            char line[160];
            int m = snprintf(
                line, sizeof line,
                "libfly: FLY_LOG: no topic '%.*s'; there are bench select load tune error all\n",
                (int)(n < 40 ? n : 40), list);
            write_line(line, (size_t)m);
        }
        list += n + (list[n] == ',');
    }
    fly_log_topics = on;
}

void fly_log_open(void)
{
    pthread_once(&once, read_environment);
}

void fly_log(enum fly_log_topic topic, const char *format, ...)
{
    if (!fly_log_on(topic))
        return;
    char line[1400];
    int n = 0;
    if (topic != FLY_LOG_BENCH)
        n = snprintf(line, sizeof line, "libfly: ");
    va_list args;
    va_start(args, format);
    int m = vsnprintf(line + n, sizeof line - (size_t)n - 1, format, args);
    va_end(args);
    if (m < 0)
        return;
    size_t length = (size_t)(n + m);
    if (length > sizeof line - 2)
        length = sizeof line - 2;
    line[length] = '\n';
    write_line(line, length + 1);
}
