/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions inlined three deep, static ones, and one with a cold part. */
#include "spot.h"

int tprof_anchor = 1;
volatile int sink;
volatile unsigned table[64];

unsigned visible(unsigned x);
void _start(void);

static inline __attribute__((always_inline)) unsigned low(unsigned x)
{
    SPOT("low");
    return table[x & 63] * 2654435761u;
}

static inline __attribute__((always_inline)) unsigned mid(unsigned x)
{
    unsigned sum = x;

    SPOT("mid");
    for (unsigned i = 0; i < (x & 7); i++)
        sum += low(sum + i);
    return sum;
}

static __attribute__((noinline)) unsigned hidden(unsigned x)
{
    SPOT("hidden");
    return mid(x) ^ low(x >> 3);
}

static __attribute__((cold, noinline)) void complain(unsigned x)
{
    SPOT("complain");
    sink = (int)x;
}

unsigned visible(unsigned x)
{
    if (__builtin_expect(x == 12345, 0)) {
        complain(x);
        complain(x + 1);
        sink = (int)hidden(x);
    }
    SPOT("visible");
    return hidden(x) + mid(x + 1);
}

void _start(void)
{
    for (;;) {
        SPOT("_start");
        sink = (int)visible((unsigned)sink);
    }
}
