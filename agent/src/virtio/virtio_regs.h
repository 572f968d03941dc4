/* SPDX-License-Identifier: BSD-2-Clause */
/* Values that are the same on every bus. Virtio 1.2, sections 2.1, 2.2 and 5 */
#ifndef TPROF_VIRTIO_REGS_H
#define TPROF_VIRTIO_REGS_H

/* Device status (2.1); writing 0 resets */
#define VIRTIO_STATUS_ACKNOWLEDGE 0x01u
#define VIRTIO_STATUS_DRIVER      0x02u
#define VIRTIO_STATUS_DRIVER_OK   0x04u
#define VIRTIO_STATUS_FEATURES_OK 0x08u
#define VIRTIO_STATUS_NEEDS_RESET 0x40u
#define VIRTIO_STATUS_FAILED      0x80u

/* Feature bits (6) */
#define VIRTIO_F_VERSION_1       (1ull << 32) /* absent: a legacy device */
#define VIRTIO_F_ACCESS_PLATFORM (1ull << 33) /* memory is behind an IOMMU */

/* Device types (5) */
#define VIRTIO_TYPE_CONSOLE 3u
#define VIRTIO_TYPE_VSOCK   19u

#endif
