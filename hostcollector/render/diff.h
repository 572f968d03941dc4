/* SPDX-License-Identifier: BSD-2-Clause */
/* What `collector diff` shows: two sides, their functions, and which of these
 * changed. */
#ifndef TPROF_RENDER_DIFF_H
#define TPROF_RENDER_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "compare/compare.h"
#include "compare/pairs.h"
#include "compare/unit_cost.h"
#include "render/render.h"

/* Before, or after. */
struct diff_side {
    const char *const *files; /* one for each run; escape them */
    size_t runs;
    uint64_t samples;
    double seconds; /* of all runs; 0: not known */
    double busy;    /* mean share of busy time; less than 0: not known */
    double no_name; /* share of busy time that has no function's name */
    /* What a unit of the guest's work took, in seconds of busy core time. */
    struct diff_work {
        char name[GUEST_COUNTER_NAME]; /* escape it */
        struct unit_cost cost;         /* of each run, else it is not used */
    } work[WIRE_PROGRESS_COUNTERS];
    size_t work_count;
};

/* What (before) and the counter of that name after it tell; NULL: after it
 * there is none, or not in each run. */
const struct unit_cost *diff_work_after(const struct diff_side sides[2],
                                        const struct diff_work *before);

struct diff {
    struct diff_side sides[2];
    const struct pair *functions;
    const struct compare_row *rows;
    size_t count; /* of both */
    struct compare_result result;
    const char *const *warnings; /* harmless */
    size_t warning_count;
    uint32_t top; /* functions of each kind; 0: those worth a line */
    bool all;
};

/* Write (d) as text, as wide and coloured as (look) has it. */
void diff_text(FILE *out, const struct report *look, const struct diff *d);

/* Write (d) for programs, as diff.schema.json has it. */
void diff_json(FILE *out, const struct diff *d);

#endif
