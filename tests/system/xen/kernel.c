/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel that Xen starts (PVH): each core works for 70, 20 and 10 % of its
 * time in hot(), warm() and cold(), and counts its rounds in memory.
 */
#include <stdint.h>

#include "guest.h"

struct rounds {
    _Alignas(64) volatile uint64_t count;
};
struct rounds rounds[GUEST_CORES_MAX]; /* tests/system/xen/rounds.c reads it */

/* One loop for each: the shares are those of the rounds. */
#define WORK(name, loops)                                                      \
    __attribute__((noinline)) static uint64_t name(uint64_t x)                 \
    {                                                                          \
        for (uint32_t i = 0; i < (loops); i++)                                 \
            x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ull;                         \
        __asm__ volatile("" : "+r"(x)); /* the compiler must not drop it */    \
        return x;                                                              \
    }

WORK(hot, 7000)
WORK(warm, 2000)
WORK(cold, 1000)

__attribute__((noinline)) static uint64_t work_once(uint64_t x)
{
    x = hot(x) + 1;
    x = warm(x) + 1;
    return cold(x) + 1;
}

static void work(void)
{
    struct rounds *r = &rounds[core_index()];

    for (uint64_t x = 1;; r->count++)
        x = work_once(x);
}

int guest_main(void)
{
    con_printf("xen: %u cores\n", core_count());
    core_run_all(work);
    return 0;
}
