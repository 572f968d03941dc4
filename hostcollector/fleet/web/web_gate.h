/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who may ask. Any program of this machine reaches a loopback address, and any
 * web page that a browser on it shows: such a page can have its own name
 * resolve to 127.0.0.1, but its requests still name it as the host. So a
 * request must name this machine, or bring a token. At a Unix socket the kernel
 * tells whose program asks: this process's user and root may, others with the
 * token.
 */
#ifndef TPROF_FLEET_WEB_WEB_GATE_H
#define TPROF_FLEET_WEB_WEB_GATE_H

#include <stdbool.h>
#include <sys/socket.h>

#include "util/err.h"

#define WEB_GATE_TOKEN_MAX 256u /* NUL included */

struct web_gate {
    struct sockaddr_storage address;
    socklen_t size;
    bool loopback;
    const char *path;               /* of a Unix socket; NULL: none */
    uid_t own;                      /* ... and whose process this is */
    char token[WEB_GATE_TOKEN_MAX]; /* "": none is asked for */
};

/*
 * Take (listen), "127.0.0.1:9797", "[::1]:9797" or "unix:PATH", which must
 * outlive (g), and the first line of the file (token_file), which may be NULL.
 * Any other address than of this machine alone wants a token. Returns 0; -1
 * with (e) filled.
 */
int web_gate_init(struct web_gate *g, const char *listen,
                  const char *token_file, struct err *e);

/* The path in (listen), if that is "unix:PATH"; else NULL. */
const char *web_gate_path(const char *listen);

enum web_gate_answer {
    WEB_GATE_OPEN,
    WEB_GATE_BAD_HOST, /* no name, or more than a name and a port */
    WEB_GATE_WRONG_HOST,
    WEB_GATE_NO_TOKEN,   /* or a wrong one */
    WEB_GATE_WRONG_USER, /* of a Unix socket, where there is no token */
};

/* A request. Each header may be NULL: it is not there, or more than once. */
struct web_request {
    const char *host, *authorization;
    uid_t uid; /* of the client at a Unix socket */
};

/* May (r) in? */
enum web_gate_answer web_gate_judge(const struct web_gate *g,
                                    const struct web_request *r);

#endif
