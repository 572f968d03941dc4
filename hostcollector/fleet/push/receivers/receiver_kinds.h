/* SPDX-License-Identifier: BSD-2-Clause */
/* All kinds of receivers, one file each, and functions that the kinds with HTTP
 * share. */
#ifndef TPROF_FLEET_PUSH_RECEIVERS_RECEIVER_KINDS_H
#define TPROF_FLEET_PUSH_RECEIVERS_RECEIVER_KINDS_H

#include "fleet/push/receivers/receiver.h"

extern const struct receiver_kind receiver_folder;
extern const struct receiver_kind receiver_clickhouse;
extern const struct receiver_kind receiver_pyroscope;
extern const struct receiver_kind receiver_pyroscope_folded;
extern const struct receiver_kind receiver_pyroscope_push;
extern const struct receiver_kind receiver_parca;
extern const struct receiver_kind receiver_coroot;
extern const struct receiver_kind receiver_otlp;
extern const struct receiver_kind receiver_otlp_json;
extern const struct receiver_kind receiver_s3;

/* Send (request), and judge its answer. Returns as receiver_send() does. */
enum receiver_answer receiver_post(struct receiver *r,
                                   const struct http_request *request,
                                   struct err *e);

/* Returns the meaning of the answer (a) to a request of (r), for most
 * receivers. */
enum receiver_answer receiver_judge(struct receiver *r,
                                    const struct http_answer *a, struct err *e);

/* Append "&KEY=VALUE" to the (size) bytes at (url), or "?KEY=VALUE" for the
 * first key. Characters that a query cannot contain are escaped. A value for
 * which there is no room is left out. */
void url_query(char *url, size_t size, const char *key, const char *value);

/* Size of a URL with its query. */
#define URL_ROOM (RECEIVER_URL + 16384u)

/* Size for parcel_name(). */
#define PARCEL_NAME 256

/* Write the file or object name of (p) into (buf): GUEST/DATE/TIME-ID.SUFFIX.
 * The name is the same if (p) is sent twice. Returns (buf). */
char *parcel_name(char buf[PARCEL_NAME], const struct parcel *p);

#endif
