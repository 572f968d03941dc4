/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of a guest's ELF file, by address; for the truth plugin. */
#ifndef PLUGIN_SYMBOLS_H
#define PLUGIN_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct function {
    uint64_t start;
    uint64_t end; /* one past its last byte */
    char *name;
};

struct symbols {
    struct function *function; /* ascending, not overlapping */
    size_t count;
};

/*
 * Read the symbol table of (path). A function whose symbol has no size, as in
 * assembly, reaches to the next one. Returns 0, or -1 with a line on stderr.
 * The caller calls symbols_fini() at the end.
 */
int symbols_init(struct symbols *s, const char *path);
void symbols_fini(struct symbols *s);

/* Index of the function at (address), or (s->count) where there is none. */
size_t symbols_at(const struct symbols *s, uint64_t address);

/* Index of the function called (name), or (s->count). */
size_t symbols_named(const struct symbols *s, const char *name);

#endif
