/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A server of memcached's text protocol: get, gets, set, add, replace, append,
 * cas, delete, incr, decr, touch, stats and version.
 */
#ifndef PGO_SERVER_H
#define PGO_SERVER_H

#include "text.h"

/* Do what (request) says, a whole one with its data, and put what the client is
 * told into (out). */
void server_serve(struct text request, struct answer *out);

/* Requests served, and those that made no sense. */
uint64_t server_requests(void);
uint64_t server_errors(void);

#endif
