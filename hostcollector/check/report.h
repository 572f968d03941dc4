/* SPDX-License-Identifier: BSD-2-Clause */
/* The facts as text: what a profile will show, and what to do about the rest.
 */
#ifndef TPROF_CHECK_REPORT_H
#define TPROF_CHECK_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "check/facts.h"

/*
 * Write what (s) says of the image at (path): a verdict, what is missing with
 * its remedy, facts, and the compile units by size, (all) of them or the
 * largest. The caller asks ferror().
 */
void check_report(FILE *out, const char *path, const struct check_facts *s,
                  bool all);

/* Parts of it: what is missing; compilers and units. */
void check_report_remedies(FILE *out, const struct check_facts *s);
void check_report_units(FILE *out, const struct check_facts *s, bool all);

#endif
