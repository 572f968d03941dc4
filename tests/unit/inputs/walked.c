/* SPDX-License-Identifier: BSD-2-Clause */
/* Code whose stacks are walked while it runs: calls in every shape that C has.
 * A program of its own, without a library. */
#include <stdint.h>

#define APART __attribute__((noinline))
#define KEEP  __asm__ volatile("") /* no tail call, nothing left out */

static uint32_t state = 1;

APART static uint32_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

/* Many values at once: all registers are pushed. */
APART static uint64_t full(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    uint64_t e = next_random(), f = next_random(), g = next_random();

    for (unsigned i = 0; i < d % 3 + 1; i++) {
        uint64_t t = next_random();

        a += b * t;
        b ^= c + e;
        c -= d ^ f;
        e += g * a;
        f ^= t + b;
        g -= c;
    }
    return a ^ b ^ c ^ d ^ e ^ f ^ g;
}

/* Arguments on the stack, below the return address. */
APART static uint64_t nine(uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                           uint64_t e, uint64_t f, uint64_t g, uint64_t h,
                           uint64_t i)
{
    return full(a + b, c + d, e + f, g + h) + i;
}

APART static uint64_t call_nine(uint64_t n)
{
    uint64_t r = nine(n, 1, 2, 3, 4, 5, n, n + 1, n + 2);

    KEEP;
    return r + n;
}

/* A stack as deep as an argument says, so RBP tells where the frame is. */
APART static uint64_t bent(uint64_t n)
{
    volatile uint8_t bytes[n % 100 + 8];

    bytes[0] = 0;
    for (uint64_t i = 0; i < sizeof bytes; i += 16)
        bytes[i] = (uint8_t)next_random();
    return bytes[0] + full(n, n, n, n);
}

/* A stack aligned anew. */
APART static uint64_t aligned(uint64_t n)
{
    _Alignas(64) volatile uint64_t values[8];

    for (unsigned i = 0; i < 8; i++)
        values[i] = n + i;
    return values[n % 8] + next_random();
}

APART static uint64_t big(uint64_t n)
{
    volatile uint64_t values[80];

    for (unsigned i = 0; i < 80; i += 20)
        values[i] = n + i;
    return values[n % 4 * 20] + aligned(n);
}

/* NOLINTNEXTLINE(misc-no-recursion): it is what is to be seen */
APART static uint64_t deep(uint64_t n)
{
    uint64_t r = n < 2 ? full(n, n, n, n) : deep(n - 1);

    KEEP;
    return r * 3 + n;
}

APART static uint64_t odd_one(uint64_t n);

/* NOLINTNEXTLINE(misc-no-recursion): likewise */
APART static uint64_t even_one(uint64_t n)
{
    return n == 0 ? next_random() : odd_one(n - 1) + 1;
}

/* NOLINTNEXTLINE(misc-no-recursion): likewise */
APART static uint64_t odd_one(uint64_t n)
{
    return n == 0 ? next_random() : even_one(n - 1) * 5;
}

/* Leaves by a jump. */
APART static uint64_t jumps(uint64_t n)
{
    return call_nine(n ^ next_random());
}

APART static uint64_t by_table(uint64_t n)
{
    switch (n % 7) {
    case 0:
        return full(n, 1, 2, 3);
    case 1:
        return bent(n) + 1;
    case 2:
        return big(n) + 2;
    case 3:
        return next_random();
    case 4:
        return jumps(n);
    case 5:
        return even_one(n % 5) + 3;
    default:
        return n;
    }
}

__attribute__((cold, noinline)) static uint64_t rare(uint64_t n)
{
    return full(n, n, n, n) + next_random();
}

APART static uint64_t unlikely(uint64_t n)
{
    uint64_t r = 1;

    if (__builtin_expect(n % 8 == 0, 0))
        r = rare(n) + by_table(n);
    KEEP;
    return r + next_random();
}

static uint64_t (*volatile const calls[])(uint64_t) = {
    call_nine, bent, big, deep, jumps, by_table, unlikely, even_one,
};

APART static void heap_sort(uint32_t *v, unsigned n,
                            int (*above)(uint32_t, uint32_t))
{
    for (unsigned i = 1; i < n; i++) {
        for (unsigned j = i; j > 0 && above(v[j - 1], v[j]); j--) {
            uint32_t t = v[j];

            v[j] = v[j - 1];
            v[j - 1] = t;
        }
    }
}

static int by_size(uint32_t a, uint32_t b)
{
    return a > b;
}

static int by_mixed(uint32_t a, uint32_t b)
{
    return full(a, a, a, 0) > full(b, b, b, 0);
}

APART static uint64_t sorts(uint64_t n)
{
    uint32_t v[8];

    for (unsigned i = 0; i < 8; i++)
        v[i] = next_random();
    heap_sort(v, 4 + n % 4, n % 2 != 0 ? by_size : by_mixed);
    return v[0];
}

uint64_t run(void);
uint64_t run(void)
{
    uint64_t sum = 0;

    for (;;) {
        uint32_t n = next_random();

        sum += calls[n % 8](n >> 3 & 15);
        if (n % 16 == 0)
            sum += sorts(n >> 4);
        KEEP;
    }
    return sum;
}

/* The outermost function, as a kernel's. */
__asm__(".globl _start\n"
        ".type _start, @function\n"
        "_start:\n"
        ".cfi_startproc\n"
        ".cfi_undefined %rip\n"
        "xor %ebp, %ebp\n"
        "call run\n"
        "hlt\n"
        ".cfi_endproc\n"
        ".size _start, . - _start\n");
