/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vsock driver on a device made of memory. The test plays the host behind
 * the device, and the pump that uses the driver. Whatever is not as expected
 * fails the case.
 */
#ifndef VSOCK_BED_H
#define VSOCK_BED_H

#include "fake_vsock.h"
#include "state/agent.h"
#include "transport/transport_vsock.h"

#define OWN_CID   3u
#define HOST_CID  2u
#define HOST_PORT 50000u
#define ROOM                                                                   \
    (1u << 20) /* bytes of the host's buffer, unless a test says less */

extern struct tprof_vsock_link vsock;
extern struct tprof_channel channel;

/* A new device, and an agent of two cores with hardware ids 40 and 41. The
 * first watches for a host. No probe ends before the test changes vsock.second.
 */
void plug_in(void);

/* What the driver is told: clock ticks in a second; UINT64_MAX at first. */
extern uint64_t bed_second;

/* Call the driver. */
int bed_init(void);
int bed_open(void);
int bed_send(const void *data, uint32_t size);
uint32_t bed_pending(void);
int bed_receive(void *data, uint32_t size);

/* Let the driver read what has come. There must be no data in it. */
void hear(void);

/* A packet from the test's host, without data. */
struct fake_packet packet(uint16_t op);

/* The host sends such a packet; data; credit; a request from another port. */
void say(uint16_t op);
void say_data(const void *data, uint32_t size);
void give_credit(uint32_t room, uint32_t taken);
void call_from(uint32_t port);

/* Check that the driver's next packet is (op), with the right ports and
 * lengths; or that there is none. */
struct fake_packet expect(uint16_t op);
void expect_nothing(void);

/* Start the driver and attach the host, whose buffer has (room) bytes. */
void attach_with(uint32_t room);
void attach(void);

#endif
