/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One POST or PUT after another. A process of its own has the network, and
 * reads what receivers say: of that, this one hears a struct http_answer. After
 * a request without an answer the process is ended, and the next request starts
 * another one, which finds certificates and name servers as they are by then.
 */
#ifndef TPROF_FLEET_PUSH_RECEIVERS_HTTP_H
#define TPROF_FLEET_PUSH_RECEIVERS_HTTP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/err.h"

struct http_config {
    const char *ca;      /* file of certificates to trust; NULL: the system's */
    const char *cert;    /* file of ours; NULL: none */
    const char *key;     /* file of its key; NULL: it is in (cert) */
    const char *headers; /* file with a header a line; NULL: none */
    int stop_fd;         /* readable: give up */
    /* Called meanwhile, at least once a second. */
    void (*alive)(void *context);
    void *context;
    /* Called with (limits) in the process that sends, to confine it before it
     * hears anybody: it will open the (count) files and folders at (files),
     * some of them NULL. Returns 0; -1 with (e) filled: nothing is sent. */
    int (*confine)(const void *limits, const char *const *files, size_t count,
                   struct err *e);
    const void *limits;
};

/* Room for the beginning of what a receiver says. */
#define HTTP_TEXT 160
#define HTTP_BODY 4096

/* Statuses that are not the receiver's. */
enum {
    HTTP_NONE = 0,     /* there was no answer, and (text) says why */
    HTTP_STOPPED = -1, /* by the user */
    HTTP_UNABLE = -2,  /* that process may not send; (text) says why */
};

struct http_answer {
    int status;
    uint64_t retry_after_ms; /* 0: not asked for */
    uint64_t rejected;       /* as look() has found */
    char text[HTTP_TEXT];    /* for an err_set() */
};

struct http_request {
    const char *url;
    const char *headers[4]; /* "Name: value", NULL behind the last */
    FILE *body;             /* from its beginning to its end */
    const char *method;     /* NULL: POST */
    /* How it is signed, as CURLOPT_AWS_SIGV4 has it, and KEY:SECRET for that;
     * NULL: it is not. */
    const char *sign, *user;
    /* Called where the answer has come, if it is that all is well: to read the
     * beginning of its body, and note in (a) what that says. May be NULL. */
    void (*look)(struct http_answer *a, const uint8_t *body, size_t size);
};

struct http;

/* NULL with (e) filled. */
struct http *http_open(const struct http_config *c, struct err *e);
void http_close(struct http *h);

/* Send (request), and fill (a). An answer has 60 s to come, and one more for
 * each 64 KiB that are sent. */
void http_send(struct http *h, const struct http_request *request,
               struct http_answer *a);

/* Append (text) to the (size) bytes at (url), with %XX where a query would not
 * take it as it is. Returns 0; -1: no room. */
int http_escape(char *url, size_t size, const char *text);

#endif
