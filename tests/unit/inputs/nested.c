/* SPDX-License-Identifier: BSD-2-Clause */
/* A function in a function, which is code of its own outside the outer one. */
volatile int sink;

void _start(void);
void _start(void)
{
    int local = sink;
    __attribute__((noinline)) void inner(int x)
    {
        local += x * sink;
    }

    inner(3);
    sink = local;
}
