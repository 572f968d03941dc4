/* SPDX-License-Identifier: BSD-2-Clause */
/* Where guests are that a test plays. */
#ifndef TPROF_LISTEN_H
#define TPROF_LISTEN_H

#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "check.h"

/* A socket that listens at (path). */
static inline int listen_at(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    CHECK_EQ(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    CHECK_EQ(listen(fd, 8), 0);
    return fd;
}

#endif
