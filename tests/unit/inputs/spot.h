/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SPOT(function) notes, in section "spots", an address of its own with the
 * line and the function that the source has there, as the test's truth.
 */
#ifndef TPROF_TEST_SPOT_H
#define TPROF_TEST_SPOT_H

#define SPOT_BYTES 64 /* address and line of 8 bytes each, then the name */

#define SPOT(function)                                                         \
    __asm__ volatile("0: nop\n"                                                \
                     ".pushsection spots,\"a\"\n"                              \
                     ".balign 64\n"                                            \
                     ".quad 0b, %c0\n"                                         \
                     ".asciz \"" function "\"\n"                               \
                     ".balign 64\n"                                            \
                     ".popsection" ::"i"(__LINE__))

#endif
