/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose program is at the other end of a Unix socket, and may it be? */
#ifndef TPROF_GUARD_PEER_H
#define TPROF_GUARD_PEER_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/err.h"

/* Zeroed: the user of this process, and root. */
struct peer_rule {
    bool any;   /* everybody */
    bool other; /* (uid), too */
    uid_t uid;
};

/*
 * May (uid) be the peer? (what) begins the sentence that refuses: "a client of
 * /tmp/vsock". Returns 0; -1 with (e) filled, which names the option --peer.
 */
int peer_judge(const struct peer_rule *r, uid_t uid, const char *what,
               struct err *e);

/* The same of the process that connected to the Unix socket (fd), or that
 * listened where (fd) has connected. */
int peer_check(const struct peer_rule *r, int fd, const char *what,
               struct err *e);

/* Read (text), "any" or a user's number, into (r). Returns whether it is one.
 */
bool peer_parse(struct peer_rule *r, const char *text);

#endif
