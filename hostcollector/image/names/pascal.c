/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns symbols of Free Pascal back into names. */
#include "image/names/pascal.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/*
 * The rules were derived from the symbols that Free Pascal 3.2.2 emits:
 *
 *   UNIT_$$_NAME$PARAMETER$PARAMETER$$RESULT    a procedure; also P$PROGRAM
 *   UNIT$_$CLASS_$_INNER_$__$$_NAME...          a method, of a class in a class
 *   UNIT$_$OUTER$PARAMETER_$$_NAME...           a procedure in a procedure
 *   UNIT$_$CLASS_$_METHOD$PARAMETER_$$_NAME...  ... in a method
 *   $plus, $assign and so on as NAME            an operator
 *   UNIT_$$_init$, INIT$_$UNIT                  a unit's initialization
 */

#define ARRAY "array_of_"

/* A part of the name, not terminated. */
struct name_part {
    const char *at;
    size_t len;
};

struct output {
    char *at;
    size_t len, size;
};

/* Kinds of names. The kind decides which letters are likely capitals. */
enum place { PLACE_UNIT, PLACE_TYPE, PLACE_PROCEDURE };

static struct name_part part_of(const char *from, const char *to)
{
    return (struct name_part){from, (size_t)(to - from)};
}

/* The position of the first (text) in (p); the end of (p) if there is none. */
static const char *find_text(struct name_part p, const char *text)
{
    const char *at = memmem(p.at, p.len, text, strlen(text));

    return at != NULL ? at : p.at + p.len;
}

/* Remove the part of (p) before the first (text), and (text) itself. Returns
 * the part. */
static struct name_part take_part(struct name_part *p, const char *text)
{
    const char *end = p->at + p->len, *at = find_text(*p, text);
    struct name_part taken = part_of(p->at, at);

    *p = part_of(at < end ? at + strlen(text) : end, end);
    return taken;
}

static bool is(struct name_part p, const char *text)
{
    return p.len == strlen(text) && strncasecmp(p.at, text, p.len) == 0;
}

static bool begins_with(struct name_part p, const char *text)
{
    return p.len > strlen(text) && strncmp(p.at, text, strlen(text)) == 0;
}

static void put_char(struct output *o, char c)
{
    if (o->len + 1 < o->size)
        o->at[o->len++] = c;
}

static void put_text(struct output *o, const char *text)
{
    while (*text != '\0')
        put_char(o, *text++);
}

/* Write a name. If (as) is the same name, write the letters of (as). */
static void put_known(struct output *o, struct name_part p, const char *as)
{
    for (size_t i = 0; i < p.len; i++)
        put_char(o, as[i]);
}

static bool has_lower(struct name_part p)
{
    for (size_t i = 0; i < p.len; i++) {
        if (islower((unsigned char)p.at[i]))
            return true;
    }
    return false;
}

/* Returns the usual spelling of (p), for example LongInt. NULL if (p) is not a
 * common type of Pascal. */
static const char *usual(struct name_part p)
{
    static const char *const names[] = {
        "AnsiChar", "AnsiString",  "ByteBool",   "LongBool",   "LongInt",
        "LongWord", "NativeInt",   "NativeUInt", "OleVariant", "PAnsiChar",
        "PtrInt",   "PtrUInt",     "QWord",      "QWordBool",  "RawByteString",
        "ShortInt", "ShortString", "SmallInt",   "UInt64",     "UnicodeString",
        "WideChar", "WideString",  "WordBool",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (is(p, names[i]))
            return names[i];
    }
    return NULL;
}

/* Does the type begin with a customary prefix: TThread, PByte, IUnknown,
 * EAbort? */
static bool has_prefix(struct name_part p)
{
    return p.len > 2 && strchr("TPIE", p.at[0]) != NULL &&
           isalpha((unsigned char)p.at[1]) && !is(p, "POINTER") &&
           !is(p, "TEXT") && !is(p, "INT64") && !is(p, "EXTENDED");
}

