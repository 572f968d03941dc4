/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What config.transport points to: one table for each way to the host other
 * than virtio-serial, so that a kernel links only the one that it names.
 */
#ifndef TPROF_TRANSPORT_H
#define TPROF_TRANSPORT_H

#include <stdint.h>

#include "tprof/tprof.h"

struct tprof_transport {
    /*
     * Find the device by (where), claim it, and make (channel) a way through
     * it. (memory) is as large as struct tprof_console, aligned to its pages,
     * physically contiguous, and nobody else's from now on. (physical) is the
     * physical less the virtual address of (memory), and of all that is sent.
     * (channel) stays where it is: its flags may change while it lives.
     *
     * Called once, in tprof_init(). Returns TPROF_OK, or TPROF_ERR_DEVICE if
     * there is none; then none that was looked at is left running.
     */
    int (*init)(void *memory, const struct tprof_device *where,
                uint64_t physical, struct tprof_channel *channel);
};

#endif
