/* SPDX-License-Identifier: BSD-2-Clause */
/* A kernel for aarch64 without an agent. Its time is divided 70 : 20 : 10, and
 * all of it is spent in one function, which has no frame. */
#define APART __attribute__((noinline))

static volatile unsigned long rounds;

/* Without a frame: the return address is in x30 only. */
APART static void count_down(unsigned long n)
{
    while (n-- != 0)
        __asm__ volatile("nop\n\tnop");
}

APART static void seventy(void)
{
    count_down(700000);
    rounds++;
}

/* Its return address is signed, if the CPU can. */
APART __attribute__((target("branch-protection=pac-ret"))) static void
twenty(void)
{
    count_down(200000);
    rounds++;
}

/* Sixteen frames, each with room for an array. */
APART static unsigned long ten(unsigned long depth)
{
    volatile unsigned char array[200];

    array[depth] = (unsigned char)depth;
    if (depth == 0)
        count_down(100000);
    else
        rounds += ten(depth - 1);
    return array[depth];
}

void run(void)
{
    for (;;) {
        seventy();
        twenty();
        (void)ten(15);
    }
}
