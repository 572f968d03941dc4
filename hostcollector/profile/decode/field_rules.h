/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of a frame -> members of a struct, by a table of rules. */
#ifndef TPROF_PROFILE_DECODE_FIELD_RULES_H
#define TPROF_PROFILE_DECODE_FIELD_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/cursor.h"

struct field {
    uint8_t tag;
    const uint8_t *bytes;
    size_t length;
    uint64_t value; /* of an integer of 1 to 8 bytes, else 0 */
};

/* The next field; false at the end, with c->bad if that lies in a field. */
bool field_rules_next(struct cursor *c, struct field *f);

/* Conversions from a field to a member of a struct. */
enum field_kind {
    FIELD_UINT, /* integer; limited to the member's maximum */
    /* integer; bits for which the member has no room are dropped */
    FIELD_FLAGS,
    FIELD_UNTIL_MAX, /* integer; UINT64_MAX: not known */
    FIELD_TEXT,      /* text, cut to fit; ends in a NUL */
    /* file name without its folders, cut to fit; ends in a NUL */
    FIELD_FILE_NAME,
    FIELD_BOOT_ID,  /* exactly as many bytes as the member has */
    FIELD_BUILD_ID, /* at most as many bytes, and their number */
    FIELD_CHAIN,    /* differences of addresses, and their number */
    FIELD_CLASSES,  /* pairs of a number below 64, and its element's value */
};

/*
 * Sets the member for one field of a frame. Each type of frame has a table of
 * rules; a new field is a member of model/guest.h and a line in a table.
 * (told) is the offset of a second member: a bool that becomes true, or for
 * FIELD_BUILD_ID and FIELD_CHAIN a uint32_t that becomes the length. 0: there
 * is no second member; no second member is the first in its struct.
 */
struct field_rule {
    uint8_t tag;
    enum field_kind kind;
    size_t offset, size, told;
};

#define MEMBER(type, member)                                                   \
    offsetof(struct type, member), sizeof((struct type *)0)->member
#define UINT(tag, type, member)                                                \
    {                                                                          \
        tag, FIELD_UINT, MEMBER(type, member), 0                               \
    }
#define RULE(tag, kind, type, member)                                          \
    {                                                                          \
        tag, kind, MEMBER(type, member), 0                                     \
    }
#define TOLD(tag, kind, type, member, told)                                    \
    {                                                                          \
        tag, kind, MEMBER(type, member), offsetof(struct type, told)           \
    }

/*
 * Read (body) into the zeroed struct at (to). Fields without a rule are of a
 * later minor version. Returns a text that says what is wrong, or NULL. The
 * text is (cut) if the body ends inside a field.
 */
const char *field_rules_read(const uint8_t *body, size_t length, void *to,
                             const struct field_rule *rules, size_t count,
                             const char *cut);

#define READ_FIELDS(body, length, to, rules, name)                             \
    field_rules_read(body, length, to, rules,                                  \
                     sizeof(rules) / sizeof(rules)[0],                         \
                     name " ends inside a field")

#endif
