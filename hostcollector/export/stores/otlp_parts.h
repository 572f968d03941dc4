/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of OpenTelemetry's profiles, for otlp_request.c. */
#ifndef TPROF_EXPORT_STORES_OTLP_PARTS_H
#define TPROF_EXPORT_STORES_OTLP_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/proto.h"
#include "report/render.h"
#include "util/pair_map.h"

/* otlp_message.c: messages of OpenTelemetry's protocol, in Protocol Buffers or
 * in JSON. JSON has names in lowerCamelCase, integers of 64 bits as strings,
 * and ids in hexadecimal digits. Fields that are 0 or empty are left out, as
 * readers of both expect. */

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

/* otlp_tables.c: tables that all OpenTelemetry profiles of a request share. An
 * entry is added, and numbered, when it is first used, so no entry is unused or
 * there twice. Entry 0 of each table is empty. */

enum otlp_kind {
    OTLP_MAPPING,
    OTLP_LOCATION,
    OTLP_FUNCTION,
    OTLP_LINK,
    OTLP_STRING,
    OTLP_ATTRIBUTE,
    OTLP_STACK,
    OTLP_KINDS
};

struct otlp_place {
    size_t at, size;
};

struct otlp_table {
    struct pair_map known; /* hash of an entry's bytes and a number, which
                            * counts entries with the same hash -> index of the
                            * entry */
    struct otlp_message entries;
    struct otlp_place *places; /* by index: place of the entry's bytes in
                                * (entries) */
    size_t places_room;
    uint32_t count;
};

struct otlp_tables {
    bool json;
    bool no_memory; /* the tables are incomplete */
    struct otlp_table tables[OTLP_KINDS];
    const struct report *report; /* of the guest */
    struct pair_map known;       /* part of the guest's view -> number of its
                                  * entry */
};

/* Call otlp_tables_fini() at the end. */
void otlp_tables_init(struct otlp_tables *o, bool json);
void otlp_tables_fini(struct otlp_tables *o);

/* Take the following entries from report (r). */
void otlp_tables_guest(struct otlp_tables *o, const struct report *r);

uint32_t otlp_number_of_string(struct otlp_tables *o, const char *text);

/* Returns the number of the attribute (key) with the value (text), or with the
 * value (number) if (text) is NULL. */
uint32_t otlp_number_of_attribute(struct otlp_tables *o, const char *key,
                                  const char *text, uint64_t number);

uint32_t otlp_number_of_stack(struct otlp_tables *o,
                              const struct view_path *path);

/* Write all tables to (dictionary), and empty them. */
void otlp_tables_write(struct otlp_tables *o, struct otlp_message *dictionary);

#endif
