/* SPDX-License-Identifier: BSD-2-Clause */
/* HTTP by libcurl. Part of http.c, for its sending process. */
#ifndef TPROF_FLEET_PUSH_RECEIVERS_HTTP_CURL_H
#define TPROF_FLEET_PUSH_RECEIVERS_HTTP_CURL_H

#include "fleet/push/receivers/http.h"
#include "util/err.h"

struct http_curl;

/* Read the files of headers in (c), without connecting. NULL with (e)
 * filled. */
struct http_curl *http_curl_open(const struct http_config *c, struct err *e);
void http_curl_close(struct http_curl *h);

/* Send (r), and fill (a). Stop when (stop_fd) is readable, after (limit_s)
 * seconds, or when the answer with its headers is longer than 64 KiB. */
void http_curl_send(struct http_curl *h, const struct http_request *r,
                    int stop_fd, long limit_s, struct http_answer *a);

/* File or folder (i), 0 or 1, of the certificates that libcurl trusts if the
 * user names none. NULL if libcurl has none. */
const char *http_curl_trusts(unsigned i);

#endif
