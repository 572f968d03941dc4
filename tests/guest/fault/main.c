/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests how the kit fails: what=status|page|invalid|triple|hang. None of
 * them may look like success; what=map is a hole that was mended.
 */
#include "cpu.h"
#include "guest.h"

static char hole[8192];

static bool is(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

int guest_main(void)
{
    char what[16];
    uintptr_t page = ((uintptr_t)hole + 4095) & ~(uintptr_t)4095;

    opt_str("what", "status", what, sizeof what);
    if (is(what, "page")) {
        page_unmap(page);
        *(volatile char *)page = 1;
    } else if (is(what, "map")) {
        page_unmap(page);
        page_map(page);
        *(volatile char *)page = 1;
        return 0;
    } else if (is(what, "invalid")) {
        __asm__ volatile("ud2");
    } else if (is(what, "triple")) {
        __asm__ volatile("xorl %esp, %esp; lidt (%rsp); ud2");
    }
    while (is(what, "hang"))
        cpu_pause();
    return 3;
}
