/* SPDX-License-Identifier: BSD-2-Clause */
/* A debuginfod server that lies, and a guest whose images are asked for. */
#ifndef TPROF_LYING_H
#define TPROF_LYING_H

#include "command.h"

enum lie {
    LIE_SILENT,    /* takes the request, and says nothing */
    LIE_BODY,      /* one without end */
    LIE_DRIP,      /* a byte each 0.3 s */
    LIE_HEADERS,   /* X-DEBUGINFOD headers without end */
    LIE_LENGTH,    /* says that 2^60 bytes come, and sends on */
    LIE_GZIP,      /* the file "bomb.gz", which is unpacked by the client */
    LIE_FILE,      /* elsewhere: file://...; the file "there" in this folder */
    LIE_CIRCLE,    /* elsewhere: here */
    LIE_NOT_FOUND, /* which is true */
    LIE_WHEN_LOOKED_AT /* not found, once the file "go" is there */
};

/*
 * Start the server, and have DEBUGINFOD_URLS name it, and DEBUGINFOD_CACHE_PATH
 * the folder "cache". Each request is a byte in the file "requests", and each
 * connection has a process of its own. End it by kill_server().
 */
pid_t start_server(enum lie lie);
void kill_server(pid_t server);

/* Write the file "guest", what an agent has sent, whose kernel is KERNEL's. */
void write_guest(void);

#endif
