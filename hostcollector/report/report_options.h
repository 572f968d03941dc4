/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options that change the form of a report, and not its samples: --idle,
 * --of, --sort, --by, --top, --inverted, --callers-of, --function. Text and
 * pages obey them (render_ops.follows). Files for programs contain everything.
 */
#ifndef TPROF_REPORT_REPORT_OPTIONS_H
#define TPROF_REPORT_REPORT_OPTIONS_H

#include "report/render.h"

/* Room for the texts below. */
#define REPORT_OPTIONS_TEXT 512

/* Describe the options of (r) for people: "idle time, rows by total"; "" if
 * there are none. Returns (buf). */
const char *report_options_words(char buf[REPORT_OPTIONS_TEXT],
                                 const struct report *r);

/* Write the options of (r) as typed: "--idle, --sort total". Returns (buf). */
const char *report_options_options(char buf[REPORT_OPTIONS_TEXT],
                                   const struct report *r);

/* Returns the word of --sort for (r)->sort. */
const char *report_options_order(const struct report *r);

#endif
