/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose recordings are: of which guest and host, and with which labels. */
#ifndef TPROF_FLEET_PUSH_PUSH_ORIGIN_H
#define TPROF_FLEET_PUSH_PUSH_ORIGIN_H

#include "cli/options.h"

/* (is) points into the struct: a copy would name the guest of the original. */
struct push_origin {
    struct origin is; /* the origin of the recording that was named last */
    char host[256], guest[256];
};

/* Set the host and the labels, which (o) tells of all recordings. (o) must
 * outlive (p). */
void push_origin_begin(struct push_origin *p, const struct options *o);

/* Set the guest to that of the recording (path), which is called NAME.tprof or
 * NAME.DIGITS.tprof: to NAME. */
void push_origin_name(struct push_origin *p, const char *path);

#endif
