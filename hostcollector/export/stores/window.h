/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a recording is for a store: samples of one guest and build over some
 * time. Numbers, and labels of plain text, so that nobody need parse what a
 * recording holds. Leaf.
 */
#ifndef TPROF_EXPORT_STORES_WINDOW_H
#define TPROF_EXPORT_STORES_WINDOW_H

#include <stdint.h>

#include "model/guest.h"

#define WINDOW_ID     16u
#define WINDOW_LABELS 4096u /* more than 16 labels take (origin.h) */

struct window {
    /* The same for the same guest, window and build, and for nothing else: by
     * it a receiver drops what it has already. */
    uint8_t id[WINDOW_ID];
    uint64_t from_ns;   /* since 1970; 0: unknown */
    uint64_t length_ns; /* 0: unknown */
    uint64_t period_ns; /* mean time between two samples; 0: unknown */
    uint64_t samples, lost;
    uint8_t build_id[GUEST_BUILD_ID_MAX]; /* of the kernel */
    uint32_t build_id_len;                /* 0: none is known */
    uint32_t nameless; /* 1: nothing is known of the kernel's image */
    /* "zone=a", one behind the other, each with its NUL. */
    char labels[WINDOW_LABELS];
};

/* Room for an id in hexadecimal digits. */
#define WINDOW_HEX (2 * WINDOW_ID + 1)

#endif
