/* SPDX-License-Identifier: BSD-2-Clause */
/* fleet/backoff.h: how long to wait. catches: a wait of nothing, waits that
 * grow for ever, and a receiver that is asked before it wants to be. */
#include <stdint.h>

#include "check.h"
#include "fleet/backoff.h"

static const uint32_t chances[] = {0, 1, 77, 1u << 24, UINT32_MAX};
#define CHANCES (sizeof chances / sizeof chances[0])

TEST(each_wait_is_twice_the_one_before_less_up_to_half)
{
    for (unsigned failures = 1; failures < 9; failures++)
        for (unsigned i = 0; i < CHANCES; i++) {
            uint64_t ms = backoff_ms(failures, chances[i], 0);

            CHECK(ms <= 250u << (failures - 1));
            CHECK(ms >= 125u << (failures - 1));
        }
    CHECK_EQ(backoff_ms(3, 0, 0), 1000);
}

TEST(no_wait_is_longer_than_a_minute)
{
    for (unsigned failures = 9; failures < 1000; failures++)
        for (unsigned i = 0; i < CHANCES; i++) {
            CHECK(backoff_ms(failures, chances[i], 0) <= 60000);
            CHECK(backoff_ms(failures, chances[i], 0) >= 30000);
        }
}

TEST(a_receiver_is_obeyed_up_to_an_hour)
{
    CHECK_EQ(backoff_ms(1, 0, 5000), 5000);
    CHECK_EQ(backoff_ms(6, 0, 5000), 8000);
    CHECK_EQ(backoff_ms(1, 0, UINT64_MAX), 3600000);
}
