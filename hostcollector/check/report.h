/* SPDX-License-Identifier: BSD-2-Clause */
/* A survey as text: what a profile will show, and what to do about the rest. */
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
void survey_write(FILE *out, const char *path, const struct survey *s,
                  bool all);

/* Its parts: what is missing; compilers and units. */
void survey_remedies(FILE *out, const struct survey *s);
void survey_units(FILE *out, const struct survey *s, bool all);

/* What a reader calls a language. */
const char *survey_language_name(enum survey_language language);

/* Room for survey_percent(). */
#define SURVEY_PERCENT 8

/* (part) of (whole) as "92 %"; never "100 %" or "0 %" if that is not exact.
 * Returns (buf). */
char *survey_percent(char buf[SURVEY_PERCENT], uint64_t part, uint64_t whole);

#endif
