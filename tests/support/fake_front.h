/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A front-end and a guest's driver for the bridge, played by the test: memory
 * in a memfd, two rings in it, messages and packets by hand. The bridge runs in
 * the same process, turn by turn, so nothing has to be waited for.
 */
#ifndef TPROF_FAKE_FRONT_H
#define TPROF_FAKE_FRONT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bridge/bridge.h"
#include "bridge/packet.h"
#include "bridge/vhost_user_msg.h"

#define FRONT_ENTRIES 16u /* of each ring */
#define FRONT_MEMORY  (1u << 20)
#define FRONT_GUEST   0x100000ull       /* where the guest sees its memory */
#define FRONT_USER    0x7f0000000000ull /* and the front-end */
#define FRONT_RX_SIZE 3776u  /* bytes of a buffer, as Linux 6.1 has it */
#define FRONT_TX_MAX  32768u /* of a packet with its header */

#define FRONT_RX 0u
#define FRONT_TX 1u

struct fake_front {
    struct bridge *bridge;
    char dir[32], vhost[48], uds[48]; /* paths */
    char said[400];                   /* the last line, and how many */
    unsigned said_count;
    int stop[2]; /* a pipe */

    int fd; /* to the bridge; -1 */
    int memfd;
    uint8_t *memory;
    int kick[2], call[2];
    uint16_t posted[2], seen[2]; /* of avail, of used */
    uint32_t rx_size;            /* of the buffers to post */
};
extern struct fake_front front;

/* Open a bridge for CID 3 in a new folder. */
void front_bridge(void);

/* Let the bridge do what it can. */
void front_turn(void);
extern unsigned front_turns; /* that this takes: 8 */

/* Connect as QEMU does; then share the memory; then start the rings, with so
 * many receive buffers. front_begin() does all that, and front_bridge(). */
void front_connect(void);
void front_share(void);
void front_start(uint16_t rx_base, uint16_t tx_base);
void front_begin(unsigned buffers);

/* Part without a word. */
void front_leave(void);

/* Close the bridge, and remove the folder. */
void front_end(void);

/* Send a message: (size) bytes at (payload), and descriptors. */
void front_message(uint32_t request, const void *payload, uint32_t size,
                   const int *fds, unsigned fd_count);

/* ... of numbers for a ring; and what came back: its payload's first 8 bytes.
 */
void front_ring_message(uint32_t request, uint32_t ring, uint32_t value);
uint64_t front_answer(void);

/* True if the bridge has closed the connection. */
bool front_dropped(void);

/* Where a ring's parts are in the memory, and its descriptor (i). */
uint8_t *front_desc(unsigned ring, unsigned i);
uint8_t *front_avail(unsigned ring);
uint8_t *front_used(unsigned ring);
uint64_t front_guest(const uint8_t *at);
void front_set_desc(unsigned ring, unsigned i, uint64_t guest, uint32_t size,
                    uint16_t flags, uint16_t next);

/* Make the chain that begins at descriptor (head) available. */
void front_post(unsigned ring, uint16_t head);
void front_kick(unsigned ring);

/* Post (count) receive buffers in two pieces, the first one of 20 bytes. */
void front_post_rx(unsigned count);

/* Send a packet with (size) bytes of data; the bridge takes a turn. */
void front_send(const struct packet *k, const void *data);

/* ... of the usual guest, from (guest_port) to (host_port). */
void front_say(uint32_t guest_port, uint32_t host_port, unsigned op,
               uint32_t flags, const void *data, uint32_t size);

/* The next packet that the guest has got, its data to (data), which has room
 * for FRONT_RX_SIZE or may be NULL; the buffer is posted again unless (keep).
 * False: none. */
bool front_receive(struct packet *k, uint8_t *data, bool keep);

/* The next packet has to be (op); returns it. */
struct packet front_expect(unsigned op);

/* A socket that does not block, connected to (path); -1. */
int front_dial(const char *path);

/* A client at the bridge's socket, which does not block; -1: refused. */
int front_client(void);

/* One that is connected with (guest_port); (*host_port) is the bridge's. */
int front_open(uint32_t guest_port, uint32_t *host_port);

/* Listen at uds_(port). */
int front_listen(uint32_t port);

/* True if (fd) is at its end: no bytes, nobody there. */
bool front_is_closed(int fd);

/* The credit that the packets of front_say() give, 256 KiB if not told. */
extern uint32_t front_alloc, front_fwd;

#endif
