/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions called PART_name, to be compiled with frame pointers or without. */
#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)
#define NAME(x)     JOIN(PART, x)

extern volatile unsigned sink;

unsigned NAME(leaf)(unsigned x);
unsigned NAME(caller)(unsigned x);
unsigned NAME(other)(unsigned x);

__attribute__((noinline, noclone)) unsigned NAME(leaf)(unsigned x)
{
    return x * 2654435761u + sink;
}

__attribute__((noinline, noclone)) unsigned NAME(caller)(unsigned x)
{
    sink += NAME(leaf)(x);
    return NAME(leaf)(x + 1) * 3;
}

/* Has something else in RBP where the compiler lets it. */
__attribute__((noinline, noclone)) unsigned NAME(other)(unsigned x)
{
#ifdef OTHER_RBP
    __asm__ volatile("xor %%ebp, %%ebp" ::: "rbp");
#endif
    sink = x;
    return NAME(caller)(x) + 1;
}
