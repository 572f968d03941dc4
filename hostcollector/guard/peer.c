/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks which user's process is at the other end of a Unix socket. */
#include "guard/peer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>

int peer_judge(const struct peer_rule *r, uid_t uid, const char *what,
               struct err *e)
{
    /* getauxval() is no system call, so the sandbox need not allow it */
    uid_t own = (uid_t)getauxval(AT_EUID);

    if (r->any || uid == own || uid == 0 || (r->other && uid == r->uid))
        return 0;
    return err_set(e,
                   "%s belongs to user %u, who is neither you nor root; if "
                   "that is right, add --peer %u",
                   what, uid, uid);
}

int peer_check(const struct peer_rule *r, int fd, const char *what,
               struct err *e)
{
    struct ucred peer;
    socklen_t size = sizeof peer;

    if (r->any)
        return 0;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return err_sys(e, what);
    return peer_judge(r, peer.uid, what, e);
}

bool peer_parse(struct peer_rule *r, const char *text)
{
    char *end;

    r->any = strcmp(text, "any") == 0;
    if (r->any)
        return true;
    errno = 0;
    unsigned long n = strtoul(text, &end, 10);

    r->other = true;
    r->uid = (uid_t)n;
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 &&
           n < (uid_t)-1;
}
