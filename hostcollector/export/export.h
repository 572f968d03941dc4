/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers of files for other tools. These files are written path by path, so
 * memory does not grow with them. Their times are whole nanoseconds. */
#ifndef TPROF_EXPORT_EXPORT_H
#define TPROF_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "model/profile.h"
#include "model/view.h"
#include "report/render.h"

/* Position of export_next(). */
struct export_cursor {
    size_t core;           /* index of profile.cores; set by the caller */
    size_t entry;          /* of (path) */
    struct view_path path; /* valid until the next call */
    size_t next;
};

/* Read the next path of a core: all samples of one entry. Returns false after
 * the last path, or if there is no memory; then (to->no_memory) is set. */
bool export_next(struct render *to, const struct report *r,
                 struct export_cursor *c);

/* Returns (ticks) of the guest's clock in nanoseconds, at least 0, and small
 * enough for every tool. If the clock's rate is unknown, returns the ticks
 * themselves. */
uint64_t export_ns(const struct profile *p, double ticks);

/* Returns "nanoseconds", or "ticks" if the clock's rate is unknown. */
const char *export_unit(const struct profile *p);

/* Write (name), a frame of folded stacks, with colons in place of semicolons,
 * which separate frames. */
void export_folded_name(FILE *out, const char *name);

#endif
