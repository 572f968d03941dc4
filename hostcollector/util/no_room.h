/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors that end when somebody makes room. Leaf. */
#ifndef TPROF_UTIL_NO_ROOM_H
#define TPROF_UTIL_NO_ROOM_H

#include <errno.h>
#include <stdbool.h>

/* Is (error), an errno, that of a disk or a quota that is full? */
static inline bool no_room(int error)
{
    return error == ENOSPC || error == EDQUOT;
}

#endif
