/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting clients: their connection is open, but the headers of their request
 * are not complete. A waiting client takes no place of a client that is being
 * served, so a silent or slow client delays no other client. If the room is
 * full, the client that has waited longest is closed. A complete request never
 * waits for incomplete ones.
 */
#ifndef TPROF_FLEET_WEB_ROOM_H
#define TPROF_FLEET_WEB_ROOM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/err.h"

#define ROOM_WAITING    256u /* most clients whose request is not complete */
#define ROOM_SERVED     64u  /* most clients that are being served */
/* Most served clients of one user at a Unix socket, where users are known. */
#define ROOM_OF_USER    32u
/* Largest size of a request's line and headers, and the time for them. */
#define ROOM_REQUEST    16384u
#define ROOM_HEADERS_MS 3000u
/* Time limit for a client, from its connection to the end of its answer. If all
 * places are taken and other requests wait, a client still gets at least
 * ROOM_LEAST_MS. */
#define ROOM_ANSWER_MS  10000u
#define ROOM_LEAST_MS   250u

struct room;

/* Make a room for the clients of (listener), which room_close() closes. NULL
 * with (e) filled; (listener) stays open in that case. */
struct room *room_open(int listener, struct err *e);

/* Close all clients that are not being served. NULL is allowed. */
void room_close(struct room *r);

/* A descriptor to be polled for input. */
int room_fd(const struct room *r);

/*
 * Accept new clients, and call (serve) with (context) for each complete
 * request; the room then leaves the descriptor to (serve). Clients whose time
 * is up are closed, or shut down if they are being served. Returns the number
 * of milliseconds until the next time limit.
 */
int room_turn(struct room *r, uint64_t now_ms,
              void (*serve)(void *context, int fd), void *context);

/* With (hold), the answer to (fd) takes time that is not the client's fault, so
 * the room does not close the client in favour of others. Without (hold), the
 * room may close the client again. */
void room_hold(struct room *r, int fd, bool hold, uint64_t now_ms);

/* Returns the user of the client (fd) of a Unix socket. The client must be
 * being served. */
uid_t room_user(struct room *r, int fd);

/* Note that (fd), which was being served, is closed. */
void room_left(struct room *r, int fd);

#endif
