/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables that all OpenTelemetry profiles of a request share. An entry is added,
 * and numbered, when it is first used, so no entry is unused or there twice.
 * Entry 0 of each table is empty.
 */
#ifndef TPROF_EXPORT_STORES_OTLP_TABLES_H
#define TPROF_EXPORT_STORES_OTLP_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "export/stores/otlp_message.h"
#include "report/render.h"
#include "util/pair_map.h"

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
    struct pair_map known; /* by the hash of an entry's bytes, and a count of
                            * entries with the same hash, from 0 on */
    struct otlp_message entries;
    struct otlp_place *places; /* of the entries' bytes in (entries) */
    size_t places_room;
    uint32_t count;
};

struct otlp_tables {
    bool json;
    bool no_memory; /* the tables are incomplete */
    struct otlp_table tables[OTLP_KINDS];
    const struct report *report; /* of the guest */
    struct pair_map known;       /* numbers of parts of its view */
};

/* Call otlp_tables_fini() at the end. */
void otlp_tables_init(struct otlp_tables *o, bool json);
void otlp_tables_fini(struct otlp_tables *o);

/* Take the following entries from report (r). */
void otlp_tables_guest(struct otlp_tables *o, const struct report *r);

uint32_t otlp_number_of_string(struct otlp_tables *o, const char *text);

/* Number of the attribute (key) with the value (text), or (number) if (text) is
 * NULL. */
uint32_t otlp_number_of_attribute(struct otlp_tables *o, const char *key,
                                  const char *text, uint64_t number);

uint32_t otlp_number_of_stack(struct otlp_tables *o,
                              const struct view_path *path);

/* Write all tables to (dictionary), and empty them. */
void otlp_tables_write(struct otlp_tables *o, struct otlp_message *dictionary);

#endif
