/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks which user's process is at the other end of a Unix socket. */
#ifndef TPROF_GUARD_PEER_H
#define TPROF_GUARD_PEER_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/err.h"

/* Allowed users. Zeroed: the user of this process, and root. */
struct peer_rule {
    bool any;   /* everybody */
    bool other; /* (uid) is allowed as well */
    uid_t uid;
};

/*
 * May a process of (uid) be the peer? (what) begins the error message, for
 * example "a client of /tmp/vsock". Returns 0; -1 with (e) filled, which names
 * the option --peer.
 */
int peer_judge(const struct peer_rule *r, uid_t uid, const char *what,
               struct err *e);

/* Check the process at the other end of the Unix socket (fd): the one that
 * connected to it, or that listened when (fd) connected. Returns as
 * peer_judge(). */
int peer_check(const struct peer_rule *r, int fd, const char *what,
               struct err *e);

/* Read (text), "any" or a user id, into (r). Returns false if it is neither. */
bool peer_parse(struct peer_rule *r, const char *text);

#endif
