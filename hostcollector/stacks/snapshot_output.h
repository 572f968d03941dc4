/* SPDX-License-Identifier: BSD-2-Clause */
/* The stacks of all cores at one moment, as text and for programs. */
#ifndef TPROF_STACKS_SNAPSHOT_OUTPUT_H
#define TPROF_STACKS_SNAPSHOT_OUTPUT_H

#include <stdio.h>

#include "report/render.h"
#include "stacks/snapshot.h"

/* Write (l) as text. (r) has the width and the colours. */
void snapshot_text(FILE *out, const struct report *r,
                   const struct snapshot_look *l);

/* Write (l) into a file. render_snapshot_json has begun the file and will end
 * it. */
void snapshot_json(FILE *out, const struct snapshot_look *l);

/* Writer of the beginning and the end of this JSON. Its (write) is NULL. */
extern const struct render_ops render_snapshot_json;

#endif
