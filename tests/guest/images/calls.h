/* SPDX-License-Identifier: BSD-2-Clause */
/* What kernel and application call of each other. */
#ifndef IMAGES_CALLS_H
#define IMAGES_CALLS_H

#include <stdint.h>

struct calls {
    /* Works, and has the application work in (visit) meanwhile. */
    void (*serve)(void (*visit)(void));
};

/* An application's entry: returns after (rounds) of its work. */
typedef void app_entry(const struct calls *kernel, uint64_t rounds);

/* Takes two instructions (loops) times, in the function that this stands in. */
#define SPIN(loops)                                                            \
    do {                                                                       \
        uint64_t left_ = (loops);                                              \
        __asm__ volatile("1: decq %0\n\tjnz 1b" : "+r"(left_) : : "cc");       \
    } while (0)

/* Keeps a call from becoming a jump, which would leave no frame. */
#define NO_TAIL_CALL() __asm__ volatile("")

#endif
