/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stores that take profiles: what each wants to have, and where. A window is
 * handed on in one part or several, each a file in a format of render/ or the
 * recording as it is; what was delivered twice, the receiver tells by the
 * window's id, by its key, or by its name.
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
    RECEIVER_REFUSED, /* this window, and will for ever */
    RECEIVER_LATER,   /* is not there, or has no room now: try again */
    RECEIVER_WRONG,   /* takes nothing that is sent so: see (e) */
    RECEIVER_STOPPED, /* by the user */
};

/* What is sent. */
struct parcel {
    const struct origin *origin;
    struct origin labelled; /* that, with what the recording says */
    struct window window;
    FILE *parts[RECEIVER_PARTS]; /* regular files */
    const char *suffix;          /* of (parts[0]) */
};

struct receiver;

struct receiver_kind {
    const char *name; /* as in NAME+https://host/, and of --as */
    const char *path; /* of a URL that has none */
    const struct render_ops *parts[RECEIVER_PARTS]; /* NULL behind the last */
    bool joins; /* parts of several windows may be sent as one */
    /* Send (part). Returns what receiver_send() does. */
    enum receiver_answer (*send)(struct receiver *r, const struct parcel *p,
                                 size_t part, struct err *e);
};

struct receiver {
    const struct receiver_kind *kind;
    char url[RECEIVER_URL]; /* or the path of a folder */
    /* What a folder takes instead of recordings; NULL: those. */
    const struct render_ops *format;
    struct http *http;       /* NULL: a folder */
    bool away;               /* no answer to the last request, or no room */
    uint64_t retry_after_ms; /* asked for by the last answer; 0: not */
};

/* What the user says of a receiver. */
struct receiver_config {
    const char *to;     /* a URL, or the path of a folder */
    const char *as;     /* a kind's name; NULL: the URL says it */
    const char *format; /* for folders; NULL: recordings */
    struct http_config http;
};

/* Open the receiver that (c) names, without asking it anything. Returns 0; -1
 * with (e) filled. receiver_close() in either case. */
int receiver_open(struct receiver *r, const struct receiver_config *c,
                  struct err *e);
void receiver_close(struct receiver *r);

/* Where (r) is, for people: without what a URL has in it of passwords. */
#define RECEIVER_PLACE 128u
const char *receiver_place(const struct receiver *r,
                           char place[RECEIVER_PLACE]);

/* The format of its (part); NULL behind the last, and for a recording as it is,
 * which is the only part then. */
const struct render_ops *receiver_part(const struct receiver *r, size_t part);

/* Send all parts of (p), in order. (e) is filled unless it RECEIVER_TOOK them
 * or was RECEIVER_STOPPED. */
enum receiver_answer receiver_send(struct receiver *r, const struct parcel *p,
                                   struct err *e);

/* All receivers' names, with commas between. */
const char *receiver_names(void);

#endif
