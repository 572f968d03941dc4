/* SPDX-License-Identifier: BSD-2-Clause */
/* File names in a spool: GUEST.MS.tprof of one window; GUEST.MS-MS.tprof of a
 * merged file, with the starts of its first and last window. */
#ifndef TPROF_RECORDING_SPOOL_SPOOL_NAME_H
#define TPROF_RECORDING_SPOOL_SPOOL_NAME_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "recording/spool/spool.h"

#define SPOOL_SUFFIX  ".tprof"
/* File that is locked by the merging process. Its time is the time of the last
 * merge. */
#define SPOOL_MERGING ".merging"
#define SPOOL_DIGITS  19u /* most digits of MS */
#define SPOOL_MERGED  13u /* digits of each MS of a merged file */
#define SPOOL_NAME    (SPOOL_GUEST_MAX + 2 * SPOOL_DIGITS + 16u)

/* Parts of a file name. */
struct spool_name {
    /* length of the guest's name, which begins the file name */
    size_t guest_length;
    uint64_t start_ms;
    uint64_t last_ms; /* start of the last window; 0: a file of one window */
};

/* Is (name) a valid guest name in a spool? */
static inline bool spool_name_is_guest(const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789._-";
    size_t length = strlen(name);

    return length != 0 && length <= SPOOL_GUEST_MAX && name[0] != '.' &&
           strspn(name, allowed) == length;
}

/* Returns the number whose digits end before (end). Stores in (*at) the
 * position of its first digit. */
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

/* Parse (name). False if it is neither the name of a window nor of a merged
 * file. */
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

/* Does the merged file (n) hold the window of the same guest that begins at
 * (start_ms)? If so, a separate file of that window is ignored. */
static inline bool spool_name_covers(const struct spool_name *n,
                                     uint64_t start_ms)
{
    return n->last_ms != 0 && start_ms >= n->start_ms && start_ms <= n->last_ms;
}

#endif
