/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the function of the symbol table that holds an address. */
#include "image/file/object.h"
#include "util/bounds.h"

#include <stdlib.h>
#include <string.h>

/* Limit of functions within one function: with more of them, the end of the
 * outer function is missed. */
#define MAX_NESTED 16u

bool symtab_wants(const char *name)
{
    return name != NULL && name[0] != '\0' && strncmp(name, ".L", 2) != 0;
}

static int by_address(const void *a, const void *b)
{
    const struct symtab_candidate *x = a, *y = b;

    if (x->f.start != y->f.start)
        return x->f.start < y->f.start ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank > y->rank ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/*
 * Keep the best alias of each address. A label within a sized function is a
 * place in that function. Another label is a function up to the next symbol.
 */
static size_t keep_best_names(struct image_function *out,
                              const struct symtab_candidate *c, size_t n)
{
    size_t count = 0;
    uint64_t sized_end = 0;

    for (size_t i = 0, next; i < n; i = next) {
        struct image_function f = c[i].f;

        for (next = i + 1; next < n && c[next].f.start == f.start;)
            next++;
        if (f.size == 0) {
            if (f.start < sized_end)
                continue;
            f.size = c[i].limit - f.start;
            if (next < n && c[next].f.start - f.start < f.size)
                f.size = c[next].f.start - f.start;
        } else if (f.start + f.size > sized_end) {
            sized_end = f.start + f.size;
        }
        out[count++] = f;
    }
    return count;
}

int symtab_fill(struct symtab *t, struct symtab_candidate *c, size_t n)
{
    qsort(c, n, sizeof *c, by_address);
    t->functions = calloc(n + 1, sizeof *t->functions);
    if (t->functions == NULL)
        return -1;
    t->count = keep_best_names(t->functions, c, n);
    return 0;
}

void symtab_fini(struct symtab *t)
{
    free(t->functions);
    *t = (struct symtab){0};
}

const struct image_function *symtab_function(const struct symtab *t,
                                             uint64_t address)
{
    size_t low = upper_bound(t->functions, t->count, sizeof *t->functions,
                             offsetof(struct image_function, start), address);

    for (size_t back = 0; back < MAX_NESTED && low > 0; back++) {
        const struct image_function *f = &t->functions[--low];

        if (address - f->start < f->size)
            return f;
    }
    return NULL;
}
