/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files for other tools have in common: they are written path by path,
 * so that memory does not grow with what is written, and in whole nanoseconds.
 */
#ifndef TPROF_EXPORT_EXPORT_H
#define TPROF_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "model/view.h"
#include "report/render.h"

/* Where export_next() is. */
struct export_cursor {
    size_t core;           /* index of profile.cores; set by the caller */
    size_t entry;          /* of (path) */
    struct view_path path; /* valid until the next call */
    size_t next;
};

/* The next path of a core, all samples of one entry. False behind the last, or
 * if there is no memory: then (to->no_memory) is set. */
bool export_next(struct render *to, const struct report *r,
                 struct export_cursor *c);

/* (ticks) of the guest's clock in nanoseconds; as they are if the clock's rate
 * is not known. At least 0, and small enough for any tool. */
uint64_t export_ns(const struct profile *p, double ticks);

/* "nanoseconds", or "ticks" if the clock's rate is not known. */
const char *export_unit(const struct profile *p);

#endif
