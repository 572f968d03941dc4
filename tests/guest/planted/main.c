/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spends known amounts of work in chosen basic blocks of one function: some
 * instructions in a row, each of which takes as long as any other under icount.
 * What is inlined has a block of its own, too. PLANTED is what one of the
 * blocks gets; how often each is entered depends on data.
 *
 * Options: loops=N, and those of profile.h.
 */
#include "../accuracy/profile.h"
#include "guest.h"

#define TEXT_(n) #n
#define TEXT(n)  TEXT_(n)
/* (n) instructions without a jump. */
#define WORK(n)                                                                \
    __asm__ volatile(".rept " TEXT(n) "\n\tinc %0\n\t.endr" : "+r"(sum))

static uint32_t random = 2463534242u;

static uint32_t next_random(void)
{
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    return random;
}

static inline __attribute__((always_inline)) uint64_t mix(uint64_t sum,
                                                          uint32_t bits)
{
    if ((bits & 0x300) == 0)
        WORK(60);
    return sum;
}

__attribute__((noinline)) uint64_t planted_run(uint64_t loops);
uint64_t planted_run(uint64_t loops)
{
    uint64_t sum = 0;

    while (loops-- > 0) {
        uint32_t bits = next_random();

        if ((bits & 1) != 0)
            WORK(10);
        else if ((bits & 2) != 0)
            WORK(40);
        else
            WORK(PLANTED);
        sum = mix(sum, bits);
        if ((bits & 0x70) == 0)
            WORK(5);
    }
    return sum;
}

int guest_main(void)
{
    uint64_t loops = opt_u64("loops", 1000);

    profile_init();
    profile_begin();
    uint64_t sum = planted_run(loops);
    profile_end();
    profile_fini();
    con_printf("planted: 0x%x\n", (unsigned)sum);
    return 0;
}
