/* SPDX-License-Identifier: BSD-2-Clause */
/* What C's <string.h> says, as far as a guest without libc has it (mem.c). */
#ifndef GUEST_MEM_H
#define GUEST_MEM_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t len);
void *memmove(void *to, const void *from, size_t len);
void *memset(void *to, int byte, size_t len);
int memcmp(const void *a, const void *b, size_t len);

#endif
