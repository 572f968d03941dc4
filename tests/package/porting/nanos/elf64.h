/* SPDX-License-Identifier: BSD-2-Clause */
/* Nanos, src/kernel/elf64.h: what agent/porting/nanos.md uses of it. */
#ifndef NANOS_ELF64_H
#define NANOS_ELF64_H

#include <elf.h>

#define foreach_phdr(e, p)                                                     \
    for (Elf64_Phdr *p = pointer_from_u64(u64_from_pointer(e) + (e)->e_phoff); \
         p <                                                                   \
         (Elf64_Phdr *)pointer_from_u64(u64_from_pointer(e) + (e)->e_phoff) +  \
             (e)->e_phnum;                                                     \
         p++)

#endif
