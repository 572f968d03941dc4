/* SPDX-License-Identifier: BSD-2-Clause */
/* The rate of a TSC from the page in which KVM describes its clock. */
#include <string.h>

#include "check.h"
#include "time/pvclock.h"

struct page {
    uint32_t version, pad;
    uint64_t tsc, system_time;
    uint32_t multiplier;
    int8_t shift;
    uint8_t flags, pad2[2];
};

static uint64_t hz_of(const struct page *page)
{
    uint32_t words[TPROF_PVCLOCK_WORDS];

    _Static_assert(sizeof words == sizeof *page, "one page");
    memcpy(words, page, sizeof words);
    return tprof_pvclock_hz(words);
}

static uint64_t hz(uint32_t multiplier, int8_t shift)
{
    return hz_of(
        &(struct page){.version = 2, .multiplier = multiplier, .shift = shift});
}

/* 10^9 / hz = multiplier / 2^32 x 2^shift, with all of 32 bits in use: as
 * Documentation/virt/kvm/x86/msr.rst has ns from ticks. */
static struct page page_of(double hz)
{
    struct page page = {.version = 8, .tsc = ~0ull, .flags = 0xff};
    double ns_per_tick = 1e9 / hz;

    while (ns_per_tick >= 1) {
        ns_per_tick /= 2;
        page.shift++;
    }
    while (ns_per_tick < .5) {
        ns_per_tick *= 2;
        page.shift--;
    }
    page.multiplier = (uint32_t)(ns_per_tick * 4294967296.0);
    return page;
}

TEST(pvclock_tells_whole_rates_exactly) /* catches: a shift the wrong way */
{
    CHECK_EQ(hz(0x80000000u, 1), 1000000000);
    CHECK_EQ(hz(0x80000000u, 0), 2000000000);
    CHECK_EQ(hz(0x80000000u, -1), 4000000000);
    CHECK_EQ(hz(0x80000000u, 5), 62500000);
}

TEST(pvclock_tells_any_rate_to_nine_digits)
{
    double rate = 1e6;

    for (int i = 0; i < 960; i++) {
        struct page page = page_of(rate);
        double is = (double)hz_of(&page);

        /* half of 2^-31, and an integer */
        CHECK(is > rate * (1 - 1e-9) - 2 && is < rate * (1 + 1e-9) + 2);
        rate *= 1.0137;
    }
}

TEST(pvclock_without_sense_tells_nothing) /* catches: a division by zero */
{
    CHECK_EQ(hz(0, 0), 0);
    CHECK_EQ(hz(0x7fffffffu, 0), 0);
    CHECK_EQ(hz(0xffffffffu, 32), 0);
    CHECK_EQ(hz(0xffffffffu, 127), 0);
    CHECK_EQ(hz(0xffffffffu, -10), 0);
    CHECK_EQ(hz(0xffffffffu, -128), 0);
}

TEST(pvclock_that_is_being_written_tells_nothing) /* and does not wait */
{
    struct page page = page_of(1e9);

    page.version = 7;
    CHECK_EQ(hz_of(&page), 0);
}
