/* SPDX-License-Identifier: BSD-2-Clause */
/* Remarks for the reader of a report. Warnings appear above the tables, notes
 * below them. */
#ifndef TPROF_DIAGNOSE_REMARKS_H
#define TPROF_DIAGNOSE_REMARKS_H

#include <stdbool.h>
#include <stddef.h>

#define REMARKS_MAX 40
#define REMARK_SIZE 600

struct remark {
    bool warning;
    bool first;             /* a note that a short report shows, too */
    char text[REMARK_SIZE]; /* one paragraph, escaped for terminals */
};

/* Zeroed: empty. Keeps REMARKS_MAX remarks and drops further ones. */
struct remarks {
    size_t count;
    struct remark list[REMARKS_MAX];
    /* The host did not run the cores for much of the time. All code has late
     * samples. */
    bool host_short;
};

/* Add a remark, formatted as by printf. Control characters are escaped. */
void remarks_warn(struct remarks *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void remarks_note(struct remarks *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Add a note that a reader needs to understand the tables. */
void remarks_note_first(struct remarks *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
