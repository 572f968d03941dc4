/* SPDX-License-Identifier: BSD-2-Clause */
/* For guests that are nothing without the profiler: an error is their end. */
#ifndef GUEST_MUST_H
#define GUEST_MUST_H

#include <tprof/tprof.h>

#include "guest.h"

static inline void must(int error)
{
    if (error != TPROF_OK)
        guest_fail(tprof_strerror(error));
}

#endif
