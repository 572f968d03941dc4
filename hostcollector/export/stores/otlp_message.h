/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of OpenTelemetry's protocol, in Protocol Buffers or in JSON. JSON
 * has names in lowerCamelCase, integers of 64 bits as strings, and ids in
 * hexadecimal digits. Fields that are 0 or empty are left out, as readers of
 * both expect.
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

/* A message under construction, or the elements of a list, or a string. Zeroed,
 * except (json): empty. */
struct otlp_message {
    bool json;
    struct proto out;
};

/* Add a field of 32 bits, or of 64 bits. */
void otlp_int(struct otlp_message *m, const struct otlp_field *f,
              uint32_t value);
void otlp_long(struct otlp_message *m, const struct otlp_field *f,
               uint64_t value);

/* Add a field of 64 bits that is one choice of several. It is written even if
 * it is 0. */
void otlp_long_chosen(struct otlp_message *m, const struct otlp_field *f,
                      uint64_t value);

/* Add a field of eight bytes. */
void otlp_fixed(struct otlp_message *m, const struct otlp_field *f,
                uint64_t value);

/* Add packed integers: several of 32 bits, or a single one of 64 bits, which
 * may be 0. */
void otlp_ints(struct otlp_message *m, const struct otlp_field *f,
               const uint32_t *values, size_t count);
void otlp_one_long(struct otlp_message *m, const struct otlp_field *f,
                   uint64_t value);

/* Add a field of text. Harmful characters and invalid UTF-8 are escaped as by
 * text_escape(). */
void otlp_text(struct otlp_message *m, const struct otlp_field *f,
               const char *text);

/* Write a text, escaped like otlp_text(), without a field: a string for
 * otlp_add(). */
void otlp_string(struct otlp_message *m, const char *text);

void otlp_id(struct otlp_message *m, const struct otlp_field *f,
             const uint8_t *bytes, size_t size);

/* Add field (f) with the message (inner), and release (inner). */
void otlp_inner(struct otlp_message *m, const struct otlp_field *f,
                struct otlp_message *inner);

/* Append (inner) to (list), the elements of field (f), and release (inner).
 * With (string), (inner) is a string, else a message. */
void otlp_add(struct otlp_message *list, const struct otlp_field *f,
              struct otlp_message *inner, bool string);

/* Add field (f) with the elements in (list), and release (list). */
void otlp_list(struct otlp_message *m, const struct otlp_field *f,
               struct otlp_message *list);

void otlp_fini(struct otlp_message *m);

#endif
