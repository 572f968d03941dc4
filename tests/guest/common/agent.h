/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The profiler as a kit's guest uses it, by three calls that do nothing where
 * the guest is built WITHOUT_AGENT or booted with agent=0.
 *
 * Options: rate=HZ depth=FRAMES seed=N as in struct tprof_config.
 */
#ifndef GUEST_AGENT_H
#define GUEST_AGENT_H

/* Once, on core 0, before core_start_others(). */
void agent_init(void);

/* On each core that shall be sampled, core 0 included. */
void agent_start_core(void);

/* Before guest_exit(): what was sampled reaches the host. */
void agent_end(void);

#endif
