/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fields that LLVM packs into a discriminator: a number that distinguishes
 * blocks of one line, and the number of copies of the code in an unrolled or
 * vectorized loop (llvm/Support/Discriminator.h). A field is a 0 bit followed
 * by the low 5 or 12 bits of the value. A single 1 bit is the value 0. Part of
 * pgo.
 */
#ifndef TPROF_PGO_DISCRIMINATOR_H
#define TPROF_PGO_DISCRIMINATOR_H

#include <stdint.h>

#define DISCRIMINATOR_LONG 0x20u /* in a number: 12 bits, not 5 */

static inline uint32_t discriminator_base(uint32_t d)
{
    uint32_t number = d >> 1;

    if ((d & 1) != 0)
        return 0;
    return (number & DISCRIMINATOR_LONG) != 0
               ? (number >> 1 & 0xfe0) | (number & 0x1f)
               : number & 0x1f;
}

static inline uint32_t discriminator_copies(uint32_t d)
{
    uint32_t copies;

    if ((d & 1) != 0)
        d >>= 1;
    else
        d >>= (d >> 1 & DISCRIMINATOR_LONG) != 0 ? 14 : 7;
    copies = discriminator_base(d);
    return copies != 0 ? copies : 1;
}

#endif
