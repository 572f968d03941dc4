/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Virtio over PCI: configuration space (PCI 3.0, chapter 6) and the common
 * configuration structure (virtio 1.2, section 4.1.4)
 */
#ifndef TPROF_VIRTIO_PCI_REGS_H
#define TPROF_VIRTIO_PCI_REGS_H

#define PCI_ID      0x00 /* r   vendor, device << 16 */
#define PCI_ID_NONE 0xffffffffu

#define PCI_COMMAND              0x04 /* rw  upper half: status */
#define PCI_COMMAND_MEMORY       (1u << 1)
#define PCI_COMMAND_MASTER       (1u << 2)
#define PCI_COMMAND_INTX_DISABLE (1u << 10)
#define PCI_STATUS_CAPABILITIES  (1u << 20)

#define PCI_HEADER        0x0c /* r   bits 16-22: layout */
#define PCI_HEADER_BRIDGE (1u << 16)
#define PCI_HEADER_LAYOUT (0x7fu << 16)
#define PCI_BAR0          0x10 /* rw */
#define PCI_BARS          6u
#define PCI_BAR_IO        (1u << 0)
#define PCI_BAR_64        (1u << 2)
#define PCI_BUSES         0x18 /* rw  of a bridge; bits 16-23: last */
#define PCI_CAPABILITIES  0x34 /* r   offset of the first */

/* MSI-X capability (PCI 3.0, 6.8.2) and table in memory */
#define PCI_CAP_MSIX       0x11u
#define PCI_MSIX_CONTROL   0x00 /* rw  bits 16-31: */
#define PCI_MSIX_MASK_ALL  (1u << 30)
#define PCI_MSIX_ENABLE    (1u << 31)
#define PCI_MSIX_TABLE     0x04 /* r   offset | BAR */
#define PCI_MSIX_TABLE_BAR 7u
#define MSIX_ENTRY_ADDRESS 0x0 /* rw */
#define MSIX_ENTRY_HIGH    0x4 /* rw */
#define MSIX_ENTRY_DATA    0x8 /* rw */
#define MSIX_ENTRY_CONTROL 0xc /* rw */
#define MSIX_ENTRY_MASKED  (1u << 0)
#define MSIX_ENTRY_SIZE    0x10

/* Vendor-specific capability of a virtio device (4.1.4) */
#define PCI_CAP_ID        0x00 /* r   id, next << 8, length, type << 24 */
#define PCI_CAP_VENDOR    0x09u
#define VIRTIO_CAP_BAR    0x04 /* r   bits 0-7 */
#define VIRTIO_CAP_OFFSET 0x08 /* r   in that BAR */
#define VIRTIO_CAP_LENGTH 0x0c /* r   from there on */
#define VIRTIO_CAP_STEP   0x10 /* r   notify only: bytes for each offset */
#define VIRTIO_CAP_COMMON 1u
#define VIRTIO_CAP_NOTIFY 2u

/* Vendor in bits 0-15, device above; the device is one of two bases + the type
 */
#define VIRTIO_PCI_ID_MODERN(type)         (0x10401af4u + ((type) << 16))
#define VIRTIO_PCI_ID_TRANSITIONAL_CONSOLE 0x10031af4u

/* Common configuration (4.1.4.3); access width in the comment */
#define VIRTIO_PCI_DEVICE_FEATURES_SEL 0x00 /* rw 32 */
#define VIRTIO_PCI_DEVICE_FEATURES     0x04 /* r  32 */
#define VIRTIO_PCI_DRIVER_FEATURES_SEL 0x08 /* rw 32 */
#define VIRTIO_PCI_DRIVER_FEATURES     0x0c /* rw 32 */
#define VIRTIO_PCI_STATUS              0x14 /* rw 8 */
#define VIRTIO_PCI_QUEUE_SEL           0x16 /* rw 16 */
#define VIRTIO_PCI_QUEUE_SIZE          0x18 /* rw 16 reads as maximum first */
#define VIRTIO_PCI_QUEUE_VECTOR        0x1a /* rw 16 entry of MSI-X's table */
#define VIRTIO_PCI_QUEUE_ENABLE        0x1c /* rw 16 */
#define VIRTIO_PCI_QUEUE_NOTIFY_OFF    0x1e /* r  16 */
#define VIRTIO_PCI_QUEUE_DESC          0x20 /* rw 64, as two of 32 */
#define VIRTIO_PCI_QUEUE_AVAIL         0x28 /* rw 64 */
#define VIRTIO_PCI_QUEUE_USED          0x30 /* rw 64 */
#define VIRTIO_PCI_COMMON_SIZE         0x38 /* of all these */

#endif
