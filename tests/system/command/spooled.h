/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guest of two cores whose session is in run.tprof, and by windows in the
 * folder spool, of the case's own folder. A second of each core are 50 samples
 * and 2 that were lost.
 */
#ifndef TPROF_SPOOLED_H
#define TPROF_SPOOLED_H

#include <stdbool.h>
#include <stdint.h>

#include "wiregen.h"

#define BUILD                                                                  \
    "\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa"                                 \
    "\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa"

/* What it said that was not delivered yet; of its HELLOs: the nonce. */
extern struct wiregen spooled_stream;
extern uint64_t spooled_nonce;

void spooled_begin(uint8_t boot, const char *build);

/* The guest boots into another image, by another name of its build. */
void spooled_boot(uint8_t boot, const char *build);

/* HELLO, alone. */
void spooled_hello(uint8_t boot, const char *build);

/* A second of sampling is said; (first): with stacks. Then it is delivered. */
void spooled_second(bool first);
void spooled_deliver(void);

/* Put the window up to now into the spool, of (guest). */
void spooled_cut(const char *guest);

/* Seconds of sampling, and a window of each two. */
void spooled_play(unsigned seconds);

/* Nothing is heard for so long. */
void spooled_pause(unsigned seconds);

/* The guest's last words. */
void spooled_end(void);

/* The file of the window that begins (second) after the first one. */
const char *spooled_window(unsigned second);

#endif
