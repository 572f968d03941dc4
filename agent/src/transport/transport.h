/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A transport finds a device that leads to the host, and makes it a channel
 * (tprof.h). Each transport is a table, so a kernel links only the one that
 * config.transport names, and virtio-serial, which is the default. A transport
 * names no core, and nothing of the agent.
 */
#ifndef TPROF_TRANSPORT_H
#define TPROF_TRANSPORT_H

#include <stdint.h>

#include "tprof/tprof.h"

/* Bytes of memory for a transport. Each transport asserts that it needs no
 * more. */
#define TPROF_TRANSPORT_MEMORY 10240u

/* Input of a transport */
struct tprof_transport_setup {
    /* TPROF_TRANSPORT_MEMORY bytes at a page boundary, physically contiguous.
     * From now on only the transport uses them. */
    void *memory;
    /* Added to a virtual address of (memory), or of a byte that the channel
     * will send, gives the physical address. 0 if memory is mapped one to one.
     */
    uint64_t physical;
    /* The place of the device. Does not change while the channel exists. */
    const struct tprof_device *where;
    /* Clock ticks in a second, or a guess. */
    uint64_t second;
    /* The kernel's config, with its hook accept(). Does not change. */
    const struct tprof_config *config;
    /* The transport's counter of callers that may not attach. */
    uint64_t *turned_away;
};

struct tprof_transport {
    /*
     * Finds the device, takes it, and fills in (channel), which is all 0.
     * (channel) stays at its address: the transport may change its flags later.
     *
     * Called once, in tprof_init(), where it may use PCI configuration space
     * and wait.
     *
     * Returns TPROF_OK. Otherwise returns TPROF_ERR_DEVICE, _DEVICE_* or
     * _IO_PORT, and has reset each device that was tried.
     */
    int (*init)(const struct tprof_transport_setup *setup,
                struct tprof_channel *channel);
    /* Resets the device, which then no longer uses (memory), and masks its
     * interrupt. Called once, in tprof_exit(). May wait. NULL: nothing to do.
     */
    void (*exit)(void *memory);
    /* Begins anew with the device, after a core was reset in the middle of any
     * call. A host that was attached is gone. (context) is the channel's. May
     * wait. NULL: nothing to do. */
    void (*restart)(void *context);
};

/* virtio-serial: a port named "tprof.0" (transport_console.h). Called directly
 * and not by a table. Tables are the only initialised data that a kernel's
 * loader has to bring, so an agent without another transport needs none. */
int tprof_console_init(const struct tprof_transport_setup *setup,
                       struct tprof_channel *channel);
void tprof_console_exit(void *memory);
void tprof_console_restart(void *context);

#endif
