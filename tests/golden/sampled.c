/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel that was compiled for a sample profile: golden.pgo* are of it. It is
 * never run, only looked at, and committed as sampled.elf, since another clang
 * would give other addresses. It was made by
 *
 *     clang -O2 -g -fdebug-info-for-profiling -ffreestanding -nostdlib \
 *         -static -fno-pic -fno-asynchronous-unwind-tables -fno-vectorize \
 *         -fdebug-prefix-map=$PWD=/kernel -Wl,-Ttext=0x200000 \
 *         -Wl,--defsym=tprof_anchor=0x200127 \
 *         -Wl,--build-id=0x0123456789abcdef0123456789abcdef012345c1 \
 *         -Wl,-z,noseparate-code,-z,max-page-size=4096 sampled.c -o sampled.elf
 */
#define HERE __attribute__((noinline, used))

volatile unsigned long cells[64];

/* Two blocks in one line, which only discriminators tell apart. */
static inline unsigned long mix(unsigned long x)
{
    unsigned long cell = cells[x & 63];

    return cell > 9 ? x * 0x9e3779b97f4a7c15u ^ cell : cells[cell] - x;
}

HERE static unsigned long checksum(unsigned long n)
{
    unsigned long sum = 0;

#pragma clang loop unroll_count(2)
    for (unsigned long i = 0; i < n; i++)
        sum += mix(sum + i);
    return sum;
}

HERE static void receive(unsigned long kind)
{
    if (kind == 0)
        cells[0] = checksum(64);
    else if (kind == 1)
        cells[1]++;
    else
        cells[2] = mix(kind);
}

void _start(void)
{
    for (;;)
        receive(cells[3]);
}
