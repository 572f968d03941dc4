/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends POST and PUT requests one after another. A separate process has the
 * network and reads the answers; this process gets only a struct http_answer
 * from it. After a request without an answer the process is ended. The next
 * request starts another one, which reads certificates and name servers anew.
 */
#ifndef TPROF_FLEET_PUSH_RECEIVERS_HTTP_H
#define TPROF_FLEET_PUSH_RECEIVERS_HTTP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/err.h"

struct http_config {
    /* file of trusted certificates; NULL: those of the system */
    const char *ca;
    const char *cert;    /* file of the client's certificate; NULL: none */
    const char *key;     /* file of its key; NULL: the key is in (cert) */
    const char *headers; /* file with a header on each line; NULL: none */
    int stop_fd;         /* readable: stop sending */
    /* Called while waiting, at least once a second. */
    void (*alive)(void *context);
    void *context;
    /* Called in the sending process before it connects, to confine this
     * process. The process will open the (count) files and folders at (files),
     * some of them NULL. (limits) is passed on. Returns 0; -1 with (e) filled,
     * and nothing is sent. */
    int (*confine)(const void *limits, const char *const *files, size_t count,
                   struct err *e);
    const void *limits;
};

/* Size for the beginning of an answer's text. */
#define HTTP_TEXT 160
#define HTTP_BODY 4096

/* Values of (status) that are not from the receiver. */
enum {
    HTTP_NONE = 0,     /* no answer came; (text) says why */
    HTTP_STOPPED = -1, /* the user stopped */
    HTTP_UNABLE = -2,  /* the sending process could not send; (text) says why */
};

struct http_answer {
    int status;
    uint64_t retry_after_ms; /* 0: not requested */
    uint64_t rejected;       /* number of rejected profiles, set by look() */
    char text[HTTP_TEXT];    /* text for an err_set() */
};

struct http_request {
    const char *url;
    const char *headers[4]; /* "Name: value", NULL after the last */
    FILE *body;             /* sent from its beginning to its end */
    const char *method;     /* NULL: POST */
    /* Signature as in CURLOPT_AWS_SIGV4, and KEY:SECRET for the signature;
     * NULL: not signed. */
    const char *sign, *user;
    /* Called for a successful answer, to read the beginning of its body and
     * put the result into (a). May be NULL. */
    void (*look)(struct http_answer *a, const uint8_t *body, size_t size);
};

struct http;

/* NULL with (e) filled on failure. */
struct http *http_open(const struct http_config *c, struct err *e);
void http_close(struct http *h);

/* Send (request), and fill (a). An answer may take 60 s, and one second more
 * for each 64 KiB that are sent. */
void http_send(struct http *h, const struct http_request *request,
               struct http_answer *a);

/* Append (text) to the (size) bytes at (url), with %XX for bytes that a query
 * cannot contain. Returns 0; -1 if there is no room. */
int http_escape(char *url, size_t size, const char *text);

/* http_curl.c: HTTP by libcurl. For the sending process of
 * http.c. */

struct http_curl;

/* Read the files of headers in (c), without connecting. NULL with (e)
 * filled. */
struct http_curl *http_curl_open(const struct http_config *c, struct err *e);
void http_curl_close(struct http_curl *h);

/* Send (r), and fill (a). Stop when (stop_fd) is readable, after (limit_s)
 * seconds, or when the answer with its headers is longer than 64 KiB. */
void http_curl_send(struct http_curl *h, const struct http_request *r,
                    int stop_fd, long limit_s, struct http_answer *a);

/* Returns the file or folder (i), 0 or 1, of the certificates that libcurl
 * trusts if the user names no file. NULL if libcurl has none. */
const char *http_curl_trusts(unsigned i);

#endif
