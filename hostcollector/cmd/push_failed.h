/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings whose reader has failed, about 64 of them: two of one place forget
 * each other. */
#ifndef TPROF_CMD_PUSH_FAILED_H
#define TPROF_CMD_PUSH_FAILED_H

#include <stdbool.h>
#include <stdint.h>

#define PUSH_FAILED_PLACES 64u

/* Zeroed: none. */
struct push_failed {
    struct {
        uint64_t path; /* a hash of it */
        uint64_t next_ns;
        unsigned times;
    } list[PUSH_FAILED_PLACES];
};

/* Has the reader of (path) failed, and is it too soon to try again? */
bool push_failed_rests(const struct push_failed *f, const char *path);

/* The reader of (path) has failed; once more, it may be. Returns whether to try
 * again after a rest: 5 seconds the first time, 10 the second. */
bool push_failed_note(struct push_failed *f, const char *path);

#endif
