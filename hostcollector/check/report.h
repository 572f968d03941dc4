/* SPDX-License-Identifier: BSD-2-Clause */
/* The facts as text: what a profile will show, and what to do about the rest.
 */
#ifndef TPROF_CHECK_REPORT_H
#define TPROF_CHECK_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "check/facts.h"
#include "util/err.h"

/* The file of a report, and the width of its lines. Only a long name may exceed
 * the width. */
struct check_out {
    FILE *file;
    size_t columns;
};

/* Write a report on the image at (path) to standard output, in lines of at most
 * (columns). (all) is as in check_report(). Returns 0; -1 with (e) filled if
 * the image cannot be read, or if tprof cannot run in it (check_refuse()). */
int check_file(const char *path, size_t columns, bool all, struct err *e);

/*
 * Write a report on the facts (s) of the image at (path): a verdict, missing
 * things with their remedies, facts, and compile units by size. (all): write
 * all units, not only the largest. The caller checks ferror().
 */
void check_report(const struct check_out *to, const char *path,
                  const struct check_facts *s, bool all);

/* Parts of check_report(): missing things; compilers and units. */
void check_report_remedies(const struct check_out *to,
                           const struct check_facts *s);
void check_report_units(const struct check_out *to, const struct check_facts *s,
                        bool all);

/* The list of missing things, for remedy.c and remedy_loading.c. */

struct remedy_out {
    const struct check_out *to;
    bool begun; /* the list has its heading */
};

/* Add (text), which is safe to print on a terminal, to the list. */
void say_remedy(struct remedy_out *r, const char *text);

/* Add the remedies for loading: parts of tprof in memory that is not its own,
 * sections that no loader loads, and boot headers. */
void say_loading(struct remedy_out *r, const struct check_facts *s);

#endif
