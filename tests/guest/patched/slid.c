/* SPDX-License-Identifier: BSD-2-Clause */
/* A kernel that has moved itself (../moved/pie.c) patches its code: each long
 * no-operation becomes another one of 5 bytes. */
#include <stddef.h>

#include "mem.h"
#include "patched.h"

extern unsigned char __tprof_text_start[], __tprof_text_end[];

void patched_change(void)
{
    static const unsigned char was[5] = {0x0f, 0x1f, 0x44, 0x00, 0x00},
                               is[5] = {0x66, 0x66, 0x66, 0x66, 0x90};
    size_t size = (size_t)(__tprof_text_end - __tprof_text_start);

    for (size_t i = 0; i + sizeof was <= size; i++)
        if (memcmp(__tprof_text_start + i, was, sizeof was) == 0)
            memcpy(__tprof_text_start + i, is, sizeof is);
}
