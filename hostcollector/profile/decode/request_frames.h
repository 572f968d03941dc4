/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests: the records among samples that name the request, and the frames
 * with sums: WIRE.md 5.10 and 11. */
#ifndef TPROF_PROFILE_DECODE_REQUEST_FRAMES_H
#define TPROF_PROFILE_DECODE_REQUEST_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/requests.h"
#include "profile/decode/frame.h"
#include "profile/decode/samples.h"
#include "util/cursor.h"

/* Read a REQUEST record of (core) from (c), which stands after the record's
 * type. Return NULL; or a text that says what is wrong with the record. */
const char *request_frames_record(const struct samples_decoder *d,
                                  struct core *core, struct cursor *c);

/* Read (f) if it is a frame REQUEST, REQUEST_TIMES or SLOW, and call the event
 * of that frame. Returns whether the frame is such a frame. Stores NULL in
 * (*wrong), or a text about the first error in the frame. */
bool request_frames_take(const struct samples_decoder *d, const struct frame *f,
                         const char **wrong);

/* request_fields.c: as the functions of fields.h. */
const char *fields_request(const uint8_t *body, size_t length,
                           struct guest_request *r);
const char *fields_request_times(const uint8_t *body, size_t length,
                                 struct guest_request_times *t);
const char *fields_slow(const uint8_t *body, size_t length,
                        struct guest_slow *s);

#endif
