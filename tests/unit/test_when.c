/* SPDX-License-Identifier: BSD-2-Clause */
/* --since and --until: which moment is meant, and what is none. */
#include "cli/amount.h"

#include <stdlib.h>
#include <time.h>

#include "check.h"

#define NOW 1764000000123u /* ms: 2025-11-24T16:00:00.123Z */

static struct err e;

static uint64_t when(const char *text)
{
    uint64_t ms = 1;

    CHECK_EQ(when_parse("since", text, NOW, &ms, &e), 0);
    return ms;
}

TEST(so_long_ago)
{
    CHECK_EQ(when("-10s"), NOW - 10000);
    CHECK_EQ(when("-90m"), NOW - 5400000);
    CHECK_EQ(when("-1h"), NOW - 3600000);
    CHECK_EQ(when("-1.5h"), NOW - 5400000);
    CHECK_EQ(when("-2d"), NOW - 172800000);
    CHECK_EQ(when("-0s"), NOW);
    CHECK_EQ(when("-36500d"), 0); /* before 1970 */
}

TEST(seconds_since_1970)
{
    CHECK_EQ(when("@1700000000"), 1700000000000);
    CHECK_EQ(when("@0"), 0);
    CHECK_EQ(when("@1700000000.25"), 1700000000250);
}

/* The truth is of date -u -d ... +%s. */
TEST(calendar_is_local_or_utc)
{
    CHECK_EQ(setenv("TZ", "XYZ-2", 1), 0); /* two hours east of Greenwich */
    tzset();
    CHECK_EQ(when("2026-11-24T10:00Z"), 1795514400000);
    CHECK_EQ(when("2026-11-24T10:00:30Z"), 1795514430000);
    CHECK_EQ(when("2026-11-24T10:00"), 1795514400000 - 7200000);
    CHECK_EQ(when("2026-11-24T10:00:30"), 1795514430000 - 7200000);
    CHECK_EQ(when("2024-02-29T00:00Z"), 1709164800000);
}

/* 1764000000 is 18:00 there; date -d says so, too. */
TEST(today_begins_at_local_midnight)
{
    CHECK_EQ(setenv("TZ", "XYZ-2", 1), 0);
    tzset();
    CHECK_EQ(when("today"), (1764000000 - 18 * 3600) * UINT64_C(1000));
    CHECK_EQ(setenv("TZ", "UTC", 1), 0);
    tzset();
    CHECK_EQ(when("today"), (1764000000 - 16 * 3600) * UINT64_C(1000));
}

TEST(what_is_no_time_is_refused)
{
    static const char *const bad[] = {
        "",
        "-",
        "-1",
        "-1w",
        "-1hh",
        "--1h",
        "-infs",
        "-nand",
        "-1e300d",
        "1h",
        "now",
        "@",
        "@-1",
        "@1x",
        "@1e300",
        "2026",
        "2026-11-24",
        "2026-11-24T10",
        "2026-11-24 10:00",
        "2026-11-24T10:00z",
        "2026-11-24T10:00ZZ",
        "2026-11-24T10:00:",
        "2026-11-24T10:60Z",
        "2026-11-24T24:00Z",
        "2026-02-29T10:00Z",
        "2026-13-01T10:00Z",
        "2026-00-01T10:00Z",
        "2026-11-00T10:00Z",
        "1969-11-24T10:00Z",
        "226-11-24T10:00Z",
        "2026-+1-24T10:00Z",
        "2026-11-24T10:00:99Z",
    };
    uint64_t ms = 1;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (when_parse("until", bad[i], NOW, &ms, &e) != -1)
            check_failed(__FILE__, __LINE__, "'%s' is a time", bad[i]);
    CHECK_EQ(when_parse("until", "1h", NOW, &ms, &e), -1);
    CHECK_STR(e.text, "--until: '1h' is no time; type it as -1h, -90m, "
                      "today, 2026-11-24T10:00 or @1700000000");
}
