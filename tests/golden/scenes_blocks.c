/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenes of an emulator that interrupts only between blocks, on kernel.elf. */
#include <stddef.h>

#include "scenes.h"

/* Less the start of text, from `objdump -d kernel.elf`. */
#define CHECKSUM_START  0x021u
#define CHECKSUM_SECOND 0x024u
#define AFTER_CHECKSUM  0x090u /* walk called checksum */
#define PUSH_START      0x092u

/* checksum stands at its first instruction mostly, which cannot earn so much:
 * the samples are of walk. ring_push stands there, too, but elsewhere more. */
static void work(unsigned second)
{
    struct wiregen_stack checksum = {
        .id = 1,
        .mask = 1,
        .words = {AFTER_CHECKSUM},
        .frames = (const uint64_t[]){AFTER_WALK, AFTER_PUSHED, AFTER_PUSH,
                                     AFTER_RECV, AFTER_THREAD},
        .count = 5};
    struct wiregen_stack push = {
        .id = 2,
        .mask = 1,
        .words = {AFTER_PUSH},
        .frames = (const uint64_t[]){AFTER_RECV, AFTER_THREAD},
        .count = 2};

    hello(&(struct hello){.cores = 1, .features = WIRE_FEATURE_BLOCKS});
    status(0, 0);
    begin_core(0);
    wiregen_stack(&wire, &checksum);
    wiregen_stack(&wire, &push);
    STACK(3, WIRE_END_ZERO, AFTER_PUSHED, AFTER_PUSH, AFTER_RECV, AFTER_THREAD);
    STACK(4, WIRE_END_ZERO, AFTER_PUSH, AFTER_RECV, AFTER_THREAD);
    samples(0, 120, 1, CHECKSUM_START, 0);
    samples(0, second, 1, CHECKSUM_SECOND, 0);
    samples(0, 60, 1, IN_CHECKSUM, 0);
    samples(0, 50, 3, IN_WALK, 0);
    samples(0, 40, 2, PUSH_START, 0);
    samples(0, 130, 4, IN_PUSH, 0);
    end_frame(0);
    stats(0, STARTED_FINAL);
}

void interrupts_between_blocks(void)
{
    work(0);
}

/* With -icount: the second instruction is hit as often as the first. */
void emulator_counts_instructions(void)
{
    work(120);
}
