/* SPDX-License-Identifier: BSD-2-Clause */
#include "plugin_threads.h"

#include <stdlib.h>
#include <string.h>

uint32_t threads_mark(const char *prefix, const struct symbols *s,
                      size_t function)
{
    char *end;

    if (!prefix || function == s->count)
        return 0;
    const char *name = s->function[function].name;
    size_t len = strlen(prefix);

    if (strncmp(name, prefix, len) != 0)
        return 0;
    unsigned long number = strtoul(name + len, &end, 10);

    return *end == '\0' && number < PLUGIN_THREADS ? 1 + (uint32_t)number : 0;
}

void threads_print(const struct threads *t, unsigned core, FILE *out)
{
    for (uint32_t i = 1; i <= PLUGIN_THREADS; i++)
        if (t->executed[i])
            fprintf(out, "core %u thread %u %llu\n", core, i - 1,
                    (unsigned long long)t->executed[i]);
}
