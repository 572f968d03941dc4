/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For tests of the decoder: builds streams, and decodes them in one piece and
 * in many. The bytes are copied to memory that ends with them, so that a
 * sanitizer sees a read behind the end.
 */
#ifndef TPROF_DECODED_H
#define TPROF_DECODED_H

#include <stddef.h>
#include <stdint.h>

#include "profile/decode/decode.h"
#include "seen.h"
#include "wiregen.h"

#define TEXT 0x400000u /* start of text in hello_stream() */

/* What the last stream said, how healthy it was, and its error if it failed. */
extern struct seen seen;
extern struct stream_health health;
extern struct err error;

/* Decode (size) bytes in pieces of (piece) bytes. Returns what the last
 * decode_feed() or decode_end() returned. */
int decode_pieces(const uint8_t *bytes, size_t size, size_t piece);

/* Decode (w) as a whole and in pieces of several sizes. The events must be the
 * same each time. */
int decode_all(const struct wiregen *w);

/* A stream with a HELLO of boot 1, 4 cores, 1 GHz. */
struct wiregen hello_stream(void);

/* A SAMPLES frame of core 0: BEGIN if (before) is 0, stack 1 of 3 frames, and
 * (n) samples of it, after (before) earlier ones. */
void good_frame(struct wiregen *w, uint64_t n, uint64_t before);

#endif
