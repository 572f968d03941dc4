/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions of x86-64 at which a core is held up. */
#include "util/cpu/x86_64/x86.h"

#include <string.h>

#define OPERAND 0x66u /* prefix of a 16-bit in or out */
#define HLT     0xf4u

static const struct pattern {
    uint8_t size; /* of the instruction */
    uint8_t opcode_size, opcode[3];
    enum code_holdup holdup;
} patterns[] = {
    {1, 1, {0x9d}, HOLDUP_POPF},
    {1, 1, {0xec}, HOLDUP_IN},
    {1, 1, {0xed}, HOLDUP_IN},
    {2, 1, {0xe4}, HOLDUP_IN},
    {2, 1, {0xe5}, HOLDUP_IN},
    {1, 1, {0xee}, HOLDUP_OUT},
    {1, 1, {0xef}, HOLDUP_OUT},
    {2, 1, {0xe6}, HOLDUP_OUT},
    {2, 1, {0xe7}, HOLDUP_OUT},
    {2, 2, {0x0f, 0xa2}, HOLDUP_CPUID},
    {2, 2, {0x0f, 0x31}, HOLDUP_RDTSC},
    {3, 3, {0x0f, 0x01, 0xf9}, HOLDUP_RDTSC},
    {2, 2, {0x0f, 0x32}, HOLDUP_RDMSR},
    {2, 2, {0x0f, 0x30}, HOLDUP_WRMSR},
};

enum code_holdup x86_holdup(const uint8_t *code, size_t size)
{
    if (size > 1 && *code == OPERAND) {
        code++;
        size--;
    }
    if (size == 1 && *code == 0xfb)
        return HOLDUP_STI;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        const struct pattern *p = &patterns[i];

        if (size == p->size && memcmp(code, p->opcode, p->opcode_size) == 0)
            return p->holdup;
    }
    return HOLDUP_NONE;
}

bool x86_may_hold_up(const uint8_t *end)
{
    switch (end[-1]) {
    case 0x9d:
    case 0xec:
    case 0xed:
    case 0xee:
    case 0xef:
    case 0xa2:
    case 0x30:
    case 0x31:
    case 0x32:
    case 0xf9:
        return true;
    default:
        return (end[-2] & 0xfc) == 0xe4 ||
               memchr(end - CPU_HOLDUP_SPAN, 0xfb, CPU_HOLDUP_SPAN) != NULL;
    }
}

/* `sti; hlt`, or mwait */
bool x86_sleeps(const uint8_t *end)
{
    return memcmp(end - 2, "\xfb\xf4", 2) == 0 ||
           memcmp(end - 3, "\x0f\x01\xc9", 3) == 0;
}

/* An mwait does not count, since mwait can wait with interrupts off. */
bool x86_is_halt(const uint8_t *end)
{
    return end[-1] == HLT;
}
