/* SPDX-License-Identifier: BSD-2-Clause */
/* The result of `collector diff`: two sides, their functions, and the changes.
 */
#ifndef TPROF_DIFF_DIFF_H
#define TPROF_DIFF_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "diff/compare/compare.h"
#include "diff/compare/merged.h"
#include "diff/compare/pairs.h"
#include "diff/compare/unit_cost.h"
#include "report/render.h"
#include "util/err.h"

/* Before, or after. */
struct diff_side {
    const char *const *files; /* one for each run; escape them */
    const char *windows;      /* as in struct report; only of one run */
    size_t runs;
    uint64_t samples;
    double seconds; /* sum of all runs; 0: unknown */
    double busy;    /* mean share of busy time; less than 0: unknown */
    double no_name; /* share of busy time that has no function's name */
};

/* Work that the guest counts in each run. */
struct diff_unit {
    const char *name;            /* name of the units; escape it */
    struct unit_change cost;     /* seconds of busy core time for one unit */
    const struct unit_row *rows; /* by function */
};

enum diff_kind { DIFF_THREAD, DIFF_REQUEST, DIFF_LOCK, DIFF_KINDS };

#define DIFF_FIGURES   3
#define DIFF_ITEM_NAME 160

/* A thread, kind of requests, or lock: its figures before and after. Of a
 * thread the running, ready and blocked parts of its time; of requests the
 * number a second, and the mean of the runs' median and 99th percentile, in
 * seconds; of a lock the time of waits in the time of the run, the contended
 * part of its acquires, and the part of the time in which it is held. */
struct diff_item {
    enum diff_kind kind;
    char name[DIFF_ITEM_NAME]; /* safe on a terminal */
    /* sums over the runs; a figure is a part of a whole */
    double part[2][DIFF_FIGURES], whole[2][DIFF_FIGURES];
    double figure[2][DIFF_FIGURES];
};

/* A core, thread or image that both sides have, and the changes in it. */
struct diff_group {
    uint32_t core;    /* number of a core */
    const char *name; /* "core 2", "Ping"; safe on a terminal */
    const struct pair *functions;
    struct compare_row *rows;
    size_t count;
    struct compare_result result;
};

struct diff {
    struct diff_side sides[2];
    /* the compared part of both sides, "core 1"; "": all */
    const char *selected;
    const char *waits; /* of slow requests, as text; NULL: none */
    bool of_requests;  /* the sides are requests of one recording */
    const struct pair *functions;
    const struct compare_row *rows;
    size_t count; /* of both */
    struct compare_result result;
    /* The joined call tree of both sides, and the result for each part. */
    const struct merged *tree;
    const struct compare_row *calls;
    bool show_tree;                  /* in text */
    const struct diff_group *groups; /* NULL: not asked for */
    size_t group_count;
    uint32_t by; /* of (groups), an enum view_by */
    struct diff_unit units[WIRE_PROGRESS_COUNTERS];
    size_t unit_count;
    const struct diff_item *items; /* that both sides have, in no order */
    size_t item_count;
    uint64_t items_refused;      /* had no room */
    const char *const *warnings; /* safe to print on a terminal */
    size_t warning_count;
    uint32_t top; /* rows of each kind of change; 0: only rows worth a line */
    bool all;
};

/* Returns the name of the function of part (part) of d->tree. The name is safe
 * to print on a terminal. */
const char *diff_part_name(const struct diff *d, size_t part);

/* Write (d) as text. (look) has the width and the colours. */
void diff_text(FILE *out, const struct report *look, const struct diff *d);

/* Write (d) as Markdown: the text as a block of code, for a pull request. Sets
 * (to->no_memory) if there is no memory. */
void diff_markdown(struct render *to, const struct report *look,
                   const struct diff *d);

/* Write (d) as a page. Sets (to->no_memory) if there is no memory. */
void diff_html(struct render *to, const struct diff *d);

/* Write (d) as JSON in the format of diff.schema.json. */
void diff_json(FILE *out, const struct diff *d);

/* fail_if.c: --fail-if of `collector diff`: limits of changes. */

/* A rule: "NAME +3%", "NAME -3% of the rest", "NAME +3% per COUNTER", or
 * "work:COUNTER +3%" for the cost of all functions together for one unit. */
struct fail_if {
    const char *text; /* as typed */
    char name[512];   /* "": all functions */
    /* In points of the share, or as a part of the cost of a unit. Above 0:
     * growth; below 0: shrinking. */
    double change;
    bool of_rest;
    /* points into (text); NULL: the rule names no counter */
    const char *counter;
    size_t counter_length;
};

/* The function and the counter that a rule names. */
struct fail_if_found {
    uint32_t function,
        unit; /* indices in struct diff; only valid if the rule needs them */
};

/* Parse (text), which must outlive (f).
 * Returns 0; -1 with (e) saying what to type. */
int fail_if_parse(struct fail_if *f, const char *text, struct err *e);

/*
 * Find the function and the counter of (d) that (f) names. A function matches
 * by its whole name, else by a part of its name if only one function has that
 * part. If several files have a function of the name, the one that changed most
 * is taken.
 * Returns 0; -1 with (e) filled if no function matches, or several do.
 */
int fail_if_find(const struct fail_if *f, const struct diff *d,
                 struct fail_if_found *found, struct err *e);

/* Returns true, with (e) filled, if the change in (d) exceeds the limit (f)
 * with its whole 95 % interval. */
bool fail_if_holds(const struct fail_if *f, const struct diff *d,
                   const struct fail_if_found *found, struct err *e);

#endif
