/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The profiler's channel over a socket of the kernel's own: what a kernel
 * writes that drives its vsock device itself.
 *
 * The driver is not made for two callers at a time. So there is a lock, which
 * the kernel holds while it uses the driver; what happens to a call of the
 * profiler's that finds it taken is the difference between the two channels.
 */
#ifndef OWN_CHANNEL_H
#define OWN_CHANNEL_H

#include <tprof/tprof.h>

#define CHANNEL_PORT 7077u

/* Only tprof_poll() calls it: never while the lock is held, which is checked.
 */
extern const struct tprof_channel channel_polled;

/* Called in any interrupt: where the lock is taken, it is busy for now. */
extern const struct tprof_channel channel_irq_safe;

/* Once, after vsock_init(). */
void channel_init(void);

/* Around the kernel's own use of the driver. */
void channel_lock(void);
void channel_unlock(void);

/* How often the profiler found the lock taken. */
uint64_t channel_busy(void);

#endif
