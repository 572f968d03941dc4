/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts a position-independent ELF file where it shall run. */
#ifndef IMAGES_LOADER_H
#define IMAGES_LOADER_H

#include <stdint.h>

#include "calls.h"

struct loaded {
    app_entry *entry;
    uint64_t text_start, text_size; /* its code, where it runs */
    uint64_t link_start;            /* (text_start) in the file */
    const void *build_id;           /* NULL: it has none */
    uint32_t build_id_size;
};

/*
 * Loads the ELF file in memory at (file) to (at). Above the first 4 GiB, which
 * are mapped one to one, (at) is a multiple of 2 MiB and becomes another
 * address of the 2 MiB at (physical). Fails the guest if it cannot be done.
 */
void loader_load(const void *file, uint64_t at, uint64_t physical,
                 struct loaded *loaded);

#endif
