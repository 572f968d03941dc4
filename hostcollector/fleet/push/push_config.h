/* SPDX-License-Identifier: BSD-2-Clause */
/* The user's choices for collector push. */
#ifndef TPROF_FLEET_PUSH_PUSH_CONFIG_H
#define TPROF_FLEET_PUSH_PUSH_CONFIG_H

#include <stdbool.h>

#include "cli/option_kinds.h"
#include "guest/guest_config.h"
#include "model/origin.h"

struct push_config {
    /* images and limits; the time to try a receiver */
    struct guest_config from;
    struct option_words inputs; /* recordings, and folders of recordings */
    const char *to;             /* a URL */
    const char *as;             /* the receiver's kind; NULL: the URL names
                                 * it */
    const char *format;         /* format for a folder; NULL: copies of the
                                 * recordings */
    const char *host;           /* NULL: this machine's name */
    const char *ca;             /* a file; NULL: the system's */
    const char *cert;           /* a file; NULL: none */
    const char *key;            /* a file; NULL: in (cert) */
    const char *headers;        /* a file; NULL: none */
    bool follow;                /* wait for further recordings */
    struct origin_label labels[ORIGIN_LABELS];
    unsigned label_count;
};

#endif
