/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes of recordings, through every station, to a comparison (played.h). */
#include "played.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    played_diff(data, size);
    return 0;
}
