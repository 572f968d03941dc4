/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A transport finds a device that leads to the host, and makes it a channel
 * (tprof.h). Each has a table, so that a kernel links only the one that
 * config.transport names; but virtio-serial, which is used when none is named.
 * A transport knows no cores and no agent.
 */
#ifndef TPROF_TRANSPORT_H
#define TPROF_TRANSPORT_H

#include <stdint.h>

#include "tprof/tprof.h"

/* Bytes of memory that a transport gets. Each one asserts that it needs no
 * more. */
#define TPROF_TRANSPORT_MEMORY 10240u

/* Given to a transport. */
struct tprof_transport_setup {
    /* TPROF_TRANSPORT_MEMORY bytes from a page boundary on. They are physically
     * contiguous, and the transport's alone from now on. */
    void *memory;
    /* The physical less the virtual address of (memory), and of all bytes that
     * the channel will send. 0 where memory is mapped one to one. */
    uint64_t physical;
    /* Where to look for the device. Stays as it is while the channel lives. */
    const struct tprof_device *where;
    /* Clock ticks in a second, or a guess. */
    uint64_t second;
    /* The kernel's, with its hook accept(). Stays as it is. */
    const struct tprof_config *config;
    /* Where the transport counts callers that may not attach. */
    uint64_t *turned_away;
};

struct tprof_transport {
    /*
     * Finds the device, takes it, and fills in (channel), which is all 0.
     * (channel) stays where it is: the transport may change its flags later.
     *
     * Called once, in tprof_init(), where it may use PCI configuration space
     * and wait. Returns TPROF_OK; or TPROF_ERR_DEVICE, _DEVICE_* or _IO_PORT:
     * why there is no such device; each device that was tried is reset.
     */
    int (*init)(const struct tprof_transport_setup *setup,
                struct tprof_channel *channel);
    /* Resets the device, which uses (memory) no more, and masks its interrupt.
     * Called once, in tprof_exit(); may wait. NULL: there is nothing to do. */
    void (*exit)(void *memory);
    /* Begins anew with the device, whatever half of a call has been done: a
     * core was reset in the middle of it. The host, if there was one, is gone.
     * (context) is the channel's. May wait. NULL: there is nothing to do. */
    void (*restart)(void *context);
};

/* virtio-serial: a port named "tprof.0" (transport_console.h). Called directly,
 * so that an agent without another transport has no table of addresses: such
 * tables are the only initialised data that a kernel's loader has to bring. */
int tprof_console_init(const struct tprof_transport_setup *setup,
                       struct tprof_channel *channel);
void tprof_console_exit(void *memory);
void tprof_console_restart(void *context);

#endif
