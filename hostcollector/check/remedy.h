/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of what is missing; only remedy.c and remedy_loading.c include this
 * header. */
#ifndef TPROF_CHECK_REMEDY_H
#define TPROF_CHECK_REMEDY_H

#include <stdbool.h>
#include <stdio.h>

#include "check/facts.h"

struct remedy_out {
    FILE *out;
    bool begun; /* the list has its heading */
};

/* Add (text), which is harmless on a terminal, to the list. */
void say_remedy(struct remedy_out *r, const char *text);

/* Add the remedies for loading: parts of tprof in memory that is not its own,
 * sections that no loader loads, and boot headers. */
void say_loading(struct remedy_out *r, const struct check_facts *s);

#endif
