/* SPDX-License-Identifier: BSD-2-Clause */
/* An EFI application without any header: inlined, static and cold code. */
typedef unsigned long long u64;

const char tprof_anchor[] = "tprof 0.1.0";
__asm__(".globl tprof_wire_version\n.set tprof_wire_version, 0x30a");
volatile u64 sink;

u64 a_name_too_long_for_its_field(u64 x);
u64 efi_main(void *image, void *table);

static inline __attribute__((always_inline)) u64 low(u64 x)
{
    return x * 2654435761u + sink;
}

static inline __attribute__((always_inline)) u64 mid(u64 x)
{
    return low(x) ^ low(x >> 3);
}

static __attribute__((noinline)) u64 hidden(u64 x)
{
    u64 sum = 0;

    for (u64 i = 0; i < x; i++)
        sum += mid(i);
    return sum;
}

static __attribute__((noinline)) u64 eight_by(u64 x) /* fills its field */
{
    return hidden(x) + 1;
}

__attribute__((noinline)) u64 a_name_too_long_for_its_field(u64 x)
{
    sink = x;
    return eight_by(x) * 3;
}

u64 efi_main(void *image, void *table)
{
    sink = (u64)image ^ (u64)table;
    return a_name_too_long_for_its_field(9) + (u64)tprof_anchor[sink & 3];
}
