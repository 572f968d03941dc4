/* SPDX-License-Identifier: BSD-2-Clause */
/* The origin of recordings: their guest, host and labels. */
#ifndef TPROF_FLEET_PUSH_PUSH_ORIGIN_H
#define TPROF_FLEET_PUSH_PUSH_ORIGIN_H

#include "fleet/push/push_config.h"

/* The origin. (is) points into the struct, so do not copy the struct: the copy
 * would have the guest of the original. */
struct push_origin {
    /* origin of the recording last passed to push_origin_name() */
    struct origin is;
    char host[256], guest[256];
};

/* Set the host and the labels, which (o) gives for all recordings. (o) must
 * outlive (p). */
void push_origin_begin(struct push_origin *p, const struct push_config *o);

/* Set the guest to NAME for the recording (path), called NAME.tprof or
 * NAME.DIGITS.tprof. */
void push_origin_name(struct push_origin *p, const char *path);

#endif
