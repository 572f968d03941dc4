/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks that are easy to get wrong: one leaf under two callers, recursion, a
 * tail call, leaves without a frame. In random order, one core.
 *
 * Options: loops=N; those of ../accuracy/profile.h.
 */
#include "../accuracy/profile.h"
#include "guest.h"

/* leaves.S */
uint32_t leaf_long(uint32_t rounds);
uint32_t leaf_bare(uint32_t rounds);
uint32_t leaf_deep(uint32_t rounds);
uint32_t leaf_once(uint32_t rounds);

#define ROUNDS         24 /* few, so that many samples hit the prologues */
#define RECURSION_MAX  24
#define NO_TAIL_CALL() __asm__ volatile("")

static uint32_t random = 1;

__attribute__((noinline)) static uint32_t next_random(void)
{
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    return random;
}

__attribute__((noinline)) static uint32_t caller_of_30(void)
{
    uint32_t sum = leaf_long(ROUNDS);

    NO_TAIL_CALL();
    return sum;
}

__attribute__((noinline)) static uint32_t caller_of_70(void)
{
    uint32_t sum = leaf_long(ROUNDS + 1); /* or they would be one function */

    NO_TAIL_CALL();
    return sum;
}

/* NOLINTNEXTLINE(misc-no-recursion): it is what is to be seen */
__attribute__((noinline)) static uint32_t recurse(uint32_t depth)
{
    uint32_t sum = depth ? recurse(depth - 1) : leaf_long(ROUNDS);

    for (uint32_t i = 0; i < ROUNDS / 4; i++)
        sum = (sum ^ i) * 16777619u;
    NO_TAIL_CALL();
    return sum;
}

__attribute__((noinline)) static uint32_t jumped_to(uint32_t rounds)
{
    uint32_t sum = rounds;

    for (uint32_t i = 0; i < rounds; i++)
        sum = (sum ^ i) * 16777619u;
    NO_TAIL_CALL();
    return sum;
}

/* Leaves by a jump, and so is in no stack from then on. */
__attribute__((noinline)) static uint32_t jumper(uint32_t rounds)
{
    return jumped_to(leaf_bare(ROUNDS) % 64 + rounds % 64 + 1);
}

__attribute__((noinline)) static uint32_t caller_of_jumper(void)
{
    uint32_t sum = jumper(next_random());

    NO_TAIL_CALL();
    return sum;
}

__attribute__((noinline)) static uint32_t caller_of_bare(void)
{
    uint32_t sum = leaf_bare(ROUNDS);

    NO_TAIL_CALL();
    return sum;
}

__attribute__((noinline)) static uint32_t caller_of_deep(void)
{
    uint32_t sum = leaf_deep(ROUNDS); /* twice: which one is not known */

    return sum + leaf_deep(ROUNDS);
}

__attribute__((noinline)) static uint32_t caller_of_once(void)
{
    uint32_t sum = leaf_once(ROUNDS);

    NO_TAIL_CALL();
    return sum;
}

/* What of all that comes next: the root of every stack that counts. */
__attribute__((noinline)) static uint32_t stacks_run(uint64_t loops)
{
    uint32_t sum = 0;

    for (uint64_t i = 0; i < loops; i++) {
        sum += next_random() % 10 < 3 ? caller_of_30() : caller_of_70();
        sum += recurse(next_random() % RECURSION_MAX);
        sum += caller_of_jumper();
        sum += caller_of_bare();
        sum += caller_of_deep();
        sum += caller_of_once();
    }
    NO_TAIL_CALL();
    return sum;
}

int guest_main(void)
{
    uint64_t loops = opt_u64("loops", 1000);

    profile_init();
    profile_begin();
    uint32_t sum = stacks_run(loops);
    profile_end();
    profile_fini();
    con_printf("stacks: 0x%x\n", sum);
    return 0;
}
