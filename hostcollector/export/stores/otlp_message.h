/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of OpenTelemetry's protocol, in Protocol Buffers or in JSON as it
 * has that: names in lowerCamelCase, integers of 64 bits as strings, ids in
 * hexadecimal digits. What is 0 or empty is left out, as readers of both
 * expect.
 */
#ifndef TPROF_EXPORT_STORES_OTLP_MESSAGE_H
#define TPROF_EXPORT_STORES_OTLP_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/proto.h"

struct otlp_field {
    uint32_t number;
    const char *name; /* in JSON */
};

/* A message in the making, or the elements of a list, or a string. Zeroed but
 * for (json): empty. */
struct otlp_message {
    bool json;
    struct proto out;
};

/* A field of 32 bits, and one of 64. */
void otlp_int(struct otlp_message *m, const struct otlp_field *f,
              uint32_t value);
void otlp_long(struct otlp_message *m, const struct otlp_field *f,
               uint64_t value);

/* The same as one of several fields, of which one is there even if it is 0. */
void otlp_long_chosen(struct otlp_message *m, const struct otlp_field *f,
                      uint64_t value);

/* A field of eight bytes. */
void otlp_fixed(struct otlp_message *m, const struct otlp_field *f,
                uint64_t value);

/* Packed integers: of 32 bits, and a single one of 64, which may be 0. */
void otlp_ints(struct otlp_message *m, const struct otlp_field *f,
               const uint32_t *values, size_t count);
void otlp_one_long(struct otlp_message *m, const struct otlp_field *f,
                   uint64_t value);

/* A field of text; what is harmful or no UTF-8 is escaped as by text_escape().
 */
void otlp_text(struct otlp_message *m, const struct otlp_field *f,
               const char *text);

/* The same bytes without a field around them: a string for otlp_add(). */
void otlp_string(struct otlp_message *m, const char *text);

void otlp_id(struct otlp_message *m, const struct otlp_field *f,
             const uint8_t *bytes, size_t size);

/* Field (f), which is (inner); releases (inner). */
void otlp_inner(struct otlp_message *m, const struct otlp_field *f,
                struct otlp_message *inner);

/* A further element of (list), which is for field (f): (inner), a string if
 * (string) and else a message; releases (inner). */
void otlp_add(struct otlp_message *list, const struct otlp_field *f,
              struct otlp_message *inner, bool string);

/* Field (f), which is the elements in (list); releases (list). */
void otlp_list(struct otlp_message *m, const struct otlp_field *f,
               struct otlp_message *list);

void otlp_fini(struct otlp_message *m);

#endif
