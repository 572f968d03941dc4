/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The profiler as a kit's guest uses it, by three calls that do nothing where
 * the guest is built WITHOUT_AGENT, or booted with agent=0 or without a device.
 *
 * Options: rate=HZ depth=FRAMES seed=N notice=N as in struct tprof_config;
 *          transport=vsock instead of virtio-serial; kvm=1: the hypervisor is
 *          asked for what KVM tells its guests
 */
#ifndef GUEST_AGENT_H
#define GUEST_AGENT_H

#include <stdbool.h>

/* Once, on core 0, before core_start_others(). */
void agent_init(void);

/* On each core that shall be sampled, core 0 included. */
void agent_start_core(void);

/* Before guest_exit(): what was sampled reaches the host. */
void agent_end(void);

/* Is there the option transport=vsock? For guests with a config of their own.
 */
bool agent_is_vsock(void);

#endif
