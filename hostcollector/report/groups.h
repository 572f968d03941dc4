/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The groups of samples that a report shows beside each other: by core, or by
 * another property of the samples (--by). A new property has a word in
 * model/view.h and a row in groups.c.
 */
#ifndef TPROF_REPORT_GROUPS_H
#define TPROF_REPORT_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/name.h"
#include "report/render.h"

struct groups {
    enum view_by by;           /* report.by, or cores if there are none */
    const char *one, *several; /* "thread", "threads" */
    size_t width;              /* columns of a name in the head of a table */
    /* Cores by number; other groups by falling busy time. */
    const struct view_scope *scopes;
    size_t count;
    bool has_trees; /* of calls, in (scopes) */
    /* Memory of (scopes), if the view does not own them; else NULL. */
    struct view_scope *made;
    struct view_row *rows;
};

/* The word of --by for (by), an enum view_by: "thread". */
const char *groups_word(uint32_t by);

/* Find the groups of (r) by r->by. If the guest reports no such groups, or if
 * there is no memory, they are the cores. Call groups_fini() after use. */
void groups_init(struct groups *g, const struct report *r);
void groups_fini(struct groups *g);

/* Write the name of (scope), one of (g), into (buf): "core 2", or the name of a
 * thread or image. Returns (buf). */
const char *groups_name(char buf[NAME_PLAIN], const struct groups *g,
                        const struct report *r, const struct view_scope *scope);

#endif
