/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a text report of several guests. */
#include "report/table.h"

#include <inttypes.h>
#include <string.h>

#include "report/name.h"
#include "util/text.h"

/* Columns of the name of a guest, and columns before and after. */
#define NAME_LEAST 8
#define NAME_MOST  30
#define LEFT       41
#define GAP        2
/* Columns before a warning. */
#define WARNING    14

static const char *image_name(const char *elf, char *buf, size_t size)
{
    return elf != NULL ? name_of_image(buf, size, elf) : "unknown image";
}

static void write_sums(FILE *out, const struct overall *o)
{
    uint64_t samples = 0, lost = 0;
    size_t failed = 0;
    char text[TEXT_NUMBER];

    for (size_t i = 0; i < o->guest_count; i++) {
        samples += o->guests[i].samples;
        lost += o->guests[i].lost;
        failed += o->guests[i].trouble != NULL;
    }
    (void)fprintf(out, "%zu guests: %s samples", o->guest_count,
                  text_count(text, samples));
    (void)fprintf(out, ", %s lost", text_count(text, lost));
    if (failed != 0)
        (void)fprintf(out, "; %zu failed", failed);
    (void)putc('\n', out);
}

/* Columns of the guests' names: enough for the longest, if there is room for it
 * and for the longest name of an image. */
static size_t name_width(const struct overall *o)
{
    size_t name = NAME_LEAST, image = strlen("IMAGE"), room;
    char text[256];

    for (size_t i = 0; i < o->guest_count; i++) {
        size_t guest = text_width(o->guests[i].name);
        size_t file =
            text_width(image_name(o->guests[i].elf, text, sizeof text));

        name = guest > name ? guest : name;
        image = file > image ? file : image;
    }
    room = table_left(o->look, LEFT + GAP + image);
    name = name < room ? name : room;
    return name < NAME_MOST ? name : NAME_MOST;
}

static void write_guest(FILE *out, const struct overall *o,
                        const struct overall_guest *g, size_t width)
{
    uint64_t ticks = g->samples + g->lost;
    char text[256], count[TEXT_NUMBER];

    (void)fprintf(out, "%14s %8.2f", text_count(count, g->samples),
                  ticks != 0 ? 100 * (double)g->lost / (double)ticks : 0);
    if (g->busy >= 0)
        (void)fprintf(out, " %7.1f %7.1f  ", 100 * g->busy,
                      100 * (1 - g->busy));
    else
        (void)fprintf(out, " %7s %7s  ", "-", "-");
    text_left(out, g->name, width);
    (void)fprintf(out, "%*s", GAP, "");
    text_cut(out, image_name(g->elf, text, sizeof text),
             table_left(o->look, LEFT + width + GAP));
    (void)putc('\n', out);
    if (g->trouble != NULL) {
        text_escape(text, sizeof text, g->trouble);
        (void)fprintf(out, "%*s! ", WARNING, "");
        text_wrap_at(out, WARNING + 2, text, table_columns(o->look));
    }
}

/* Write the functions of (image), summed over its guests. */
static void write_image(FILE *out, const struct overall *o,
                        const struct overall_image *image)
{
    struct report r = image->report;
    const struct view_scope *scope = &r.view->total;
    char text[128];

    r.columns = o->look->columns;
    (void)fprintf(out,
                  "\n%s on %zu guests: ", image_name(r.elf, text, sizeof text),
                  image->guests);
    table_busy(out, r.view, scope);
    table_functions(out, &r, scope);
}

void table_overall(FILE *out, const struct overall *o)
{
    size_t width = name_width(o);

    (void)fputs("==== all guests ====\n", out);
    write_sums(out, o);
    (void)fprintf(out, "\n%14s %8s %7s %7s  %-*s %s\n", "SAMPLES", "LOST %",
                  "BUSY %", "IDLE %", (int)width + 1, "GUEST", "IMAGE");
    for (size_t i = 0; i < o->guest_count; i++)
        write_guest(out, o, &o->guests[i], width);
    for (size_t i = 0; i < o->image_count; i++)
        write_image(out, o, &o->images[i]);
}
