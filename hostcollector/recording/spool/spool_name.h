/* SPDX-License-Identifier: BSD-2-Clause */
/* Names in a spool: GUEST.MS.tprof of a window, GUEST.MS-MS.tprof of several:
 * starts of the first and the last. */
#ifndef TPROF_RECORDING_SPOOL_SPOOL_NAME_H
#define TPROF_RECORDING_SPOOL_SPOOL_NAME_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "recording/spool/spool.h"

#define SPOOL_SUFFIX  ".tprof"
/* Locked by the process that merges; its time tells when that was done last. */
#define SPOOL_MERGING ".merging"
#define SPOOL_DIGITS  19u /* of MS, at most */
#define SPOOL_MERGED  13u /* digits of either MS of several windows */
#define SPOOL_NAME    (SPOOL_GUEST_MAX + 2 * SPOOL_DIGITS + 16u)

/* What a file's name says. */
struct spool_name {
    size_t guest_length; /* of the name, from its beginning */
    uint64_t start_ms;
    uint64_t last_ms; /* start of the last window; 0: it is one window */
};

/* Can a guest be called so in a spool? */
static inline bool spool_name_is_guest(const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789._-";
    size_t length = strlen(name);

    return length != 0 && length <= SPOOL_GUEST_MAX && name[0] != '.' &&
           strspn(name, allowed) == length;
}

/* The digits before (end) as a number; (*at) is where they begin. */
static inline uint64_t spool_name_number(const char *name, size_t end,
                                         size_t *at)
{
    uint64_t value = 0;

    for (*at = end; *at > 0 && name[*at - 1] >= '0' && name[*at - 1] <= '9';)
        --*at;
    for (size_t i = *at; i < end && end - *at <= SPOOL_DIGITS; i++)
        value = value * 10 + (uint64_t)(name[i] - '0');
    return value;
}

/* Read (name); false: it is no window's, nor that of several. */
static inline bool spool_name_parse(const char *name, struct spool_name *n)
{
    size_t length = strlen(name), suffix = sizeof SPOOL_SUFFIX - 1;

    if (name[0] == '.' || length <= suffix ||
        strcmp(name + length - suffix, SPOOL_SUFFIX) != 0)
        return false;
    size_t end = length - suffix, at;

    n->start_ms = spool_name_number(name, end, &at);
    n->last_ms = 0;
    if (end - at == SPOOL_MERGED && at > 1 && name[at - 1] == '-') {
        end = at - 1;
        n->last_ms = n->start_ms;
        n->start_ms = spool_name_number(name, end, &at);
        if (end - at != SPOOL_MERGED || n->start_ms > n->last_ms)
            return false;
    }
    if (at < 2 || name[at - 1] != '.' || at == end || end - at > SPOOL_DIGITS)
        return false;
    n->guest_length = at - 1;
    return true;
}

/* Is a window that begins at (start_ms) one of those in the file (n), of the
 * same guest? Then that file has it, whether or not it has one of its own. */
static inline bool spool_name_covers(const struct spool_name *n,
                                     uint64_t start_ms)
{
    return n->last_ms != 0 && start_ms >= n->start_ms && start_ms <= n->last_ms;
}

#endif
