/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes JSON objects member by member. */
#ifndef TPROF_REPORT_JSON_OBJECT_H
#define TPROF_REPORT_JSON_OBJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/json_text.h"
#include "util/text.h"

/* An object that is being written. */
struct json_object {
    FILE *out;
    bool first; /* no member was written yet */
};

static inline struct json_object json_begin(FILE *out)
{
    (void)putc('{', out);
    return (struct json_object){out, true};
}

/* Begin an element of a list, on a line of its own. */
static inline struct json_object json_element(FILE *out, bool *first)
{
    (void)fputs(*first ? "\n" : ",\n", out);
    *first = false;
    return json_begin(out);
}

static inline void json_end(struct json_object *o)
{
    (void)putc('}', o->out);
}

/* Begin member (key). Returns the file; the caller writes the value to it. */
static inline FILE *json_member(struct json_object *o, const char *key)
{
    json_comma(o->out, &o->first);
    (void)putc('"', o->out);
    (void)fputs(key, o->out);
    (void)fputs("\":", o->out);
    return o->out;
}

/* Begin member (key), which is an object. */
static inline struct json_object json_inner(struct json_object *o,
                                            const char *key)
{
    return json_begin(json_member(o, key));
}

/* Add (n) to the list of numbers (key), which is the last member of (o). If
 * (*open) is false, begin the list first. json_close_list() closes the list. */
static inline void json_list_count(struct json_object *o, const char *key,
                                   bool *open, uint64_t n)
{
    if (*open)
        (void)putc(',', o->out);
    else
        (void)putc('[', json_member(o, key));
    *open = true;
    text_decimal(o->out, n, 0);
}

static inline void json_close_list(struct json_object *o, bool open)
{
    if (open)
        (void)putc(']', o->out);
}

static inline void json_count(struct json_object *o, const char *key,
                              uint64_t n)
{
    text_decimal(json_member(o, key), n, 0);
}

static inline void json_real(struct json_object *o, const char *key, double n)
{
    json_number(json_member(o, key), n);
}

static inline void json_text(struct json_object *o, const char *key,
                             const char *s)
{
    json_string(json_member(o, key), s);
}

static inline void json_flag(struct json_object *o, const char *key, bool flag)
{
    (void)fputs(flag ? "true" : "false", json_member(o, key));
}

#endif
