/* SPDX-License-Identifier: BSD-2-Clause */
#include "util/cpu/x86_64/iret_frame.h"

#include <stddef.h>

#define WORD 8u

/* Words of the frame, from the lowest address on. */
enum iret_word {
    IRET_PC,
    IRET_CS,
    IRET_FLAGS,
    IRET_RSP,
    IRET_SS,
    IRET_WORDS,
};

#define SELECTOR_MAX 0xffffu
#define SELECTOR_LDT 4u
#define SELECTOR_CPL 3u
#define FLAGS_ONE    0x2u                /* bit 1 is always set */
#define FLAGS_ZERO   0xffffffffffc08028u /* bits 3, 5, 15, 22 and up never */

_Static_assert((IRET_FRAME_BELOW + IRET_WORDS) * WORD == IRET_FRAME_SPAN,
               "all of it");

static bool is_canonical(uint64_t address)
{
    uint64_t top = address >> 47;

    return top == 0 || top == UINT64_MAX >> 47;
}

/* Could the CPU have pushed (frame)? This does not check the code address. */
static bool is_pushed(const uint64_t *frame)
{
    uint64_t cs = frame[IRET_CS], ss = frame[IRET_SS];

    return cs > SELECTOR_CPL && cs <= SELECTOR_MAX && ss <= SELECTOR_MAX &&
           ((cs | ss) & SELECTOR_LDT) == 0 && ((cs ^ ss) & SELECTOR_CPL) == 0 &&
           (frame[IRET_FLAGS] & (FLAGS_ONE | FLAGS_ZERO)) == FLAGS_ONE &&
           is_canonical(frame[IRET_RSP]);
}

bool iret_frame_find(const struct guest_memory *memory, uint64_t address,
                     unsigned below,
                     bool (*is_code)(const void *context, uint64_t pc),
                     const void *context, struct cpu_interrupted *out)
{
    uint64_t words[IRET_FRAME_BELOW_MAX + IRET_WORDS];
    size_t n = 0, found = 0;

    while (n < below + IRET_WORDS &&
           guest_memory_number(memory, address + n * WORD, WORD, &words[n]))
        n++;
    for (size_t i = 0; i <= below && i + IRET_WORDS <= n; i++) {
        const uint64_t *frame = words + i;

        if (!is_code(context, frame[IRET_PC]) || !is_pushed(frame))
            continue;
        *out = (struct cpu_interrupted){frame[IRET_PC], frame[IRET_RSP]};
        found++;
    }
    return found == 1;
}
