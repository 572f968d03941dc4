/* SPDX-License-Identifier: BSD-2-Clause */
/* The receivers there are, a file each; and what those by HTTP share. */
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

/* Send (request), and judge the answer. As receiver_send(). */
enum receiver_answer receiver_post(struct receiver *r,
                                   const struct http_request *request,
                                   struct err *e);

/* What the answer (a) to a request of (r) means, for most receivers. */
enum receiver_answer receiver_judge(struct receiver *r,
                                    const struct http_answer *a, struct err *e);

/* Append "&KEY=VALUE" to the (size) bytes at (url), or "?KEY=VALUE" where that
 * is the first; what a query does not take is escaped. A value for which there
 * is no room is left out. */
void url_query(char *url, size_t size, const char *key, const char *value);

/* Room for a URL with its query. */
#define URL_ROOM (RECEIVER_URL + 16384u)

/* Room for parcel_name(). */
#define PARCEL_NAME 256

/* What (p) is called where files are kept: GUEST/DATE/TIME-ID.SUFFIX, in (buf).
 * It says by its id that it came twice. Returns (buf). */
char *parcel_name(char buf[PARCEL_NAME], const struct parcel *p);

#endif
