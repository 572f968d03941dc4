/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>

#include "report/json_object.h"
#include "stacks/registers_text.h"
#include "stacks/snapshot_output.h"

/* Version of the format. stacks.schema.json beside this file explains each
 * name. Increase the version if a name or a meaning changes, not if a name is
 * added. */
#define JSON_VERSION 1

static void write_frame(FILE *out, const struct snapshot_frame *f)
{
    struct json_object o = json_begin(out);

    json_text(&o, "function", f->function);
    if (!f->mark) {
        json_text(&o, "image", f->image);
        (void)fprintf(json_member(&o, "address"), "\"0x%" PRIx64 "\"",
                      f->address);
        if (f->has_offset)
            json_count(&o, "offset", f->offset);
        json_text(&o, "file", f->file);
        if (f->line != 0)
            json_count(&o, "line", f->line);
        json_flag(&o, "inlined", f->inlined);
    }
    json_end(&o);
}

static const char *state_of(const struct snapshot_core *core)
{
    switch (core->state) {
    case SNAPSHOT_BUSY:
        return "busy";
    case SNAPSHOT_IDLE:
        return "idle";
    case SNAPSHOT_DEAD:
        return "dead";
    case SNAPSHOT_NONE:
        break;
    }
    return core->off ? "off" : "silent";
}

static void write_core(FILE *out, const struct snapshot_core *core)
{
    struct json_object o = json_begin(out);
    bool first = true;

    json_count(&o, "core", core->core);
    json_text(&o, "state", state_of(core));
    if (core->age_s >= 0)
        json_real(&o, "age_s", core->age_s);
    json_flag(&o, "late", core->late);
    json_flag(&o, "apart", core->apart);
    (void)json_member(&o, "frames");
    (void)putc('[', out);
    for (size_t i = 0; i < core->count; i++) {
        (void)fputs(first ? "\n" : ",\n", out);
        first = false;
        write_frame(out, &core->frames[i]);
    }
    (void)putc(']', out);
    json_text(&o, "end", core->end);
    if (core->registers != NULL)
        registers_json(&o, core->cpu, core->registers);
    json_end(&o);
}

static void write_guest(FILE *out, const struct snapshot *s)
{
    struct json_object o = json_begin(out);
    bool first = true;

    json_text(&o, "guest", s->guest);
    json_text(&o, "elf", s->elf);
    json_real(&o, "wait_s", s->wait_s);
    if (s->stood_s >= 0)
        json_real(&o, "stood_s", s->stood_s);
    (void)json_member(&o, "cores");
    (void)putc('[', out);
    for (size_t i = 0; i < s->count; i++) {
        if (s->cores[i].absent)
            continue;
        json_comma(out, &first);
        write_core(out, &s->cores[i]);
    }
    (void)putc(']', out);
    bool open = false;

    for (size_t i = 0; i < s->count; i++)
        if (s->cores[i].absent)
            json_list_count(&o, "absent_cores", &open, s->cores[i].core);
    json_close_list(&o, open);
    json_end(&o);
}

void snapshot_json(FILE *out, const struct snapshot_look *l)
{
    struct json_object o;
    bool first = true;

    (void)fputs(l->number == 1 ? "\n" : ",\n", out);
    o = json_begin(out);
    if (l->wall_s > 0)
        json_real(&o, "time", l->wall_s);
    (void)json_member(&o, "guests");
    (void)putc('[', out);
    for (size_t i = 0; i < l->count; i++) {
        json_comma(out, &first);
        write_guest(out, l->guests[i]);
    }
    (void)putc(']', out);
    json_end(&o);
}

static void begin(struct render *to)
{
    (void)fprintf(to->out,
                  "{\"format\":\"tprof-stacks\",\"version\":%d,\"looks\":[",
                  JSON_VERSION);
}

static void end(struct render *to)
{
    (void)fputs("]}\n", to->out);
}

const struct render_ops render_snapshot_json = {
    .name = "json", .begin = begin, .end = end};
