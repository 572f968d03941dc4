/* SPDX-License-Identifier: BSD-2-Clause */
/* What collector push says: errors, and what came of it all. */
#ifndef TPROF_CMD_PUSH_TELL_H
#define TPROF_CMD_PUSH_TELL_H

#include <stddef.h>
#include <stdint.h>

#include "push/queue.h"
#include "util/err.h"

struct push_sum {
    size_t recordings;
    uint64_t samples;
};

/* Since the beginning; what waits, or was removed, the queue knows. */
struct push_tell {
    struct push_sum delivered, refused;
    uint64_t lost; /* ticks without a sample, of what was delivered */
    size_t unreadable, empty;
    struct queue queue;
};

/* What became of the recording (path) is told, and the work goes on: (e) is
 * empty again. */
void push_tell_error(const char *path, struct err *e);

/* A line of what came of all. Returns an enum exit_code. */
int push_tell_sums(struct push_tell *t);

#endif
