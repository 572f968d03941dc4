/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profile + symbols -> view: every address gets its functions, every sample
 * its place in tables and trees. Joins model, symbolize and aggregate.
 */
#ifndef TPROF_VIEW_VIEW_H
#define TPROF_VIEW_VIEW_H

#include "model/profile.h"
#include "model/view.h"

struct symbolizer;
struct opcodes;

/*
 * The view of (p). (s) and (o) name and classify its addresses; both NULL: no
 * image is known, and addresses are the names. (s) must outlive the view.
 *
 * Returns NULL if there is no memory.
 */
struct view *view_new(const struct profile *p, struct symbolizer *s,
                      struct opcodes *o);

/* Release (v). NULL is allowed. */
void view_free(struct view *v);

#endif
