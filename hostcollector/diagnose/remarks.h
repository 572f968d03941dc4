/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a reader must know beside the numbers. A report shows warnings above the
 * tables and notes below them.
 */
#ifndef TPROF_DIAGNOSE_REMARKS_H
#define TPROF_DIAGNOSE_REMARKS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/profile.h"
#include "model/view.h"

#define REMARKS_MAX 40
#define REMARK_SIZE 600

struct remark {
    bool warning;
    bool first;             /* a note that a short report shows, too */
    char text[REMARK_SIZE]; /* one paragraph, harmless on a terminal */
};

/* Zeroed: empty. REMARKS_MAX are kept; further ones are left out. */
struct remarks {
    size_t count;
    struct remark list[REMARKS_MAX];
    /* The host did not run the cores for a good part of the time: samples are
     * late in all code alike. */
    bool host_short;
};

/* Add a remark as printf would; control characters in it are escaped. */
void remarks_warn(struct remarks *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void remarks_note(struct remarks *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Add a note without which the tables would be read wrongly. */
void remarks_note_first(struct remarks *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Add the remarks that (p) and (v) give reason for: why there are no or few
 * samples, what was lost and where, why stacks are short. Each says what to do.
 */
void remarks_diagnose(struct remarks *r, const struct profile *p,
                      const struct view *v);

#endif
