/* SPDX-License-Identifier: BSD-2-Clause */
/* Virtio over MMIO. Virtio 1.2, section 4.2.2; legacy: 4.2.4. All 32 bits */
#ifndef TPROF_VIRTIO_MMIO_REGS_H
#define TPROF_VIRTIO_MMIO_REGS_H

#define VIRTIO_MMIO_MAGIC       0x000       /* r */
#define VIRTIO_MMIO_MAGIC_VALUE 0x74726976u /* "virt" */
#define VIRTIO_MMIO_VERSION     0x004       /* r   1: legacy, 2: virtio 1.x */
#define VIRTIO_MMIO_DEVICE_TYPE 0x008       /* r   0: nothing plugged in */

#define VIRTIO_MMIO_DEVICE_FEATURES     0x010 /* r */
#define VIRTIO_MMIO_DEVICE_FEATURES_SEL 0x014 /* w   0: bits 0-31, 1: 32-63 */
#define VIRTIO_MMIO_DRIVER_FEATURES     0x020 /* w */
#define VIRTIO_MMIO_DRIVER_FEATURES_SEL 0x024 /* w */

#define VIRTIO_MMIO_GUEST_PAGE_SIZE 0x028 /* w   legacy: unit of QUEUE_PFN */

#define VIRTIO_MMIO_QUEUE_SEL      0x030 /* w   queue of the next registers */
#define VIRTIO_MMIO_QUEUE_SIZE_MAX 0x034 /* r   0: no such queue */
#define VIRTIO_MMIO_QUEUE_SIZE     0x038 /* w */
#define VIRTIO_MMIO_QUEUE_ALIGN    0x03c /* w   legacy: of the used ring */
#define VIRTIO_MMIO_QUEUE_PFN      0x040 /* rw  legacy: ring address / unit */
#define VIRTIO_MMIO_QUEUE_READY    0x044 /* rw */
#define VIRTIO_MMIO_QUEUE_NOTIFY   0x050 /* w   index of the queue */

#define VIRTIO_MMIO_INTERRUPT_STATUS 0x060 /* r   why the line is up */
#define VIRTIO_MMIO_INTERRUPT_ACK    0x064 /* w   the bits seen: line down */

#define VIRTIO_MMIO_STATUS 0x070 /* rw */

#define VIRTIO_MMIO_QUEUE_DESC  0x080 /* w   low half, high half 4 bytes on */
#define VIRTIO_MMIO_QUEUE_AVAIL 0x090 /* w */
#define VIRTIO_MMIO_QUEUE_USED  0x0a0 /* w */

#define VIRTIO_MMIO_SIZE 0x100 /* of all these */

#endif
