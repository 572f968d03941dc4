/* SPDX-License-Identifier: BSD-2-Clause */
/* The scopes of all cores and of their total. */
#include "view/scopes.h"

#include <stdlib.h>

/* A scope has roots and marks that cannot be folded. */
#define LEAST_NODES 16u
#define LEAST_ROWS  4u

int scopes_init(struct scopes *s, const struct profile *p)
{
    size_t with_samples = 0;

    s->core_count = p->core_count;
    s->total.scope.core = VIEW_ALL_CORES;
    s->cores = calloc(p->core_count + 1, sizeof *s->cores);
    if (s->cores == NULL)
        return -1;
    for (size_t i = 0; i < p->core_count; i++) {
        s->cores[i].scope.core = p->cores[i].core;
        if (p->cores[i].total.samples == 0)
            continue;
        s->only = with_samples++ == 0 ? &s->cores[i] : NULL;
    }
    return 0;
}

void scopes_limit(struct scopes *s, uint64_t bytes)
{
    size_t nodes = bytes / 4 * 3 / TREE_NODE_BYTES;
    size_t rows = bytes / 4 / SCOPE_ROW_BYTES;
    size_t scopes = s->core_count + 1;

    s->most_nodes = nodes > LEAST_NODES * scopes ? nodes : LEAST_NODES * scopes;
    s->most_rows = rows > LEAST_ROWS * scopes ? rows : LEAST_ROWS * scopes;
}

static void fold_nodes(struct scopes *s)
{
    size_t folded = 0;

    scope_count_nodes(&s->total, &s->fold);
    for (size_t i = 0; i < s->core_count; i++)
        scope_count_nodes(&s->cores[i], &s->fold);
    /* half of the limit: a node that stays may get a child for folded ones */
    double least = smallest_first_least(&s->fold, s->most_nodes / 4);

    folded = scope_fold_nodes(&s->total, least);
    s->nodes = scope_nodes(&s->total);
    for (size_t i = 0; i < s->core_count; i++) {
        size_t of_core = scope_fold_nodes(&s->cores[i], least);

        if (s->only != NULL)
            folded += of_core;
        s->nodes += scope_nodes(&s->cores[i]);
    }
    s->folded += folded;
}

static void fold_rows(struct scopes *s)
{
    scope_count_rows(&s->total, &s->fold);
    for (size_t i = 0; i < s->core_count; i++)
        scope_count_rows(&s->cores[i], &s->fold);
    double least = smallest_first_least(&s->fold, s->most_rows / 2);

    s->folded += scope_fold_rows(&s->total, least);
    s->rows = s->total.scope.row_count;
    for (size_t i = 0; i < s->core_count; i++) {
        s->folded += scope_fold_rows(&s->cores[i], least);
        s->rows += s->cores[i].scope.row_count;
    }
}

/* Add (path) to (scope), one of (s). */
static int add_to(struct scopes *s, struct scope *scope,
                  const struct path *path)
{
    size_t nodes = scope_nodes(scope), rows = scope->scope.row_count;

    if (scope_add(scope, path) != 0)
        return -1;
    s->nodes += scope_nodes(scope) - nodes;
    s->rows += scope->scope.row_count - rows;
    return 0;
}

int scopes_add(struct scopes *s, size_t core, const struct path *path)
{
    if (add_to(s, &s->cores[core], path) != 0 ||
        (s->only == NULL && add_to(s, &s->total, path) != 0))
        return -1;
    if (s->nodes > s->most_nodes)
        fold_nodes(s);
    if (s->rows > s->most_rows)
        fold_rows(s);
    return 0;
}

int scopes_finish(struct scopes *s)
{
    for (size_t i = 0; i < s->core_count; i++)
        if (scope_finish(&s->cores[i]) != 0)
            return -1;
    if (s->only == NULL)
        return scope_finish(&s->total);
    s->total.scope = s->only->scope;
    s->total.scope.core = VIEW_ALL_CORES;
    return 0;
}

void scopes_fini(struct scopes *s)
{
    for (size_t i = 0; s->cores != NULL && i < s->core_count; i++)
        scope_fini(&s->cores[i]);
    if (s->only == NULL)
        scope_fini(&s->total);
    free(s->cores);
}
