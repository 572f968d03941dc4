/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stores that take profiles, and the formats that each store takes. A window is
 * sent as one or several parts. Each part is a file in a format of export/, or
 * the recording itself. If a window is sent twice, the receiver recognizes it
 * by its id, its key, or its name.
 */
#ifndef TPROF_FLEET_PUSH_RECEIVERS_RECEIVER_H
#define TPROF_FLEET_PUSH_RECEIVERS_RECEIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "export/stores/window.h"
#include "fleet/push/receivers/http.h"
#include "model/origin.h"
#include "report/render.h"
#include "util/err.h"

#define RECEIVER_PARTS 2u
#define RECEIVER_URL   4096u

enum receiver_answer {
    RECEIVER_TOOK,
    RECEIVER_REFUSED, /* refuses this window for good */
    RECEIVER_LATER,   /* is away, or has no room now: try again */
    RECEIVER_WRONG,   /* takes no window in this form: see (e) */
    RECEIVER_STOPPED, /* the user stopped */
};

/* A window to be sent. */
struct parcel {
    const struct origin *origin;
    struct origin labelled; /* the origin, with labels of the recording added */
    struct window window;
    FILE *parts[RECEIVER_PARTS]; /* regular files */
    const char *suffix;          /* file name suffix of (parts[0]) */
};

struct receiver;

struct receiver_kind {
    const char *name; /* as in NAME+https://host/ and in --as */
    const char *path; /* path to add to a URL without a path */
    const struct render_ops *parts[RECEIVER_PARTS]; /* NULL after the last */
    bool joins; /* parts of several windows may be joined */
    /* Sends (part). Returns as receiver_send() does. */
    enum receiver_answer (*send)(struct receiver *r, const struct parcel *p,
                                 size_t part, struct err *e);
};

struct receiver {
    const struct receiver_kind *kind;
    char url[RECEIVER_URL]; /* URL, or path of a folder */
    /* Format for a folder; NULL: recordings. */
    const struct render_ops *format;
    struct http *http; /* NULL: a folder */
    bool away;         /* no answer to the last request, or no room */
    /* requested by the last answer; 0: not requested */
    uint64_t retry_after_ms;
};

/* The user's settings for a receiver. */
struct receiver_config {
    const char *to;     /* a URL, or the path of a folder */
    const char *as;     /* name of a kind; NULL: the URL has it */
    const char *format; /* format for folders; NULL: recordings */
    struct http_config http;
};

/* Open the receiver that (c) names, without connecting to it. Returns 0; -1
 * with (e) filled. Call receiver_close() in both cases. */
int receiver_open(struct receiver *r, const struct receiver_config *c,
                  struct err *e);
void receiver_close(struct receiver *r);

/* Returns the place of (r) for messages: its URL without passwords. */
#define RECEIVER_PLACE 128u
const char *receiver_place(const struct receiver *r,
                           char place[RECEIVER_PLACE]);

/* Returns the format of part (part). NULL after the last part. Also NULL for a
 * recording, which is its only part. */
const struct render_ops *receiver_part(const struct receiver *r, size_t part);

/* Send all parts of (p), in order. Fills (e) unless the answer is
 * RECEIVER_TOOK or RECEIVER_STOPPED. */
enum receiver_answer receiver_send(struct receiver *r, const struct parcel *p,
                                   struct err *e);

/* Names of all kinds, separated by commas. */
const char *receiver_names(void);

#endif
