/* SPDX-License-Identifier: BSD-2-Clause */
/* Remembers recordings that could not be read, and when to read each of them
 * again. There are 64 places, chosen by a hash of the path. Of two recordings
 * with the same place, the later one is remembered. */
#ifndef TPROF_FLEET_PUSH_PUSH_FAILED_H
#define TPROF_FLEET_PUSH_PUSH_FAILED_H

#include <stdbool.h>
#include <stdint.h>

#define PUSH_FAILED_PLACES 64u

/* Zeroed: empty. */
struct push_failed {
    struct {
        uint64_t path; /* a hash of the path */
        uint64_t next_ns;
        unsigned times;
    } list[PUSH_FAILED_PLACES];
};

/* Has reading (path) failed so recently that it is too early to try again? */
bool push_failed_rests(const struct push_failed *f, const char *path);

/* Note that reading (path) has failed. Returns whether to try again after a
 * rest: 5 seconds after the first failure, 10 after the second. */
bool push_failed_note(struct push_failed *f, const char *path);

#endif
