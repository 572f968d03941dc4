/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Applies --function, --exclude and --callers-of to one guest's samples. Part
 * of guest_run.
 */
#ifndef TPROF_SESSION_GUEST_SELECTION_H
#define TPROF_SESSION_GUEST_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "session/guest_run.h"

/* Have what --exclude names left out, before there is a view; (memory) is as of
 * view_new(). Returns 0; -1 if there is no memory. */
int guest_selection_exclude(struct guest_run *r, uint64_t memory);

/* With samples, but without a function that --function or --callers-of names,
 * (r->unfound) is set, with a remark. */
void guest_selection_find(struct guest_run *r, const struct view *v);

/* Is the code of its kernel at hand, and not only names? */
bool guest_selection_has_code(const struct guest_run *r);

#endif
