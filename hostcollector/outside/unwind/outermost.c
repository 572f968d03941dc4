/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks for a call: in the image, and in memory before the word. */
#include "outside/unwind/outermost.h"

#include "outside/unwind/code_rows.h"

bool outermost_is_behind_call(const struct unwind_memory *memory, uint64_t back)
{
    uint8_t code[CODE_ROWS_CALL_MAX];
    int64_t distance;

    return memory->read(memory->context, back - sizeof code, code,
                        sizeof code) == sizeof code &&
           code_rows_ends_in_call(code, sizeof code, &distance);
}

bool outermost_is(struct code_rows *code, uint64_t function,
                  const struct unwind_memory *memory, uint64_t back)
{
    return !code_rows_is_called(code, function) &&
           !outermost_is_behind_call(memory, back);
}
