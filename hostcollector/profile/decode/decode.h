/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wire bytes -> events. Finds frames, checks them, keeps each core's
 * dictionary and account, and reports losses. WIRE.md describes the bytes.
 *
 * The bytes are hostile. A frame counts only if its CRC is right. Whatever a
 * frame holds, the decoder turns it into events, counters or an error. The
 * decoder takes at most 64 KiB, and 8 to 80 KiB for each core that sends, of
 * at most 1024 cores.
 */
#ifndef TPROF_PROFILE_DECODE_DECODE_H
#define TPROF_PROFILE_DECODE_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "model/events.h"
#include "model/profile.h"
#include "util/err.h"

struct decode;

/*
 * Returns a decoder at the beginning of a stream. (events) must outlive the
 * decoder. (context) is passed to each callback that does not get events->sums.
 * NULL if there is no memory.
 */
struct decode *decode_new(const struct events *events, void *context);

/* Release (d). NULL is allowed. */
void decode_free(struct decode *d);

/*
 * Decode the next (size) bytes. If a frame is cut at the end of these bytes,
 * its beginning is kept for the next call.
 *
 * Returns 0; -1 with (e) filled if the guest's major wire version is not ours,
 * if events.hello() refused, or if there is no memory. After -1 the stream
 * cannot be read any further.
 */
int decode_feed(struct decode *d, const void *bytes, size_t size,
                struct err *e);

/* End the stream. Whole frames after a damaged frame are still decoded; other
 * bytes count as skipped. Returns the values of decode_feed(). */
int decode_end(struct decode *d, struct err *e);

/* Bytes of a core that sends, without the used slots of its dictionary. */
#define DECODE_CORE_BYTES 8192ull
/* Bytes of a core whose whole dictionary is used. */
#define DECODE_CORE_MAX   (80ull << 10)

/* Bytes of the used slots of all dictionaries. */
uint64_t decode_dictionaries(const struct decode *d);

/* The stream's counters so far; valid as long as (d). */
const struct stream_health *decode_health(const struct decode *d);

#endif
