/* SPDX-License-Identifier: BSD-2-Clause */
/* Work of which is known what a profile has to say. */
#include "workload.h"

void seventy(void);
void twenty(void);
void ten(void);

/* A function that takes 2 x (turns) instructions, and a few more. */
#define BURN(name, turns)                                                      \
    __attribute__((noinline)) void name(void)                                  \
    {                                                                          \
        uint64_t left = (turns);                                               \
                                                                               \
        __asm__ volatile("1: decq %0\n\tjnz 1b" : "+r"(left));                 \
    }

BURN(seventy, 70000)
BURN(twenty, 20000)
BURN(ten, 10000)

__attribute__((noinline)) uint64_t cpu_loop(uint64_t rounds)
{
    uint64_t before = __builtin_ia32_rdtsc();

    while (rounds--) {
        seventy();
        twenty();
        ten();
    }
    return __builtin_ia32_rdtsc() - before;
}
