/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors that end when somebody frees space on a disk. Leaf. */
#ifndef TPROF_UTIL_NO_ROOM_H
#define TPROF_UTIL_NO_ROOM_H

#include <errno.h>
#include <stdbool.h>

/* Does (error), an errno, mean that a disk or a quota is full? */
static inline bool no_room(int error)
{
    return error == ENOSPC || error == EDQUOT;
}

#endif
