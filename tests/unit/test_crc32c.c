/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32C by instruction and by table, against published values (RFC 3720). */
#include "check.h"

#include <string.h>

#include "util/crc.h"
#include "wiregen.h"

/* Catches: wrong polynomial or reflection */
TEST(crc_gives_the_published_values)
{
    uint8_t zeros[32] = {0}, ones[32], rising[32];

    memset(ones, 0xff, sizeof ones);
    for (uint8_t i = 0; i < 32; i++)
        rising[i] = i;
    CHECK_EQ(crc32c("123456789", 9), 0xe3069283);
    CHECK_EQ(crc32c(zeros, 32), 0x8a9136aa);
    CHECK_EQ(crc32c(ones, 32), 0x62a8ab43);
    CHECK_EQ(crc32c(rising, 32), 0x46dd794e);
    CHECK_EQ(crc32c("", 0), 0);
}

TEST(instruction_and_table_agree) /* catches: an end that is not a whole word */
{
    uint8_t bytes[80];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * i + 7);
    for (size_t from = 0; from < 8; from++) {
        for (size_t size = 0; from + size <= sizeof bytes; size++) {
            CHECK_EQ(crc32c(bytes + from, size),
                     crc32c_table(bytes + from, size));
            CHECK_EQ(crc32c(bytes + from, size),
                     wiregen_crc(bytes + from, size));
        }
    }
}
