/* SPDX-License-Identifier: BSD-2-Clause */
/* Compilers and compile units, as tables. */
#include <stdlib.h>
#include <string.h>

#include "check/report.h"
#include "util/text.h"

#define UNITS_SHOWN   20u
#define COMPILERS_MAX 32u
#define COMPILER_TEXT 256u
#define NAME_TEXT     512u
#define LEFT          57u /* columns before the name of a unit */
#define NAME_LEAST    16u

struct compiler {
    char text[COMPILER_TEXT];
    uint64_t code_bytes, framed, frames;
    size_t units;
};

/* Does the flag at (word), of (len) bytes, change a profile? */
static bool matters(const char *word, size_t len)
{
    static const char *const beginnings[] = {"-O",           "-g",
                                             "-fomit-frame", "-fno-omit-frame",
                                             "-momit-leaf",  "-mno-omit-leaf",
                                             "-flto"};

    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        size_t n = strlen(beginnings[i]);

        if (len >= n && strncmp(word, beginnings[i], n) == 0)
            return true;
    }
    return false;
}

/* Copy (producer) to (out) without flags of gcc that do not matter. */
static void shorten(char out[COMPILER_TEXT], const char *producer)
{
    size_t n = 0;

    for (const char *word = producer; *word != '\0';) {
        size_t len = strcspn(word, " ");

        if ((word[0] != '-' || matters(word, len)) &&
            n + len + 2 < COMPILER_TEXT) {
            if (n != 0)
                out[n++] = ' ';
            memcpy(out + n, word, len);
            n += len;
        }
        word += len + strspn(word + len, " ");
    }
    out[n] = '\0';
}

static uint64_t sum(const uint64_t bytes[CHECK_FRAMES])
{
    uint64_t all = 0;

    for (int i = 0; i < CHECK_FRAMES; i++)
        all += bytes[i];
    return all;
}

/* The entry of (u) in the (*count) entries at (list). The last entry sums up
 * the rest. */
static struct compiler *compiler_of(struct compiler *list, size_t *count,
                                    const struct check_unit *u)
{
    char text[COMPILER_TEXT];
    size_t i = 0;

    shorten(text, u->name == NULL       ? "(no debug information)"
                  : u->producer != NULL ? u->producer
                                        : "(unknown)");
    while (i < *count && strcmp(list[i].text, text) != 0)
        i++;
    if (i >= COMPILERS_MAX - 1) {
        i = COMPILERS_MAX - 1;
        memcpy(text, "(others)", sizeof "(others)");
    }
    if (i == *count)
        memcpy(list[(*count)++].text, text, sizeof text);
    return &list[i];
}

static int by_size(const void *x, const void *y)
{
    const struct compiler *a = x, *b = y;

    return a->code_bytes < b->code_bytes ? 1 : -(a->code_bytes > b->code_bytes);
}

static void write_compilers(const struct check_out *to,
                            const struct check_facts *s)
{
    struct compiler list[COMPILERS_MAX] = {0};
    FILE *out = to->file;
    size_t count = 0;

    for (size_t i = 0; i < s->unit_count; i++) {
        const struct check_unit *u = &s->units[i];
        struct compiler *c = compiler_of(list, &count, u);

        c->code_bytes += u->code_bytes;
        c->framed += u->frames.bytes[CHECK_FRAMED];
        c->frames += sum(u->frames.bytes);
        c->units++;
    }
    qsort(list, count, sizeof list[0], by_size);
    (void)fputs("\n      CODE  UNITS  FRAME  COMPILER, AND ITS FLAGS AS FAR AS "
                "IT RECORDS THEM\n",
                out);
    for (size_t i = 0; i < count; i++) {
        char code[TEXT_NUMBER], percent[TEXT_PERCENT], text[COMPILER_TEXT];
        char first[64];

        (void)snprintf(first, sizeof first, "%10s %6zu %6s  ",
                       text_count(code, list[i].code_bytes), list[i].units,
                       text_percent(percent, list[i].framed, list[i].frames));
        text_wrap(out, first, text_escape(text, sizeof text, list[i].text),
                  to->columns);
    }
}

static void write_unit(const struct check_out *to, const struct check_unit *u)
{
    FILE *out = to->file;
    static const enum check_frame columns[] = {CHECK_FRAMED, CHECK_LEAF,
                                               CHECK_BARE, CHECK_CUTTING};
    char code[TEXT_NUMBER], percent[TEXT_PERCENT], name[NAME_TEXT];
    uint64_t whole = sum(u->frames.bytes);

    (void)fprintf(out, "%10s %6s", text_count(code, u->code_bytes),
                  text_percent(percent, u->line_bytes, u->code_bytes));
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        (void)fprintf(
            out, " %6s",
            text_percent(percent, u->frames.bytes[columns[i]], whole));
    (void)fprintf(out, "  %-10s", check_language_name(u->language));
    text_escape(name, sizeof name,
                u->name != NULL ? u->name : "(no debug information)");
    text_tail(out, name,
              to->columns > LEFT + NAME_LEAST ? to->columns - LEFT
                                              : NAME_LEAST);
    (void)putc('\n', out);
}

void check_report_units(const struct check_out *to, const struct check_facts *s,
                        bool all)
{
    FILE *out = to->file;
    char more[TEXT_NUMBER];
    size_t shown =
        all || s->unit_count <= UNITS_SHOWN ? s->unit_count : UNITS_SHOWN;

    if (s->unit_count == 0)
        return;
    write_compilers(to, s);
    (void)fputs("\n      CODE  LINES  FRAME   LEAF   BARE    CUT  LANGUAGE  "
                "UNIT\n",
                out);
    for (size_t i = 0; i < shown; i++)
        write_unit(to, &s->units[i]);
    if (shown < s->unit_count)
        (void)fprintf(out, "%10s %s more: --all\n", "",
                      text_count(more, s->unit_count - shown));
    text_wrap(
        out, "",
        "Shares are of bytes of code. FRAME: functions that set up a "
        "frame. LEAF: functions without a frame that call nothing; only "
        "their direct caller is uncertain. BARE: functions without a "
        "frame that call others; stacks lack their callers. CUT: "
        "functions that use the frame pointer for other things; stacks may "
        "end there.",
        to->columns);
}
