/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bridge's other side, played by the test: the vhost-user front-end (QEMU)
 * and a guest's vsock driver. The guest's memory is a memfd with two rings in
 * it; messages and packets are made by hand. The bridge runs in the same
 * process, turn by turn, so that a test never waits.
 */
#ifndef TPROF_FAKE_FRONT_H
#define TPROF_FAKE_FRONT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bridge/bridge.h"
#include "bridge/packet.h"
#include "bridge/vhost_user.h"

#define FRONT_ENTRIES 16u /* of each ring */
#define FRONT_MEMORY  (1u << 20)
#define FRONT_GUEST   0x100000ull       /* the memory's address in the guest */
#define FRONT_USER    0x7f0000000000ull /* ... and in the front-end */
#define FRONT_RX_SIZE 3776u  /* bytes of a buffer, as Linux 6.1 has it */
#define FRONT_TX_MAX  32768u /* of a packet with its header */

#define FRONT_RX 0u
#define FRONT_TX 1u

struct fake_front {
    struct bridge *bridge;
    char dir[32], vhost[48], uds[48]; /* paths */
    char said[400];                   /* the last line that the bridge said */
    unsigned said_count;              /* how many lines it has said */
    int stop[2];                      /* a pipe that tells the bridge to end */

    int fd; /* the connection to the bridge, or -1 */
    int memfd;
    uint8_t *memory;
    int kick[2], call[2];
    /* of each ring: entries posted to avail, entries seen in used */
    uint16_t posted[2], seen[2];
    uint32_t rx_size; /* bytes of a receive buffer */
};
extern struct fake_front front;

/* Open a bridge for CID 3 in a new folder. */
void front_bridge(void);

/* Whom it lets in: nobody else, unless a test says so before. */
extern struct peer_rule front_peers;

/* Let the bridge do what it can now: front_turns turns, 8 unless changed. */
void front_turn(void);
extern unsigned front_turns;

/* The steps in which QEMU begins: connect; share the memory; start the rings.
 * front_begin() does front_bridge() and all three, and then posts (buffers)
 * receive buffers. */
void front_connect(void);
void front_share(void);
void front_start(uint16_t rx_base, uint16_t tx_base);
void front_begin(unsigned buffers);

/* Close the connection without a message. */
void front_leave(void);

/* Close the bridge, and remove the folder. */
void front_end(void);

/* Send the message (request) with (size) bytes at (payload) and (fd_count) file
 * descriptors. */
void front_message(uint32_t request, const void *payload, uint32_t size,
                   const int *fds, unsigned fd_count);

/* Send a message whose payload is a ring's number and a value. */
void front_ring_message(uint32_t request, uint32_t ring, uint32_t value);

/* Returns the first 8 payload bytes of the bridge's next message. */
uint64_t front_answer(void);

/* True if the bridge has closed the connection. */
bool front_dropped(void);

/* Addresses of a ring's parts in this process; front_guest() is the guest's
 * address of any of them. */
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

/* Send packet (k) with its k->length bytes of (data). The bridge takes a turn.
 */
void front_send(const struct packet *k, const void *data);

/* The same from CID 3 to the host, from (guest_port) to (host_port). */
void front_say(uint32_t guest_port, uint32_t host_port, unsigned op,
               uint32_t flags, const void *data, uint32_t size);

/* Take the next packet that the bridge has sent to the guest. Its data are
 * copied to (data), which has room for FRONT_RX_SIZE bytes or is NULL. The
 * buffer is posted again unless (keep). Returns false if there is no packet. */
bool front_receive(struct packet *k, uint8_t *data, bool keep);

/* Take the next packet, whose operation has to be (op). */
struct packet front_expect(unsigned op);

/* A socket that does not block, connected to (path), or -1. */
int front_dial(const char *path);

/* The same, connected to the bridge's own socket; -1 if refused. */
int front_client(void);

/* A client that is connected with (guest_port) of the guest. (*host_port) is
 * the port that the bridge has chosen for it. */
int front_open(uint32_t guest_port, uint32_t *host_port);

/* Listen at the path where the bridge connects for the host port (port). */
int front_listen(uint32_t port);

/* Has the peer of (fd) closed the connection, with all bytes read? */
bool front_is_closed(int fd);

/* The credit in the packets of front_say(): buf_alloc, 256 KiB unless changed,
 * and fwd_cnt. */
extern uint32_t front_alloc, front_fwd;

#endif
