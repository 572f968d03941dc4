/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds frames in a byte stream by magic, length and CRC. */
#include "profile/decode/frame.h"

#include <string.h>

#include "util/bytes.h"
#include "util/crc.h"
#include "util/cursor.h"

#define MAGIC_FIRST_BYTE (WIRE_MAGIC & 0xff)

enum finding { A_FRAME, NO_FRAME, CUT_OFF };

static size_t frame_size(const struct frame *f)
{
    return WIRE_FRAME_HEADER + f->length + WIRE_FRAME_TRAILER;
}

/* Is there a frame at (p)? Returns whether it is intact, cut, or none. */
static enum finding look_at(const uint8_t *p, size_t size, struct frame *f)
{
    if (size < 2)
        return size == 0 || *p == MAGIC_FIRST_BYTE ? CUT_OFF : NO_FRAME;
    if (load_u16(p + WIRE_FRAME_MAGIC) != WIRE_MAGIC)
        return NO_FRAME;
    if (size < WIRE_FRAME_HEADER)
        return CUT_OFF;
    f->length = load_u16(p + WIRE_FRAME_LENGTH);
    if (f->length > WIRE_BODY_MAX)
        return NO_FRAME;
    if (size < frame_size(f))
        return CUT_OFF;
    f->body = p + WIRE_FRAME_HEADER;
    f->crc = load_u32(f->body + f->length);
    if (crc32c(p, WIRE_FRAME_HEADER + f->length) != f->crc)
        return NO_FRAME;
    f->type = p[WIRE_FRAME_TYPE];
    f->seq = load_u16(p + WIRE_FRAME_SEQ);
    return A_FRAME;
}

void framer_push(struct framer *fr, const uint8_t *bytes, size_t size,
                 bool last)
{
    fr->input = bytes;
    fr->left = size;
    fr->last = last;
    fr->filled = fr->kept;
    fr->done = 0;
    if (fr->kept > 0) {
        /* enough for any frame that begins in the kept bytes */
        size_t copy = size < WIRE_FRAME_MAX ? size : WIRE_FRAME_MAX;

        if (copy > 0)
            memcpy(fr->carry + fr->kept, bytes, copy);
        fr->filled += copy;
    }
}

static void advance(struct framer *fr, size_t size)
{
    fr->position += size;
    if (fr->kept == 0) {
        fr->input += size;
        fr->left -= size;
        return;
    }
    fr->done += size;
    if (fr->done >= fr->kept) { /* the next frames lie in the caller's bytes */
        size_t taken = fr->done - fr->kept;

        if (taken > 0)
            fr->input += taken;
        fr->left -= taken;
        fr->kept = 0;
    }
}

/* Skip the first byte of (p), up to the next byte that may begin a frame. */
static void skip(struct framer *fr, const uint8_t *p, size_t size)
{
    const uint8_t *next = memchr(p + 1, MAGIC_FIRST_BYTE, size - 1);
    size_t distance = next ? (size_t)(next - p) : size;

    if (!fr->skipping)
        fr->stretches++;
    fr->skipping = true;
    fr->skipped += distance;
    advance(fr, distance);
}

/* Keep the (size) bytes at (p), less than a frame, for the next push. */
static void keep(struct framer *fr, const uint8_t *p, size_t size)
{
    if (size > 0)
        memmove(fr->carry, p, size);
    fr->kept = fr->filled = size;
    fr->done = 0;
    fr->left = 0;
}

bool framer_next(struct framer *fr, struct frame *f)
{
    for (;;) {
        bool carried = fr->kept > 0;
        const uint8_t *p = carried ? fr->carry + fr->done : fr->input;
        size_t size = carried ? fr->filled - fr->done : fr->left;
        enum finding finding = look_at(p, size, f);

        if (finding == A_FRAME) {
            f->at = fr->position;
            fr->skipping = false;
            advance(fr, frame_size(f));
            return true;
        }
        if (size == 0)
            return false;
        if (finding == CUT_OFF && !fr->last) {
            keep(fr, p, size);
            return false;
        }
        skip(fr, p, size);
    }
}
