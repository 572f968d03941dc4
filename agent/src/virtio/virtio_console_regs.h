/* SPDX-License-Identifier: BSD-2-Clause */
/* The console device. Virtio 1.2, section 5.3 */
#ifndef TPROF_VIRTIO_CONSOLE_REGS_H
#define TPROF_VIRTIO_CONSOLE_REGS_H

#define VIRTIO_CONSOLE_F_MULTIPORT (1ull << 1)

/* Queues (5.3.2): port 0 has 0 and 1, port n has 2n + 2 and 2n + 3 */
#define VIRTIO_CONSOLE_QUEUE_CONTROL_IN  2u
#define VIRTIO_CONSOLE_QUEUE_CONTROL_OUT 3u

/* Control message (5.3.6.2): u32 port, u16 event, u16 value, then the name */
#define VIRTIO_CONSOLE_CONTROL_SIZE 8u
#define VIRTIO_CONSOLE_DEVICE_READY 0u /* to the device */
#define VIRTIO_CONSOLE_PORT_ADD     1u /* from it */
#define VIRTIO_CONSOLE_PORT_REMOVE  2u /* from it */
#define VIRTIO_CONSOLE_PORT_READY   3u /* to the device, which answers */
#define VIRTIO_CONSOLE_PORT_OPEN    6u /* both ways; value 1 open, 0 closed */
#define VIRTIO_CONSOLE_PORT_NAME    7u /* from it */

#endif