static char small(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static void put_name(struct output *o, struct name_part p, enum place place)
{
    bool first = true;

    if (has_lower(p)) {
        put_known(o, p, p.at);
        return;
    }
    if (place == PLACE_TYPE && usual(p) != NULL) {
        put_known(o, p, usual(p));
        return;
    }
    for (size_t i = 0; i < p.len; i++) {
        char c = p.at[i];

        put_char(o, first ? c : small(c));
        first = c == '_' || (i == 0 && place == PLACE_TYPE && has_prefix(p));
    }
}

/* Write the unit. If the name of the unit's file has capitals, write its
 * letters. */
static void put_unit(struct output *o, struct name_part p,
                     const struct pascal_hint *hint)
{
    const char *file = hint->file != NULL ? hint->file : "";
    const char *slash = strrchr(file, '/');
    const char *name = slash != NULL ? slash + 1 : file;
    bool same = strncasecmp(name, p.at, p.len) == 0 && name[p.len] == '.';

    if (same && strncmp(name, p.at, p.len) != 0 &&
        isupper((unsigned char)name[0]))
        put_known(o, p, name);
    else
        put_name(o, p, PLACE_UNIT);
}

/* Expand the operator of `operator +`. */
static const char *operator_of(struct name_part p)
{
    static const char *const names[][2] = {
        {"$plus", "+"},
        {"$minus", "-"},
        {"$star", "*"},
        {"$slash", "/"},
        {"$starstar", "**"},
        {"$equal", "="},
        {"$not_equal", "<>"},
        {"$greater", ">"},
        {"$lower", "<"},
        {"$greater_or_equal", ">="},
        {"$lower_or_equal", "<="},
        {"$sym_diff", "><"},
        {"$assign", ":="},
        {"$explicit", "explicit"},
        {"$enumerator", "enumerator"},
        {"$in", "in"},
        {"$is", "is"},
        {"$as", "as"},
        {"$or", "or"},
        {"$and", "and"},
        {"$div", "div"},
        {"$mod", "mod"},
        {"$not", "not"},
        {"$shl", "shl"},
        {"$shr", "shr"},
        {"$xor", "xor"},
        {"$inc", "inc"},
        {"$dec", "dec"},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (is(p, names[i][0]))
            return names[i][1];
    }
    return NULL;
}

/* Write a type: "array_of_X" in words, and the arguments of a generic in
 * brackets. */
static void put_type(struct output *o, struct name_part p)
{
    struct name_part name = take_part(&p, "$");

    while (begins_with(name, ARRAY)) {
        put_text(o, "array of ");
        take_part(&name, ARRAY);
    }
    put_name(o, name, PLACE_TYPE);
    if (p.len == 0)
        return;
    put_char(o, '<');
    if (find_text(p, "CRC") < p.at + p.len)
        take_part(&p, "CRC");
    put_known(o, p, p.at);
    put_char(o, '>');
}

/* Does (p) continue with a part of the generic type before? */
static bool is_more_of_type(struct name_part p)
{
    struct name_part next = take_part(&p, "$");

    return next.len > 0 &&
           (isdigit((unsigned char)next.at[0]) ||
            (next.len == 11 && strncmp(next.at, "CRC", 3) == 0));
}

/* Write "$A$B$$RESULT" as "(A, B)". */
static void put_parameters(struct output *o, struct name_part p)
{
    const char *comma = "(";

    p.len = (size_t)(find_text(p, "$$") - p.at);
    if (p.len == 0)
        return;
    take_part(&p, "$");
    while (p.len > 0) {
        struct name_part type = take_part(&p, "$");

        while (is_more_of_type(p))
            type.len =
                (size_t)(take_part(&p, "$").len + (size_t)(p.at - type.at));
        put_text(o, comma);
        put_type(o, type);
        comma = ", ";
    }
    put_char(o, ')');
}

/* Write the scopes of a procedure: classes, then procedures with parameters. */
static void put_owners(struct output *o, struct name_part p)
{
    const char *end = p.at + p.len;

    while (find_text(p, "_$_") < end) {
        put_type(o, take_part(&p, "_$_"));
        put_char(o, '.');
    }
    while (p.len > 0) {
        const char *dollar = find_text(p, "$"), *next = dollar;

        put_name(o, part_of(p.at, dollar), PLACE_PROCEDURE);
        put_char(o, '.');
        /* after the parameters, the next name begins with _ */
        while (next < end && *next != '_')
            next += begins_with(part_of(next, end), ARRAY) ? strlen(ARRAY) : 1;
        p = part_of(next < end ? next + 1 : end, end);
    }
}

/* NAME$PARAMETER...$$RESULT. */
static void put_procedure(struct output *o, struct name_part p,
                          const struct pascal_hint *hint)
{
    const char *end = p.at + p.len;
    /* an operator's name begins with $ */
    struct name_part name =
        part_of(p.at, find_text(part_of(p.at + (*p.at == '$'), end), "$"));
    const char *symbol = operator_of(name);

    if (symbol != NULL) {
        put_text(o, "operator ");
        put_text(o, symbol);
    } else if (hint->name != NULL && is(name, hint->name)) {
        put_name(o, part_of(hint->name, hint->name + name.len),
                 PLACE_PROCEDURE);
    } else {
        put_name(o, name, PLACE_PROCEDURE);
    }
    put_parameters(o, part_of(name.at + name.len, end));
}

/* The last "_$$_" in (p); NULL if there is none, or if nothing precedes or
 * follows it. */
static const char *find_middle(struct name_part p)
{
    const char *last = NULL, *end = p.at + p.len;

    for (const char *at = find_text(p, "_$$_"); at + 4 < end;
         at = find_text(part_of(at + 1, end), "_$$_"))
        last = at;
    return last != p.at ? last : NULL;
}

static bool put_initialization(struct output *o, struct name_part p,
                               const struct pascal_hint *hint)
{
    static const char *const forms[][3] = {
        {"INIT$_$", "", ".initialization"},
        {"FINALIZE$_$", "", ".finalization"},
        {"", "_$$_init$", ".initialization"},
        {"", "_$$_finalize$", ".finalization"},
        {"", "_$$_init_implicit$", ".initialization"},
        {"", "_$$_finalize_implicit$", ".finalization"},
    };

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        size_t before = strlen(forms[i][0]), after = strlen(forms[i][1]);

        if (p.len > before + after && strncmp(p.at, forms[i][0], before) == 0 &&
            strncmp(p.at + p.len - after, forms[i][1], after) == 0) {
            put_unit(o,
                     (struct name_part){p.at + before, p.len - before - after},
                     hint);
            put_text(o, forms[i][2]);
            return true;
        }
    }
    return false;
}

bool pascal_name(const char *raw, const struct pascal_hint *hint, char *out,
                 size_t size)
{
    struct output o = {.at = out, .size = size};
    struct name_part all = {raw, strlen(raw)}, owners;
    const char *middle;

    if (*raw == '$') /* in DWARF, a unit's initialization */
        all = (struct name_part){raw + 1, all.len - 1};
    if (strncmp(raw, "WRPR_$", 6) == 0)
        return false; /* thunk from an interface to a method: the raw name is
                         better */
    if (strncmp(all.at, "P$", 2) == 0)
        all = (struct name_part){all.at + 2, all.len - 2};
    if (!put_initialization(&o, all, hint)) {
        middle = find_middle(all);
        if (middle == NULL)
            return false;
        owners = part_of(all.at, middle);
        put_unit(&o, take_part(&owners, "$_$"), hint);
        put_char(&o, '.');
        put_owners(&o, owners);
        put_procedure(&o, part_of(middle + 4, all.at + all.len), hint);
    }
    out[o.len] = '\0';
    return true;
}
