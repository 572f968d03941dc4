/* SPDX-License-Identifier: BSD-2-Clause */
/* The recordings that `collector diff` compares: read one after the other, and
 * reduced to the time of each function. */
#ifndef TPROF_DIFF_DIFF_RUNS_H
#define TPROF_DIFF_DIFF_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/options.h"
#include "diff/compare/merged.h"
#include "diff/compare/pairs.h"
#include "diff/diff.h"
#include "diff/diff_cores.h"
#include "diff/diff_units.h"
#include "diff/fail_if.h"
#include "util/arena.h"
#include "util/err.h"

#define DIFF_FAIL_IF 16

struct diff_config {
    struct options options;
    struct option_words inputs; /* recordings; those of before come first */
    unsigned before_count;
    struct fail_if fail_if[DIFF_FAIL_IF];
    unsigned fail_if_count;
    bool tree;    /* show changed call paths, too */
    bool by_core; /* show the changes on each core */
};

/* Zeroed: nothing was read. */
struct diff_runs {
    struct pairs pairs;
    struct diff_side sides[2];
    struct diff_units units;
    struct diff_cores cores; /* with --by-core */
    struct merged tree;      /* of both sides */
    const char **warnings;   /* harmless: "FILE: warning" */
    size_t warning_count, warning_room;
    struct arena text;
    bool empty; /* a recording has no busy samples; (e) names the recording */
};

/*
 * Read the recordings that (c) names. A
 * signal at the descriptor (stop_fd) ends that.
 *
 * Returns 0; -1 with (e) filled.
 */
int diff_runs_read(struct diff_runs *d, const struct diff_config *c,
                   int stop_fd, struct err *e);

/* Put (text) before the other warnings. Returns 0; -1 without memory. */
int diff_runs_warn_first(struct diff_runs *d, const char *text);

/* Release what (d) holds. */
void diff_runs_fini(struct diff_runs *d);

#endif
