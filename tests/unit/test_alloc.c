/* SPDX-License-Identifier: BSD-2-Clause */
/* The failing allocator: it fails where it is told to, and nowhere else. */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "check.h"

/* Catches: allocations that are not wrapped */
TEST(alloc_fails_once_where_told)
{
    /* volatile: the compiler may not leave out an allocation */
    void *volatile p[5];

    for (unsigned n = 0; n <= 6; n++) {
        alloc_fail_at(n);
        p[0] = malloc(1);
        p[1] = calloc(1, 1);
        p[2] = realloc(NULL, 1);
        p[3] = reallocarray(NULL, 1, 1);
        p[4] = strdup("x");
        CHECK_EQ(alloc_failed(), n >= 1 && n <= 5);
        for (unsigned i = 0; i < 5; i++) {
            CHECK_EQ(p[i] == NULL, i + 1 == n);
            free(p[i]);
        }
    }
}
