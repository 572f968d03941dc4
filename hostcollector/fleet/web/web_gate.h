/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides who may send requests.
 *
 * Each program on this machine can reach a loopback address. So can a web page
 * in a browser on this machine, if the name of its host resolves to 127.0.0.1;
 * but the requests of such a page still name the page's host. So a request must
 * name this machine as its host, or have a token. At a Unix socket the kernel
 * reports the user of the client: this process's user and root may send
 * requests, and other users need the token.
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
    const char *path; /* path of a Unix socket; NULL: a TCP address */
    uid_t own;        /* user of this process, for a Unix socket */
    char token[WEB_GATE_TOKEN_MAX]; /* "": no token is needed */
};

/*
 * Set (g) to the address (listen), "127.0.0.1:9797", "[::1]:9797" or
 * "unix:PATH", which must outlive (g), and to the token in the first line of
 * the file (token_file), which may be NULL. An address that other machines
 * reach needs a token. Returns 0; -1 with (e) filled.
 */
int web_gate_init(struct web_gate *g, const char *listen,
                  const char *token_file, struct err *e);

/* The path in (listen) if it is "unix:PATH"; else NULL. */
const char *web_gate_path(const char *listen);

enum web_gate_answer {
    WEB_GATE_OPEN,
    /* the host is missing, or is not a name with or without a port */
    WEB_GATE_BAD_HOST,
    WEB_GATE_WRONG_HOST,
    WEB_GATE_NO_TOKEN,   /* the token is missing or wrong */
    WEB_GATE_WRONG_USER, /* another user at a Unix socket without a token */
};

/* A request. A header is NULL if it is missing or repeated. */
struct web_request {
    const char *host, *authorization;
    uid_t uid; /* user of the client at a Unix socket */
};

/* Decide whether (r) is answered. */
enum web_gate_answer web_gate_judge(const struct web_gate *g,
                                    const struct web_request *r);

#endif
