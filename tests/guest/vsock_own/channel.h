/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The profiler's channel over a socket of the kernel's own: what a kernel
 * writes that drives its vsock device itself.
 *
 * The driver is not made for two callers at a time. So there is a lock, which
 * the kernel holds while it uses the driver. The two channels differ in what
 * happens when the profiler finds it taken.
 */
#ifndef OWN_CHANNEL_H
#define OWN_CHANNEL_H

#include <tprof/tprof.h>

#define CHANNEL_PORT 7077u

/* Only tprof_poll() calls it: never while the lock is held, which is checked.
 */
extern const struct tprof_channel channel_polled;

/* Called in any interrupt: where the lock is taken, it is busy for now, and
 * whoever holds the lock makes up for it. */
extern const struct tprof_channel channel_irq_safe;

/* Once, after vsock_init(). */
void channel_init(void);

/* Around the kernel's own use of the driver. */
void channel_lock(void);
void channel_unlock(void);

/* Is there a collector? To be asked every now and then, with the lock held. */
void channel_accept(void);

/* How often the profiler found the lock taken. */
uint64_t channel_busy(void);

#endif
