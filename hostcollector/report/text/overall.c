/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a text report of several guests. */
#include "report/table.h"

#include <inttypes.h>

#include "report/name.h"
#include "util/text.h"

#define NAME_WIDTH 30

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

static void write_guest(FILE *out, const struct overall_guest *g)
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
    text_left(out, g->name, NAME_WIDTH);
    (void)fprintf(out, " %s\n", image_name(g->elf, text, sizeof text));
    if (g->trouble != NULL) {
        text_escape(text, sizeof text, g->trouble);
        text_wrap(out, "              ! ", text, TEXT_COLUMNS);
    }
}

static void write_image(FILE *out, const struct overall_image *image)
{
    const struct report *r = &image->report;
    const struct view_scope *scope = &r->view->total;
    char text[128];

    (void)fprintf(out,
                  "\n%s on %zu guests: ", image_name(r->elf, text, sizeof text),
                  image->guests);
    table_busy(out, r->view, scope);
    table_functions(out, r, scope);
}

void table_overall(FILE *out, const struct overall *o)
{
    (void)fputs("==== all guests ====\n", out);
    write_sums(out, o);
    (void)fprintf(out, "\n%14s %8s %7s %7s  %-*s %s\n", "SAMPLES", "LOST %",
                  "BUSY %", "IDLE %", NAME_WIDTH, "GUEST", "IMAGE");
    for (size_t i = 0; i < o->guest_count; i++)
        write_guest(out, &o->guests[i]);
    for (size_t i = 0; i < o->image_count; i++)
        write_image(out, &o->images[i]);
}
