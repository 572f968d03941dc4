/* SPDX-License-Identifier: BSD-2-Clause */
/* Where libsnappy was missing when the collector was built. */
#include "dump/snappy.h"

bool dump_snappy_is_there(void)
{
    return false;
}

size_t dump_snappy(const uint8_t *from, size_t size, uint8_t *to, size_t room)
{
    (void)from, (void)size, (void)to, (void)room;
    return 0;
}
