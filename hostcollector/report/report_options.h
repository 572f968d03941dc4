/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options that change how a report is shown, not which samples it is of:
 * --idle, --of, --sort, --top, --inverted, --callers-of, --function. Text and
 * pages follow them (render_ops.follows), files for programs have everything.
 */
#ifndef TPROF_REPORT_REPORT_OPTIONS_H
#define TPROF_REPORT_REPORT_OPTIONS_H

#include "report/render.h"

/* Room for what follows. */
#define REPORT_OPTIONS_TEXT 512

/* What was asked for, for people: "idle time, rows by total"; "" if nothing.
 * Returns (buf). */
const char *report_options_words(char buf[REPORT_OPTIONS_TEXT],
                                 const struct report *r);

/* The same as it is typed: "--idle, --sort total". Returns (buf). */
const char *report_options_options(char buf[REPORT_OPTIONS_TEXT],
                                   const struct report *r);

/* The word of --sort for (r)->sort. */
const char *report_options_order(const struct report *r);

#endif
