/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where clients wait until the headers of their request are there, which takes
 * none of the places of those that are answered. So a client that is silent,
 * slow or half gone keeps nobody from an answer: when the room is full, the one
 * that waits longest has to go, and a request that comes whole never waits for
 * those that do not.
 */
#ifndef TPROF_FLEET_WEB_ROOM_H
#define TPROF_FLEET_WEB_ROOM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/err.h"

#define ROOM_WAITING    256u /* clients whose request is not answered yet */
#define ROOM_SERVED     64u  /* clients whose request is answered */
/* Of these, as many of one user at a Unix socket, who is told apart. */
#define ROOM_OF_USER    32u
/* A request's line and headers have as many bytes, and come in that time. */
#define ROOM_REQUEST    16384u
#define ROOM_HEADERS_MS 3000u
/* So long a client may take from its connection to the end of its answer; and
 * so long at least, when all places are taken and others have a request. */
#define ROOM_ANSWER_MS  10000u
#define ROOM_LEAST_MS   250u

struct room;

/* For the clients of (listener), of which the room closes the descriptor in the
 * end. NULL with (e) filled; the descriptor stays open then. */
struct room *room_open(int listener, struct err *e);

/* Close all clients that are not served. NULL is allowed. */
void room_close(struct room *r);

/* To be polled for input. */
int room_fd(const struct room *r);

/*
 * Take clients that came, and have (serve) called with (context) for each whose
 * request is here: the descriptor is no longer the room's. Those whose time is
 * up are closed, and those that are served are shut down. Returns for how many
 * milliseconds nothing is due, if nothing comes.
 */
int room_turn(struct room *r, uint64_t now_ms,
              void (*serve)(void *context, int fd), void *context);

/* The answer for (fd) takes time that is not the client's, or does not any
 * more: meanwhile it does not have to go for others. */
void room_hold(struct room *r, int fd, bool hold, uint64_t now_ms);

/* The user of the client (fd) of a Unix socket, which is served. */
uid_t room_user(struct room *r, int fd);

/* (fd), which was served, is closed. */
void room_left(struct room *r, int fd);

#endif
