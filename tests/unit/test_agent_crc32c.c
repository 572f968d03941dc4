/* SPDX-License-Identifier: BSD-2-Clause */
/* The agent's CRC-32C against the published check values (RFC 3720, B.4). */
#include <string.h>

#include "check.h"
#include "encode/crc32c.h"

static uint32_t crc(int hardware, const void *data, size_t size)
{
    static struct tprof_crc32c c;

    tprof_crc32c_init(&c, hardware);
    return tprof_crc32c_sum(&c, data, size);
}

static void check_published(int hardware)
{
    uint8_t bytes[32];

    CHECK_EQ(crc(hardware, "123456789", 9), 0xe3069283u);
    memset(bytes, 0, sizeof bytes);
    CHECK_EQ(crc(hardware, bytes, sizeof bytes), 0x8a9136aau);
    memset(bytes, 0xff, sizeof bytes);
    CHECK_EQ(crc(hardware, bytes, sizeof bytes), 0x62a8ab43u);
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    CHECK_EQ(crc(hardware, bytes, sizeof bytes), 0x46dd794eu);
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(31 - i);
    CHECK_EQ(crc(hardware, bytes, sizeof bytes), 0x113fdb5cu);
}

TEST(crc32c_by_tables_gives_the_published_values)
{
    check_published(0);
}

TEST(crc32c_by_instruction_gives_the_published_values)
{
    if (!__builtin_cpu_supports("sse4.2"))
        SKIP("this CPU has no crc32 instruction");
    check_published(1);
}

TEST(crc32c_of_nothing_is_zero) /* catches: a wrong start or end value */
{
    CHECK_EQ(crc(0, "", 0), 0);
}
