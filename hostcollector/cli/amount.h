/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers with units, as people type them. */
#ifndef TPROF_CLI_AMOUNT_H
#define TPROF_CLI_AMOUNT_H

#include <stdint.h>

#include "util/err.h"

/*
 * Read (text), the value of --(option), into (*amount): percent of something
 * ("0.1"), or a time in seconds ("10s", "30m", "12h", "7d"; without a letter
 * seconds), or a size in bytes ("500M", "1G", "2T"). Returns 0; -1 with (e)
 * filled: it is none, or it is 0.
 */
int amount_percent(const char *option, const char *text, double *amount,
                   struct err *e);
int amount_time(const char *option, const char *text, double *amount,
                struct err *e);
int amount_size(const char *option, const char *text, uint64_t *amount,
                struct err *e);

#endif
