/* SPDX-License-Identifier: BSD-2-Clause */
/* One POST or PUT after another, by libcurl. */
#ifndef TPROF_PUSH_HTTP_H
#define TPROF_PUSH_HTTP_H

#include <stdbool.h>
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
};

struct http_request {
    const char *url;
    const char *headers[4]; /* "Name: value", NULL behind the last */
    FILE *body;             /* from its beginning to its end */
    const char *method;     /* NULL: POST */
    /* How it is signed, as CURLOPT_AWS_SIGV4 has it, and KEY:SECRET for that;
     * NULL: it is not. */
    const char *sign, *user;
};

/* Room for the beginning of what a receiver says. */
#define HTTP_TEXT 160
#define HTTP_BODY 4096

struct http_answer {
    int status; /* 0: there was none, and (text) says why */
    bool stopped;
    uint64_t retry_after_ms; /* 0: not asked for */
    char text[HTTP_TEXT];    /* one line, harmless */
    uint8_t body[HTTP_BODY]; /* the beginning, as it came */
    size_t body_size;
};

struct http;

/* NULL with (e) filled. */
struct http *http_open(const struct http_config *c, struct err *e);
void http_close(struct http *h);

/* Send (request), and fill (a). */
void http_send(struct http *h, const struct http_request *request,
               struct http_answer *a);

/* Append (text) to the (size) bytes at (url), with %XX where a query would not
 * take it as it is. Returns 0; -1: no room. */
int http_escape(char *url, size_t size, const char *text);

#endif
