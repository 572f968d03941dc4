/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What OpenTelemetry's profiles refer to: tables that all profiles of a request
 * share. An entry gets its number when something first refers to it, so there
 * is none without need, and none twice; entry 0 of each says nothing.
 */
#ifndef TPROF_EXPORT_STORES_OTLP_TABLES_H
#define TPROF_EXPORT_STORES_OTLP_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "export/stores/otlp_message.h"
#include "report/render.h"
#include "util/map.h"

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

struct otlp_table {
    struct pair_map known; /* by parts of the SHA-256 of an entry's bytes */
    struct otlp_message entries;
    uint32_t count;
};

struct otlp_tables {
    bool json;
    bool no_memory; /* something is missing */
    struct otlp_table tables[OTLP_KINDS];
    const struct report *report; /* of the guest */
    struct pair_map known;       /* numbers of what is in its view */
};

/* otlp_tables_fini() in the end. */
void otlp_tables_init(struct otlp_tables *o, bool json);
void otlp_tables_fini(struct otlp_tables *o);

/* What follows is of (r). */
void otlp_tables_guest(struct otlp_tables *o, const struct report *r);

uint32_t otlp_number_of_string(struct otlp_tables *o, const char *text);

/* The attribute (key), which is (text), or (number) if that is NULL. */
uint32_t otlp_number_of_attribute(struct otlp_tables *o, const char *key,
                                  const char *text, uint64_t number);

uint32_t otlp_number_of_stack(struct otlp_tables *o,
                              const struct view_path *path);

/* Put all tables into (dictionary), and empty them. */
void otlp_tables_write(struct otlp_tables *o, struct otlp_message *dictionary);

#endif
