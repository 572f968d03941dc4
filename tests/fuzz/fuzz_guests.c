/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a --guests file: an error, or guests with names that are safe
 * in file names, no two alike. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest/guests.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *input; /* what the file has; NULL: none is read now */
static size_t input_size;

/* The file is in memory, so that a run makes no system call. */
FILE *__real_fopen(const char *path, const char *how);
FILE *__wrap_fopen(const char *path, const char *how);
FILE *__wrap_fopen(const char *path, const char *how)
{
    if (input == NULL) /* what replays a corpus reads its files */
        return __real_fopen(path, how);
    return fmemopen((void *)(uintptr_t)input, input_size, how);
}

static void check(const struct guests *g)
{
    for (size_t i = 0; i < g->count; i++) {
        const struct guest_spec *spec = &g->list[i];
        size_t length = strlen(spec->name);

        if (length == 0 || length >= GUEST_NAME_MAX || spec->name[0] == '.' ||
            strchr(spec->name, '/') != NULL || spec->where[0] == '\0')
            abort();
        for (size_t j = 0; j < i; j++)
            if (strcmp(spec->name, g->list[j].name) == 0)
                abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct guests g = {0};
    struct err e;

    input = data;
    input_size = size;
    if (guests_read(&g, "guests", &e) == 0 && g.count == 0)
        abort();
    input = NULL;
    if (guests_finish(&g, &e) == 0 && g.count < 1000)
        check(&g);
    guests_fini(&g);
    return 0;
}
