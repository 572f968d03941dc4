/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel without agent that is not what was loaded any more:
 * dead.c, slid.c. One core works for ever: 60 % in three(), 20 % in caller(),
 * 20 % in called(), which caller() calls.
 */
#include "guest.h"
#include "patched.h"

/* What a kernel patches when it knows the CPU: no 48 bytes of a function of
 * this file are without such a place. */
#define SITE __asm__ volatile(".byte 0x0f, 0x1f, 0x44, 0x00, 0x00" ::: "memory")

/* Two instructions (loops) times, in the function that this stands in. */
#define SPIN(loops)                                                            \
    do {                                                                       \
        uint64_t left_ = (loops);                                              \
        SITE;                                                                  \
        __asm__ volatile("1: decq %0\n\tjnz 1b" : "+r"(left_) : : "cc");       \
        SITE;                                                                  \
    } while (0)

__attribute__((noinline)) static void three(void)
{
    SPIN(3000);
}

__attribute__((noinline)) static void called(void)
{
    SPIN(1000);
}

__attribute__((noinline)) static void caller(void)
{
    SPIN(1000);
    called();
    SITE; /* no jump */
}

static void (*const volatile parts[])(void) = {three, caller};

__attribute__((noinline)) static void work(void)
{
    for (;;) {
        parts[0]();
        SITE;
        parts[1]();
        SITE;
    }
}

int guest_main(void)
{
    patched_change();
    con_printf("patched: %p\n", (void *)(uintptr_t)work);
    work();
    return 0;
}
