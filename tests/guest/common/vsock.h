/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stream sockets over virtio-vsock: a kernel's own driver, which knows nothing
 * of the profiler. Polled: what the host sends is noticed in vsock_poll(), and
 * no call waits. One caller at a time; locking is its users' business. The
 * device is trusted, as a kernel trusts the machine that it runs on.
 *
 * A socket is a number from 0 up. It is the user's from vsock_connect() or
 * vsock_accept() until vsock_close().
 */
#ifndef GUEST_VSOCK_H
#define GUEST_VSOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VSOCK_SOCKETS      16
#define VSOCK_LISTENERS    8
#define VSOCK_BUFFER_BYTES 262144u /* that a socket keeps for its user */

#define VSOCK_HOST 2u /* its CID */

enum {
    VSOCK_NONE = -1, /* no socket now */
    VSOCK_END = -2,  /* nothing more will come, or can be sent */
};

/* Once, before all else. False: there is no such device. */
bool vsock_init(void);

/* The machine's own address. */
uint64_t vsock_cid(void);

/* Take in what has come, send what is owed. To be called again and again;
 * 16 packets at most are looked at in one call. */
void vsock_poll(void);

/*
 * Whoever connects to (port) is welcome, as long as it is not more than (most)
 * at a time; others are refused. False: there are too many listeners.
 */
bool vsock_listen(uint32_t port, unsigned most);

/* A socket for somebody who has connected to (port), or VSOCK_NONE. */
int vsock_accept(uint32_t port);

/* A socket that will be connected to (port) of (cid), or, if refused there,
 * at its end; VSOCK_NONE: all are in use. */
int vsock_connect(uint64_t cid, uint32_t port);

/*
 * Copies up to (size) bytes from (data), as many as the peer and the device
 * have room for, and returns how many; VSOCK_END: the peer takes no more.
 */
int vsock_send(int socket, const void *data, size_t size);

/* Copies up to (size) received bytes to (data). Returns how many; 0: none
 * now; VSOCK_END: none will come. */
int vsock_receive(int socket, void *data, size_t size);

/* Bytes that vsock_receive() would give at once, as far as they lie together,
 * at (*data) until vsock_taken(); returns as vsock_receive(). */
int vsock_peek(int socket, const void **data);
void vsock_taken(int socket, size_t size);

/* Nothing more will be sent; what was sent still arrives. */
void vsock_shutdown(int socket);

/* The socket is no longer the user's. What was sent still arrives. */
void vsock_close(int socket);

#endif
