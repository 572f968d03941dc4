/* SPDX-License-Identifier: BSD-2-Clause */
/* Virtio socket device. Virtio 1.2, section 5.10. All registers are in memory.
 */
#ifndef TPROF_VIRTIO_VSOCK_REGS_H
#define TPROF_VIRTIO_VSOCK_REGS_H

/* Queues (5.10.2) */
#define VIRTIO_VSOCK_QUEUE_RX    0u
#define VIRTIO_VSOCK_QUEUE_TX    1u
#define VIRTIO_VSOCK_QUEUE_EVENT 2u
#define VIRTIO_VSOCK_QUEUES      3u

/* A packet's header (5.10.6), before its data: struct tprof_vsock_header */
#define VIRTIO_VSOCK_HEADER_SIZE 44u

#define VIRTIO_VSOCK_TYPE_STREAM 1u

#define VIRTIO_VSOCK_CID_HOST 2u /* 5.10.4 */

#define VIRTIO_VSOCK_OP_REQUEST        1u
#define VIRTIO_VSOCK_OP_RESPONSE       2u
#define VIRTIO_VSOCK_OP_RST            3u
#define VIRTIO_VSOCK_OP_SHUTDOWN       4u
#define VIRTIO_VSOCK_OP_RW             5u /* the only one with data */
#define VIRTIO_VSOCK_OP_CREDIT_UPDATE  6u
#define VIRTIO_VSOCK_OP_CREDIT_REQUEST 7u

/* Flags of SHUTDOWN: what its sender has stopped doing (5.10.6.6) */
#define VIRTIO_VSOCK_SHUTDOWN_RECEIVE (1u << 0)
#define VIRTIO_VSOCK_SHUTDOWN_SEND    (1u << 1)

/* An event is one 32-bit number (5.10.6.7) */
#define VIRTIO_VSOCK_EVENT_SIZE            4u
#define VIRTIO_VSOCK_EVENT_TRANSPORT_RESET 0u

#endif
