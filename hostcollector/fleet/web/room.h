/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting clients: their connection is open, but the headers of their request
 * are not complete. They take no places of clients that are being served, so a
 * silent or slow client keeps nobody from an answer. If the room is full, the
 * client that has waited longest is closed. A request that is complete never
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
/* Time for a client from its connection to the end of its answer; and the
 * least time for it when all places are taken and other requests wait. */
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
 * of milliseconds until something is due, if nothing comes.
 */
int room_turn(struct room *r, uint64_t now_ms,
              void (*serve)(void *context, int fd), void *context);

/* With (hold), the answer to (fd) takes time that is not the client's fault:
 * do not close the client for others. Without (hold), that is over. */
void room_hold(struct room *r, int fd, bool hold, uint64_t now_ms);

/* The user of the client (fd) of a Unix socket, which is being served. */
uid_t room_user(struct room *r, int fd);

/* Note that (fd), which was being served, is closed. */
void room_left(struct room *r, int fd);

#endif
