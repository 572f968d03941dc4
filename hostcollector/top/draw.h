/* SPDX-License-Identifier: BSD-2-Clause */
/* Lays out the screen of collector top: heading, cores, functions, keys. */
#ifndef TPROF_TOP_DRAW_H
#define TPROF_TOP_DRAW_H

#include <stdbool.h>
#include <stdint.h>

#include "top/screen.h"
#include "top/top.h"

/* Facts that a picture shows beside the view. Text is escaped when it is
 * drawn. */
struct top_facts {
    const char *source; /* source of the samples */
    const char *image;  /* NULL: none */
    double seconds;     /* guest time so far */
    /* Settings in effect (0: unknown), and requested ones (0: none). */
    uint32_t rate_hz, depth, asked_rate_hz, asked_depth;
    const char *note;      /* message for the user; NULL: none */
    const char *recording; /* path; NULL: nothing is recorded */
    uint64_t recorded;     /* bytes */
    /* Members for a recording that is played. */
    double speed; /* relative to the speed of the guest */
    double part;  /* part of the recording that was played, 0 to 1 */
    bool ended;
};

/* Draw (t) into (s), of (width) columns and (height) rows. Sets (t->first) and
 * (t->page). */
void top_draw(struct top *t, const struct top_facts *facts, struct screen *s,
              unsigned width, unsigned height);

/* One file each: */

/* Draw the lines of cores, at most (rows) of them. */
void cores_draw(const struct top *t, struct screen *s, unsigned rows);

/* Draw the list of functions in the remaining rows, except for (keep) rows. */
void table_draw(struct top *t, struct screen *s, unsigned keep);

/* Draw the list of keys in place of the list of functions. */
void help_draw(const struct top *t, struct screen *s);

#endif
