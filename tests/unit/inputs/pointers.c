/* SPDX-License-Identifier: BSD-2-Clause */
/* Handlers that are called through a table; one of them jumps on. */
#define HERE         __attribute__((noinline, used))
#define SYMBOL(here) __asm__ volatile(".globl " #here "\n" #here ":")

int tprof_anchor = 1;
volatile unsigned sink;

void quick(unsigned x);
void slow(unsigned x);
void thunk(unsigned x);
void other(void);
void _start(void);

HERE void quick(unsigned x)
{
    sink = x;
    SYMBOL(in_quick);
}

HERE void slow(unsigned x)
{
    sink = x + 1;
    SYMBOL(in_slow);
}

/* not in the table */
HERE static void behind(unsigned x)
{
    sink = x;
    SYMBOL(in_behind);
    sink = x + 2;
}

HERE void thunk(unsigned x)
{
    behind(x + 3);
}

void (*const handlers[])(unsigned) = {quick, slow, thunk, thunk};

HERE static void dispatch(void)
{
    SYMBOL(in_dispatch);
    handlers[sink & 3](5);
    SYMBOL(after_pointer);
    sink = 1;
}

HERE void other(void)
{
    SYMBOL(before_direct);
    slow(7);
    SYMBOL(after_direct);
    sink = 2;
}

void _start(void)
{
    for (;;) {
        dispatch();
        SYMBOL(after_dispatch);
        other();
    }
}
