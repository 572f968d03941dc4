/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests a guest with picolibc: formatting, the heap, sorting, and exit(). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int guest_main(void)
{
    int numbers[] = {5, 3, 9, 1};
    char *text = malloc(64);

    if (text == NULL)
        guest_fail("malloc");
    qsort(numbers, 4, sizeof numbers[0], compare);
    snprintf(text, 64, "%-6s|%+05d|%#llx", "left", 42, 0xfedcba9876543210ull);
    printf("libc: %s sorted %d %d %d %d, %lu\n", text, numbers[0], numbers[1],
           numbers[2], numbers[3], strtoul("0x7fff", NULL, 0));
    int differs = strcmp(text, "left  |+0042|0xfedcba9876543210");

    free(text);
    exit(differs);
}
