/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes of a recording, through every station, to every format (played.h). */
#include "played.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    played_report(data, size);
    return 0;
}
