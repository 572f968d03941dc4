/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenes of stacks that are short, or lack callers, on threads.elf. */
#include <stddef.h>

#include "scenes.h"

/* Less the start of text, from `objdump -d threads.elf`. */
#define AFTER_SEVENTY 0x009u /* consumer called seventy */
#define AFTER_SPIN    0x00eu
#define AFTER_MAIN    0x013u
#define IN_CONSUMER   0x009u
#define IN_SEVENTY    0x01eu
#define IN_SPIN       0x029u
#define AFTER_YIELD   0x047u /* THREADSWITCH called SYSTHREADSWITCH */
#define IN_YIELD      0x055u
#define CLEANUP       0x060u /* the first byte of thread_cleanup */

#define THREADS_ID 0x99 /* last byte of its build-id */

static void begin(uint8_t readable)
{
    hello(&(struct hello){
        .cores = 1, .build_id_last = THREADS_ID, .readable = readable});
    status(0, 0);
    begin_core(0);
}

static void end(void)
{
    end_frame(0);
    stats(0, STARTED_FINAL);
}

void stacks_elsewhere(void)
{
    struct wiregen_stack s = {
        .id = 1, .end = WIRE_END_MEMORY, .rsp = 0x3fdff80};

    begin(2);
    wiregen_stack(&wire, &s);
    samples(0, 140, 1, IN_SEVENTY, 0);
    samples(0, 60, 1, IN_SPIN, 0); /* it has no frame, which is no reason */
    end();
}

void threads_without_callers(void)
{
    struct wiregen_stack in_spin = {
        .id = 3, .end = WIRE_END_TEXT, .mask = 1, .words = {AFTER_SPIN}};

    begin(1);
    STACK(1, WIRE_END_TEXT, AFTER_SEVENTY);
    STACK(2, WIRE_END_TEXT, 0);
    wiregen_stack(&wire, &in_spin);
    samples(0, 140, 1, IN_SEVENTY, 0);
    samples(0, 20, 2, IN_CONSUMER, 0);
    samples(0, 60, 3, IN_SPIN, 0);
    end();
}

void runtime_without_frames(void)
{
    begin(1);
    /* main called THREADSWITCH, but main's frame says who called main */
    STACK(1, WIRE_END_TEXT, AFTER_YIELD, AFTER_MAIN);
    /* another thread, whose outermost function called THREADSWITCH */
    STACK(2, WIRE_END_TEXT, AFTER_YIELD);
    STACK(3, WIRE_END_TEXT, AFTER_SEVENTY);
    samples(0, 80, 1, IN_YIELD, 0);
    samples(0, 60, 2, IN_YIELD, 0);
    samples(0, 60, 3, IN_SEVENTY, 0);
    end();
}

void thread_with_a_laid_root(void)
{
    begin(1);
    STACK(1, WIRE_END_ZERO, AFTER_SEVENTY, CLEANUP);
    samples(0, 140, 1, IN_SEVENTY, 0);
    end();
}
