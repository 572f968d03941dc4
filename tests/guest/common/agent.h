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

/*
 * For guests with a config of their own, once no core works any more: send all
 * samples, and print of each core what (own) prints, without an end of line,
 * and what the agent has counted:
 *
 *     core N: OWN, N ticks, N missed, N reentered, N full
 */
void agent_print_stats(void (*own)(unsigned core));

/* A channel to a host that never comes; the guest fails if bytes are sent to
 * it. agent_looks() is how often the agent has looked for the host. */
struct tprof_channel;
extern const struct tprof_channel agent_lonely_channel;
unsigned agent_looks(void);

/* Is there the option transport=vsock? For guests with a config of their own.
 */
bool agent_is_vsock(void);

#endif
