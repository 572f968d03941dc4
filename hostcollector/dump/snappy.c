/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls libsnappy, which judges what it reads and bounds what it writes. */
#include "dump/snappy.h"

#include <snappy-c.h>

bool dump_snappy_is_there(void)
{
    return true;
}

size_t dump_snappy(const uint8_t *from, size_t size, uint8_t *to, size_t room)
{
    size_t length = room;

    return snappy_uncompress((const char *)from, size, (char *)to, &length) ==
                   SNAPPY_OK
               ? length
               : 0;
}
