/* SPDX-License-Identifier: BSD-2-Clause */
/* The start of a guest, phase by phase. */
#include <inttypes.h>

#include "report/name.h"
#include "report/table.h"
#include "util/text.h"
#include "view/time/boot.h"

#define LEFT       29 /* "   100.2 ms  100.0 %     0  " */
#define NAME_WIDTH 32
#define MS         1e3

static double ms_of(const struct report *r, double ticks)
{
    return MS * ticks / (double)r->profile->tsc_hz;
}

/* Write the functions of (c) with their parts of the phase of (length). */
static void write_functions(FILE *out, const struct report *r,
                            const struct boot_core *c, double length)
{
    char name[NAME_SHORT], line[4 * NAME_SHORT];
    size_t used = 0;

    line[0] = '\0';
    for (size_t i = 0; i < c->count && used < sizeof line; i++) {
        const char *function = r->view->functions[c->top[i].function].name;

        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s %.0f",
                                 i != 0 ? ", " : "",
                                 name_short(name, function, NAME_WIDTH),
                                 100 * c->top[i].time / length);
    }
    text_cut(out, line, table_columns(r) - LEFT);
    (void)putc('\n', out);
}

static void write_phase(FILE *out, const struct report *r,
                        const struct boot_phase *phase)
{
    double length = (double)(phase->to - phase->from);
    char name[GUEST_COUNTER_NAME * 4];

    text_escape(name, sizeof name, phase->until);
    (void)fprintf(out, "until \"%s\"\n", name);
    for (size_t i = 0; i < r->profile->core_count; i++) {
        const struct boot_core *c = &phase->cores[i];

        if (c->count == 0)
            continue;
        (void)fprintf(out, "%9.1f ms  %5.1f %%  %4" PRIu32 "  ",
                      ms_of(r, length), 100 * c->seen / length,
                      r->profile->cores[i].core);
        write_functions(out, r, c, length);
    }
}

void table_boot(FILE *out, const struct report *r)
{
    struct boot *b = boot_new(r->profile, r->view);
    char name[GUEST_COUNTER_NAME * 4];

    if (b == NULL)
        return;
    const struct boot_phase *last = &b->phases[b->count - 1];

    text_escape(name, sizeof name, last->until);
    (void)fprintf(out,
                  "\nBOOT, %.1f ms from the machine's start to \"%s\"\n"
                  "%12s  %7s  %4s  MOST TIME IN, %% of the phase\n"
                  "%9.1f ms  %7s  %4s  before the first sample: firmware, "
                  "loader, early kernel\n",
                  ms_of(r, (double)last->to), name, "TIME", "SEEN", "CORE",
                  ms_of(r, (double)b->first), "-", "-");
    for (size_t i = 0; i < b->count; i++)
        write_phase(out, r, &b->phases[i]);
    boot_free(b);
}
