/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording as stores see it: samples of one guest and build over some time.
 * It has only numbers and plain labels, so its reader need not parse the
 * recording. Leaf.
 */
#ifndef TPROF_EXPORT_STORES_WINDOW_H
#define TPROF_EXPORT_STORES_WINDOW_H

#include <stdint.h>

#include "model/guest.h"

#define WINDOW_ID     16u
#define WINDOW_LABELS 4096u /* 16 labels (origin.h) fit */

struct window {
    /* Identifies guest, window and build. Receivers drop a window whose id they
     * have already. */
    uint8_t id[WINDOW_ID];
    uint64_t from_ns;   /* since 1970; 0: unknown */
    uint64_t length_ns; /* 0: unknown */
    uint64_t period_ns; /* mean time between two samples; 0: unknown */
    uint64_t samples, lost;
    uint8_t build_id[GUEST_BUILD_ID_MAX]; /* of the kernel */
    uint32_t build_id_len;                /* 0: unknown */
    uint32_t nameless;                    /* 1: the kernel's image is unknown */
    /* Labels as "zone=a", each with its NUL, without gaps. */
    char labels[WINDOW_LABELS];
};

/* Room for an id in hexadecimal digits. */
#define WINDOW_HEX (2 * WINDOW_ID + 1)

#endif
