/* SPDX-License-Identifier: BSD-2-Clause */
/* A scene for a compiler, on sampled.elf. */
#include <stddef.h>

#include "scenes.h"

#define SAMPLED_ID 0xc1 /* last byte of its build-id */

/* Less the start of text, from `objdump -d sampled.elf`; lines of sampled.c as
 * `llvm-dwarfdump --debug-line` gives them. */
#define SUM       0x000u /* checksum begins, line 27 */
#define SUM_MUL   0x034u /* line 23, inlined; its first block, unrolled twice */
#define SUM_ADD   0x037u /* line 32, unrolled twice */
#define SUM_LOOP  0x043u /* likewise */
#define SUM_LOAD  0x04cu /* line 21, inlined, unrolled twice */
#define SUM_NONE  0x061u /* line 0 */
#define SUM_CELL  0x070u /* line 23, its second block */
#define SUM_SUB   0x078u /* likewise */
#define RECEIVE   0x0f0u /* receive begins, line 37 */
#define CALL_SUM  0x101u /* line 39 */
#define RECV_CELL 0x13fu /* line 23, inlined; its second block, once */
#define IN_START  0x170u /* line 49 */

void sampled(void)
{
    hello(&(struct hello){.cores = 1, .build_id_last = SAMPLED_ID});
    status(0, 0);
    begin_core(0);
    STACK(1, WIRE_END_TEXT, 0);
    samples(0, 40, 1, SUM, 0);
    samples(0, 300, 1, SUM_LOOP, 0);
    samples(0, 200, 1, SUM_LOAD, 0);
    samples(0, 90, 1, SUM_ADD, 0);
    samples(0, 150, 1, SUM_MUL, 0);
    samples(0, 80, 1, SUM_CELL, 0);
    samples(0, 60, 1, SUM_SUB, 0);
    samples(0, 25, 1, SUM_NONE, 0);
    samples(0, 110, 1, RECEIVE, 0);
    samples(0, 70, 1, CALL_SUM, 0);
    samples(0, 30, 1, RECV_CELL, 0);
    samples(0, 5, 1, IN_START, 0);
    end_frame(0);
    stats(0, STARTED_FINAL);
}
