/* SPDX-License-Identifier: BSD-2-Clause */
/* Which recordings a reader has failed on, and when to read each of them again.
 * There are 64 places, chosen by a hash of the path: of two recordings with one
 * place, the later one takes it. */
#ifndef TPROF_FLEET_PUSH_PUSH_FAILED_H
#define TPROF_FLEET_PUSH_PUSH_FAILED_H

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

/* Has the reader of (path) failed so lately that it is too soon to read (path)
 * again? */
bool push_failed_rests(const struct push_failed *f, const char *path);

/* Note that the reader of (path) has failed. Returns whether to read (path)
 * again after a rest: 5 seconds after the first failure, 10 after the second.
 */
bool push_failed_note(struct push_failed *f, const char *path);

#endif
