/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of windows in a spool: GUEST.MS.tprof. */
#ifndef TPROF_SPOOL_SPOOL_NAME_H
#define TPROF_SPOOL_SPOOL_NAME_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "spool/spool.h"

#define SPOOL_SUFFIX ".tprof"
#define SPOOL_DIGITS 19u /* of MS, at most */
#define SPOOL_NAME   (SPOOL_GUEST_MAX + SPOOL_DIGITS + 16u)

/* What a file's name says. */
struct spool_name {
    size_t guest_length; /* of the name, from its beginning */
    uint64_t start_ms;
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

/* Read (name); false: it is no window's. */
static inline bool spool_name_parse(const char *name, struct spool_name *n)
{
    size_t length = strlen(name), suffix = sizeof SPOOL_SUFFIX - 1;

    if (name[0] == '.' || length <= suffix ||
        strcmp(name + length - suffix, SPOOL_SUFFIX) != 0)
        return false;
    size_t end = length - suffix, at = end;

    while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9')
        at--;
    if (at < 2 || name[at - 1] != '.' || at == end || end - at > SPOOL_DIGITS)
        return false;
    n->guest_length = at - 1;
    n->start_ms = 0;
    for (; at < end; at++)
        n->start_ms = n->start_ms * 10 + (uint64_t)(name[at] - '0');
    return true;
}

#endif
