/* SPDX-License-Identifier: BSD-2-Clause */
/* Unikraft's app-elfloader, elf_prog.h: what agent/porting/unikraft.md uses of
 * it. */
#ifndef ELF_PROG_H
#define ELF_PROG_H

#include <stddef.h>

struct elf_prog {
    const char *name;
    void *vabase; /* base address of the image in virtual memory */
    size_t valen;
};

#endif
