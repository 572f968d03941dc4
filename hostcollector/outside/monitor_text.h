/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What QEMU's monitor writes for people, and says no other way: registers,
 * memory, and where it lies. Any text is harmless. Leaf.
 */
#ifndef TPROF_OUTSIDE_MONITOR_TEXT_H
#define TPROF_OUTSIDE_MONITOR_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "outside/guest.h"

/*
 * Read the answer to "info registers -a": of core (cpu_index[i]), for each i
 * below (count), into (to[i]). Returns 0; -1 with (e) filled: one is not there,
 * or not whole.
 */
int monitor_text_registers(const char *text, const uint32_t *cpu_index,
                           uint32_t count, struct outside_registers *to,
                           struct err *e);

/*
 * Read the answer to "x /Ngx ADDRESS", where (address) is a multiple of 16: up
 * to (size) bytes. Returns how many there are from the start on.
 */
size_t monitor_text_memory(const char *text, uint64_t address, uint8_t *to,
                           size_t size);

/* A piece of physical memory. */
struct monitor_text_range {
    uint64_t start, last; /* the first byte and the last one */
    uint64_t offset;      /* in the memory called (name) */
    const char *name;     /* in the text */
    size_t name_size;
};

/* Where the ranges of the guest's memory begin in the answer to "info mtree
 * -f"; NULL if they are not there, or (text) is NULL. */
const char *monitor_text_ranges(const char *text);

/* Read the next one of memory, in (*r). Returns what follows; NULL: it was not
 * there. */
const char *monitor_text_next_range(const char *text,
                                    struct monitor_text_range *r);

#endif
