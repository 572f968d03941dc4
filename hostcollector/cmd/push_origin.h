/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose recordings are: of which guest and host, and with which labels. */
#ifndef TPROF_CMD_PUSH_ORIGIN_H
#define TPROF_CMD_PUSH_ORIGIN_H

#include "cmd/options.h"

/* Must stay where it is once it has begun. */
struct push_origin {
    struct origin is; /* of the recording that was named last */
    char host[256], guest[256];
};

/* What (o) says of all recordings; it must outlive (p). */
void push_origin_begin(struct push_origin *p, const struct options *o);

/* The guest of the recording (path): NAME.tprof or NAME.DIGITS.tprof. */
void push_origin_name(struct push_origin *p, const char *path);

#endif
