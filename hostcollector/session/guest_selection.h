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

/* Leave out the functions that --exclude names, before a view is made. (memory)
 * is as of view_new(). Returns 0; -1 if there is no memory. */
int guest_selection_exclude(struct guest_run *r, uint64_t memory);

/* Set (r->unfound), with a remark, if there are samples but no function has the
 * name in --function or --callers-of. */
void guest_selection_find(struct guest_run *r, const struct view *v);

/* Return true if the code of the kernel is available, and not only names. */
bool guest_selection_has_code(const struct guest_run *r);

#endif
