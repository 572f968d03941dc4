/* SPDX-License-Identifier: BSD-2-Clause */
/* The recordings that `collector diff` compares: read one after the other, and
 * reduced to the time of each function, as a whole, for each group, and for
 * each unit of the guest's work. */
#ifndef TPROF_DIFF_DIFF_RUNS_H
#define TPROF_DIFF_DIFF_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/options.h"
#include "diff/compare/merged.h"
#include "diff/compare/pairs.h"
#include "diff/compare/unit_cost.h"
#include "diff/diff.h"
#include "model/profile.h"
#include "model/requests.h"
#include "model/view.h"
#include "report/name.h"
#include "session/window_options.h"
#include "util/arena.h"
#include "util/err.h"

/* diff_groups.c: the functions of each core, thread or image. */

/* The functions of a core, thread or image. */
struct diff_part {
    char name[NAME_PLAIN]; /* tells groups apart */
    uint32_t core;         /* number of a core */
    struct pairs pairs;
};

/* Zeroed: none. */
struct diff_groups {
    struct diff_part *list; /* by first appearance */
    size_t count, room;
    struct diff_group *shown;
};

/* Add the functions of (scope), a part of (v), to (pairs), for run (run) of
 * (side). Functions without a name are left out.
 * Returns 0; -1 if there is no memory. */
int diff_groups_add_scope(struct pairs *pairs, uint32_t run, unsigned side,
                          const struct view *v, const struct view_scope *scope);

/* Add the functions of each group of (r), by (r->by), for run (run) of (side).
 * Returns 0; -1 if there is no memory. */
int diff_groups_add(struct diff_groups *c, uint32_t run, unsigned side,
                    const struct report *r);

/* Returns the bytes of memory that (c) takes, including those that
 * diff_groups_state() will take for (runs). */
uint64_t diff_groups_bytes(const struct diff_groups *c, size_t runs);

/*
 * Store in (d) the changes in each group that has busy samples in every run.
 * (runs) are the numbers of runs before and after. At most COMPARE_FALSE of the
 * changes reported for all groups are false.
 * Returns 0; -1 if there is no memory.
 */
int diff_groups_state(struct diff_groups *c, const size_t runs[2],
                      struct diff *d);

/* Release what (c) holds. */
void diff_groups_fini(struct diff_groups *c);

/* diff_units.c: the cost of the guest's units of work, as a whole and by
 * function. */

/* A counter of one side. */
struct diff_counter {
    char name[GUEST_COUNTER_NAME];
    struct unit_cost cost; /* of each run that has the counter */
};

/* A run: its time, and for each counter the seconds per unit that one tick
 * stands for. */
struct diff_units_run {
    struct amount all;
    double tick_s[WIRE_PROGRESS_COUNTERS]; /* by counter of the side */
};

/* Zeroed: no run. */
struct diff_units {
    struct diff_counter counters[2][WIRE_PROGRESS_COUNTERS];
    size_t counts[2];
    struct diff_units_run *runs;
    size_t run_count, room;
    struct unit_row *rows; /* rows of all units */
};

/* Add the run (p), with the view (v), to (side). Add the runs of before first.
 * Returns 0; -1 if there is no memory. */
int diff_units_add(struct diff_units *u, unsigned side, const struct profile *p,
                   const struct view *v);

/* Store in (d), whose functions and rows are filled, the costs of units that
 * each run of (in) counts. Returns 0; -1 if there is no memory. */
int diff_units_state(struct diff_units *u, const struct compare_input *in,
                     struct diff *d);

/* Returns the bytes of memory that diff_units_state() takes for (functions). */
uint64_t diff_units_bytes(const struct diff_units *u, size_t functions);

/* Release what (u) holds. */
void diff_units_fini(struct diff_units *u);

/* diff_sums.c: the times of threads, requests and locks. */

/* Further names are counted, and left out. */
#define DIFF_ITEMS_MAX 4096

/* Zeroed: none. */
struct diff_sums {
    struct diff_item *list; /* by first appearance */
    size_t count, room;
    uint64_t refused;
};

/* Add the threads, requests and locks of (r) to (side).
 * Returns 0; -1 if there is no memory. */
int diff_sums_add(struct diff_sums *s, unsigned side, const struct report *r);

/* Store in (d) what both sides have. Called once, after all runs. */
void diff_sums_state(struct diff_sums *s, struct diff *d);

/* Release what (s) holds. */
void diff_sums_fini(struct diff_sums *s);

/* diff_slow.c: the slow requests of a recording, against the others. */

/* Zeroed: none. */
struct diff_slow {
    struct slow_set set; /* of the kinds; released by diff_slow_fini() */
    uint32_t kinds;      /* a bit for each */
    uint64_t ended;      /* requests of these kinds */
    double least_s;      /* time of the shortest one in (set) */
    char labels[2][160]; /* of the sides */
    const char *names[2];
    char *waits; /* text; NULL: nothing to write */
    size_t waits_size;
};

/* Choose the requests of (p) of kinds that (asked) names: of those that the
 * guest has sent, all that took at least the 99th percentile. Returns 0; -1
 * with (e) filled. */
int diff_slow_choose(struct diff_slow *s, const struct profile *p,
                     const char *asked, struct err *e);

/* Write into (s->waits) where the requests of the set waited longest. Returns
 * 0; -1 without memory. */
int diff_slow_waits(struct diff_slow *s, const struct report *r);

void diff_slow_fini(struct diff_slow *s);

#define DIFF_FAIL_IF 16

struct diff_config {
    struct options options;
    struct option_words inputs;  /* recordings; those of before come first */
    struct window_sides windows; /* or (inputs) */
    unsigned before_count;
    struct fail_if fail_if[DIFF_FAIL_IF];
    unsigned fail_if_count;
    bool tree; /* show changed call paths, too */
    /* Compare the slow requests of this kind with the others; NULL: sides are
     * recordings. */
    const char *slow;
    uint32_t by; /* show changes in each group, too: 0 of none, else 1 + an
                    enum view_by */
};

/* Zeroed: nothing was read. */
struct diff_runs {
    struct pairs pairs;
    struct diff_side sides[2];
    struct diff_units units;
    struct diff_groups groups; /* with --by */
    struct diff_sums sums;
    struct diff_slow slow; /* with --slow */
    struct merged tree;    /* of both sides */
    const char **warnings; /* "FILE: warning", safe to print on a terminal */
    size_t warning_count, warning_room;
    char windows[2][WINDOW_OPTIONS_TEXT]; /* in (sides) */
    struct arena text;
    bool empty; /* a recording has no busy samples; (e) names the recording */
};

/* Read the recordings that (c) names. A signal at the descriptor (stop_fd)
 * interrupts reading. Returns 0; -1 with (e) filled. */
int diff_runs_read(struct diff_runs *d, const struct diff_config *c,
                   int stop_fd, struct err *e);

/* Put (text) before the other warnings. Returns 0; -1 without memory. */
int diff_runs_warn_first(struct diff_runs *d, const char *text);

/* Release what (d) holds. */
void diff_runs_fini(struct diff_runs *d);

#endif
