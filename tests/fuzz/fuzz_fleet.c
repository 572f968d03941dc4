/* SPDX-License-Identifier: BSD-2-Clause */
/* Several live guests that come, go, boot and lie (played.h). */
#include "played.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    played_fleet(data, size);
    return 0;
}
