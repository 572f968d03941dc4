/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a --guests file: an error, or guests with names that are safe
 * in file names, no two alike. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/guests.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
    char path[32];
    int fd = memfd_create("guests", 0);

    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (guests_read(&g, path, &e) == 0 && g.count == 0)
        abort();
    if (guests_finish(&g, &e) == 0 && g.count < 1000)
        check(&g);
    guests_fini(&g);
    close(fd);
    return 0;
}
