/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes stacks as text: a paragraph for each core. */
#include <inttypes.h>
#include <time.h>

#include "diagnose/core_list.h"
#include "report/ink.h"
#include "report/name.h"
#include "report/table.h"
#include "stacks/registers_text.h"
#include "stacks/snapshot_output.h"
#include "util/text.h"

#define NUMBER     6 /* columns of "  #12 " */
#define GAP        2
#define NAME_MIN   24
#define PLACE_MAX  30
#define PLACE_SIZE 512
#define TAIL_SIZE  64

/* Columns of names and places, the same for all cores of a guest. */
struct layout {
    size_t name, place; /* columns */
};

/* Write "file.c:123", the place of (f), to (buf); "" if the place is
 * unknown. */
static const char *place_of(char buf[PLACE_SIZE],
                            const struct snapshot_frame *f)
{
    buf[0] = '\0';
    if (f->file != NULL && f->line != 0)
        (void)snprintf(buf, PLACE_SIZE, "%s:%" PRIu32, text_base_name(f->file),
                       f->line);
    else if (f->file != NULL)
        (void)snprintf(buf, PLACE_SIZE, "%s", text_base_name(f->file));
    return buf;
}

/* Write the text after the name of (f) into (buf). */
static const char *tail_of(char buf[TAIL_SIZE], const struct snapshot_frame *f)
{
    buf[0] = '\0';
    if (f->inlined)
        (void)snprintf(buf, TAIL_SIZE, " (inlined)");
    else if (f->has_offset)
        (void)snprintf(buf, TAIL_SIZE, "%s+0x%" PRIx64,
                       f->image != NULL ? " " : "", f->offset);
    return buf;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static struct layout lay_out(const struct snapshot *s, size_t columns)
{
    struct layout l = {0, 0};
    char place[PLACE_SIZE], tail[TAIL_SIZE];

    for (size_t i = 0; i < s->count; i++) {
        for (size_t j = 0; j < s->cores[i].count; j++) {
            const struct snapshot_frame *f = &s->cores[i].frames[j];

            l.name = larger(l.name, text_width(f->function) +
                                        text_width(tail_of(tail, f)));
            l.place = larger(l.place, text_width(place_of(place, f)));
        }
    }
    if (l.place > PLACE_MAX)
        l.place = PLACE_MAX;
    size_t room = columns > NUMBER + GAP + l.place + NAME_MIN
                      ? columns - NUMBER - GAP - l.place
                      : NAME_MIN;

    if (l.name > room)
        l.name = room;
    return l;
}

static void write_frame(FILE *out, const struct report *r,
                        const struct snapshot_frame *f, unsigned number,
                        struct layout l)
{
    char place[PLACE_SIZE], tail[TAIL_SIZE], buf[NAME_SHORT];
    size_t behind = text_width(tail_of(tail, f));
    size_t room = l.name > behind + 8 ? l.name - behind : 8;
    const char *name = name_short(buf, f->function, room);
    size_t used = text_width(name) + behind;

    (void)fprintf(out, "  #%-2u ", number);
    ink_set(out, r, f->inlined ? INK_FAINT : INK_PLAIN);
    (void)fprintf(out, "%s%s", name, tail);
    ink_set(out, r, INK_PLAIN);
    if (place_of(place, f)[0] != '\0') {
        (void)fprintf(out, "%*s",
                      (int)(GAP + (l.name > used ? l.name - used : 0)), "");
        text_tail(out, place, l.place);
    }
    (void)putc('\n', out);
}

static void write_frames(FILE *out, const struct report *r,
                         const struct snapshot_core *core, struct layout l)
{
    unsigned number = 0;

    for (size_t i = 0; i < core->count; i++) {
        const struct snapshot_frame *f = &core->frames[i];

        if (f->mark)
            (void)fprintf(out, "%*s%s\n", NUMBER, "", f->function);
        else
            write_frame(out, r, f, number++, l);
    }
    if (core->end != NULL)
        (void)fprintf(out, "%*s(%s)\n", NUMBER, "", core->end);
}

static bool is_off(const struct snapshot_core *core)
{
    return core->state == SNAPSHOT_NONE && core->off;
}

/* The reason why a core of (s) sends nothing. */
static const char *silence(const struct snapshot *s)
{
    return s->outside ? "it ran no 64-bit code, or the guest was not stopped"
                      : "interrupts are off there, the core is stopped, or it "
                        "waits without a timer; --gdb and --qmp show it "
                        "nevertheless";
}

/* Write the time of the sample to (buf): ", 3 ms ago". */
static const char *when_text(char *buf, size_t size, const struct snapshot *s,
                             double age_s)
{
    char age[TEXT_NUMBER];

    buf[0] = '\0';
    if (age_s < 0)
        return buf;
    if (s->wait_s <= 0 && age_s == 0)
        (void)snprintf(buf, size, ", at the end");
    else
        (void)snprintf(buf, size, ", %s %s", text_seconds(age, age_s),
                       s->wait_s > 0 ? "ago" : "before the end");
    return buf;
}

/* Write the state and the time of (core) into (buf). */
static void state_text(char *buf, size_t size, const struct snapshot *s,
                       const struct snapshot_core *core)
{
    static const char *const names[] = {
        [SNAPSHOT_BUSY] = "busy",
        [SNAPSHOT_IDLE] = "[idle]",
        [SNAPSHOT_DEAD] = "dead: halted with interrupts off",
    };
    char when[64], wait[TEXT_NUMBER];

    if (core->state == SNAPSHOT_NONE && s->wait_s > 0)
        (void)snprintf(buf, size, "no sample within %s: %s",
                       text_seconds(wait, s->wait_s), silence(s));
    else if (core->state == SNAPSHOT_NONE)
        (void)snprintf(buf, size, "no sample");
    else
        (void)snprintf(buf, size, "%s%s%s%s%s", names[core->state],
                       when_text(when, sizeof when, s, core->age_s),
                       core->apart ? ", when the others were not looked at"
                                   : "",
                       core->late ? "; nothing since: " : "",
                       core->late ? silence(s) : "");
}

static void write_core(FILE *out, const struct report *r,
                       const struct snapshot *s,
                       const struct snapshot_core *core, struct layout l)
{
    char state[256], head[32];

    (void)snprintf(head, sizeof head, "core %" PRIu32 ": ", core->core);
    state_text(state, sizeof state, s, core);
    ink_set(out, r, core->state == SNAPSHOT_NONE ? INK_RED : INK_BOLD);
    (void)fputs(head, out);
    ink_set(out, r, INK_PLAIN);
    text_wrap_at(out, text_width(head), state, table_columns(r));
    write_frames(out, r, core, l);
    if (core->registers != NULL)
        registers_text(out, core->cpu, core->registers, NUMBER);
    else if (s->registers && core->state != SNAPSHOT_NONE)
        (void)fprintf(out, "%*s(no registers of that moment)\n", NUMBER, "");
}

static bool has_left(const struct snapshot_core *core)
{
    return is_off(core) && core->left;
}

/* Is it unknown whether the guest has this core? A kernel may have memory for
 * more cores than exist. */
static bool may_be(const struct snapshot_core *core)
{
    return is_off(core) && !core->left && !core->absent;
}

/* Write a line about the cores for which (test) is true, if there are any:
 * (before), their list, (behind). */
static void write_off(FILE *out, const struct report *r,
                      const struct snapshot *s,
                      bool (*test)(const struct snapshot_core *),
                      const char *before, const char *behind)
{
    char list[CORE_LIST_SIZE] = "", line[CORE_LIST_SIZE + 128];

    for (size_t i = 0, end; i < s->count; i = end + 1) {
        for (end = i; end < s->count && test(&s->cores[end]);)
            end++;
        if (end != i)
            core_list_span(list, s->cores[i].core, s->cores[end - 1].core);
    }
    if (list[0] == '\0')
        return;
    (void)snprintf(line, sizeof line, "%s: core%s %s%s", before,
                   strpbrk(list, ",-") != NULL ? "s" : "", list, behind);
    (void)putc('\n', out);
    text_wrap_at(out, 0, line, table_columns(r));
}

static void write_all_off(FILE *out, const struct report *r,
                          const struct snapshot *s)
{
    if (s->outside) {
        write_off(out, r, s, is_off, "Not seen",
                  ", where no 64-bit code runs.");
        return;
    }
    write_off(out, r, s, has_left, "Not sampled",
              ", where tprof_stop_cpu() was called.");
    write_off(out, r, s, may_be, "Not sampled",
              ", where tprof_start_cpu() was not called. The agent has memory "
              "for these cores, but the guest may have fewer.");
}

/* Write the time that all looks have stopped the guest. */
static void write_stood(FILE *out, const struct report *r,
                        const struct snapshot *s)
{
    char line[128], stood[TEXT_NUMBER];

    if (s->stood_s < 0)
        return;
    (void)snprintf(line, sizeof line,
                   "Reading the stacks stopped the guest for %s in total.",
                   text_seconds(stood, s->stood_s));
    (void)putc('\n', out);
    text_wrap_at(out, 0, line, table_columns(r));
}

/* Write the stacks of a guest. (last): this is the guest's last look. */
static void write_guest(FILE *out, const struct report *r,
                        const struct snapshot *s, bool last)
{
    struct layout l = lay_out(s, table_columns(r));
    bool first = s->guest == NULL;
    char elf[512];

    if (!first) {
        ink_set(out, r, INK_BOLD);
        (void)fputs(s->guest, out);
        ink_set(out, r, INK_PLAIN);
        if (s->elf != NULL)
            (void)fprintf(out, "  %s",
                          text_escape(elf, sizeof elf, text_base_name(s->elf)));
        (void)putc('\n', out);
    }
    for (size_t i = 0; i < s->count; i++) {
        if (is_off(&s->cores[i]))
            continue;
        if (!first)
            (void)putc('\n', out);
        first = false;
        write_core(out, r, s, &s->cores[i], l);
    }
    write_all_off(out, r, s);
    if (last)
        write_stood(out, r, s);
}

/* Write "Look 2 of 5, 12:30:15 UTC" if there are several looks. */
static void write_heading(FILE *out, const struct snapshot_look *l)
{
    time_t seconds = (time_t)l->wall_s;
    char when[32] = "";
    struct tm utc;

    if (l->of == 1)
        return;
    if (l->wall_s > 0 && gmtime_r(&seconds, &utc) != NULL)
        (void)strftime(when, sizeof when, ", %H:%M:%S UTC", &utc);
    (void)fprintf(out, "%sLook %" PRIu32 " of %" PRIu32 "%s\n\n",
                  l->number == 1 ? "" : "\n", l->number, l->of, when);
}

void snapshot_text(FILE *out, const struct report *r,
                   const struct snapshot_look *l)
{
    write_heading(out, l);
    for (size_t i = 0; i < l->count; i++) {
        if (i != 0)
            (void)putc('\n', out);
        write_guest(out, r, l->guests[i], l->number == l->of);
    }
}
