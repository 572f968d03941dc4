/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions of one core by the threads that the guest runs. The guest calls
 * a function PREFIXn when the core begins to run thread n. */
#ifndef PLUGIN_THREADS_H
#define PLUGIN_THREADS_H

#include <stdint.h>
#include <stdio.h>

#include "plugin_symbols.h"

#define PLUGIN_THREADS 64

struct threads {
    uint32_t current; /* 1 + the thread; 0: none yet */
    uint64_t executed[1 + PLUGIN_THREADS];
};

/* Returns 1 + the number of the thread that begins in function (function) of
 * (s); 0: no thread begins there. (prefix) may be NULL. */
uint32_t threads_mark(const char *prefix, const struct symbols *s,
                      size_t function);

/* Prints "core (core) thread N INSTRUCTIONS" for each thread. */
void threads_print(const struct threads *t, unsigned core, FILE *out);

#endif
