/* SPDX-License-Identifier: BSD-2-Clause */
#include "work.h"

#define NOINLINE __attribute__((noinline))
#define PART     1000 /* turns of the loop in a hundredth of a round */

/* The counter is in memory, so that a leaf has a frame, too; and one is not the
 * other, so that compilers do not make them one. */
static NOINLINE void leaf_a(unsigned parts)
{
    for (volatile unsigned i = parts * PART; i > 0; i--)
        __asm__ volatile("# a");
}

static NOINLINE void leaf_b(unsigned parts)
{
    for (volatile unsigned i = parts * PART; i > 0; i--)
        __asm__ volatile("# b");
}

/* A call at the end would be a jump, and its caller's frame gone. */
static void stay(void)
{
    __asm__ volatile("");
}

static NOINLINE void work_heavy(void)
{
    leaf_a(50);
    stay();
}

static NOINLINE void work_medium(void)
{
    leaf_a(20);
    leaf_b(10);
    stay();
}

static NOINLINE void work_light(unsigned parts)
{
    leaf_b(parts);
    stay();
}

NOINLINE void work_boot(void)
{
    work_heavy();
    work_medium();
    work_light(20);
    stay();
}

NOINLINE void work_own(void)
{
    work_light(60);
    work_medium();
    stay();
}

NOINLINE void work_ap(void)
{
    work_medium();
    stay();
}
