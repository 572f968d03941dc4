/* SPDX-License-Identifier: BSD-2-Clause */
#include "annotate/annotate_output.h"

#include <inttypes.h>

#include "report/json/json_scope.h"
#include "report/name.h"
#include "report/table.h"

/* Version of the format. annotate.schema.json beside this file explains each
 * name. Increase the version if a name or a meaning changes, not if a name is
 * added. */
#define JSON_VERSION 1

/* Write member "self" with (sum) and its share of (whole), and member "late"
 * and "moved" with these parts. */
static void write_sum(struct json_object *o, const struct report *r,
                      const struct annotated_sum *sum,
                      const struct amount *whole)
{
    double late = table_late_part(r, sum->late, sum->amount.time);

    json_amount(o, "self", r->profile, &sum->amount, whole);
    if (late > 0)
        json_real(o, "late", late);
    if (sum->moved > 0)
        json_real(o, "moved", sum->moved / sum->amount.time);
}

static void write_address(struct json_object *o, uint64_t address)
{
    (void)fprintf(json_member(o, "address"), "\"0x%" PRIx64 "\"", address);
}

/* --- Lines -----------------------------------------------------------------
 */

/* Write the source text from the first line that has code to the last one. */
static void write_text(struct json_object *o, const struct annotated_body *body)
{
    struct json_object in = json_inner(o, "text");
    FILE *out;
    bool first = true;

    json_count(&in, "first", body->text_first);
    out = json_member(&in, "lines");
    (void)putc('[', out);
    for (uint32_t i = 0; i < body->text_count; i++) {
        json_comma(out, &first);
        json_string(out, body->text[i]);
    }
    (void)putc(']', out);
    json_end(&in);
}

static void write_body(FILE *out, const struct report *r,
                       const struct annotation *a,
                       const struct annotated_body *body)
{
    struct json_object o = json_begin(out);
    bool first = true;

    json_text(&o, "function", body->function);
    json_text(&o, "file", body->file);
    json_flag(&o, "inlined", body->inlined);
    write_sum(&o, r, &body->sum, &a->sum.amount);
    (void)json_member(&o, "lines");
    (void)putc('[', out);
    for (size_t i = 0; i < body->line_count; i++) {
        const struct annotated_line *line = &body->lines[i];

        json_comma(out, &first);
        struct json_object in = json_begin(out);

        json_count(&in, "line", line->number);
        write_sum(&in, r, &line->sum, &a->sum.amount);
        json_end(&in);
    }
    (void)putc(']', out);
    if (body->text_count != 0)
        write_text(&o, body);
    json_end(&o);
}

static void write_bodies(struct json_object *o, const struct report *r,
                         const struct annotation *a)
{
    FILE *out = json_member(o, "bodies");
    bool first = true;

    (void)putc('[', out);
    for (size_t i = 0; i < a->body_count; i++) {
        (void)fputs(first ? "\n" : ",\n", out);
        first = false;
        write_body(out, r, a, &a->bodies[i]);
    }
    (void)putc(']', out);
}

/* --- Code ------------------------------------------------------------------
 */

static void write_insn(FILE *out, const struct report *r,
                       const struct annotated_insn *insn)
{
    struct json_object o = json_begin(out);
    double late = table_late_part(r, insn->late, 1);

    write_address(&o, insn->address);
    json_text(&o, "text", insn->text);
    if (insn->body != ANNOTATED_NONE) {
        json_count(&o, "body", insn->body);
        json_count(&o, "line", insn->number);
    }
    if (insn->target != ANNOTATED_NONE)
        json_count(&o, "target", insn->target);
    if (insn->samples != 0)
        json_count(&o, "samples", insn->samples);
    if (late > 0)
        json_real(&o, "late", late);
    json_end(&o);
}

static void write_block(FILE *out, const struct report *r,
                        const struct annotation *a,
                        const struct annotated_code *code,
                        const struct annotated_block *block)
{
    struct json_object o = json_begin(out);
    bool first = true;

    write_sum(&o, r, &block->sum, &a->sum.amount);
    (void)json_member(&o, "instructions");
    (void)putc('[', out);
    for (uint32_t i = 0; i < block->count; i++) {
        (void)fputs(first ? "\n" : ",\n", out);
        first = false;
        write_insn(out, r, &code->insns[block->first + i]);
    }
    (void)putc(']', out);
    json_end(&o);
}

static void write_code(FILE *out, const struct report *r,
                       const struct annotation *a,
                       const struct annotated_code *code)
{
    struct json_object o = json_begin(out);
    bool first = true;

    write_address(&o, code->address);
    json_count(&o, "bytes", code->size);
    json_flag(&o, "unread", code->unread);
    if (code->jumps_away != 0)
        json_count(&o, "indirect_jumps", code->jumps_away);
    (void)json_member(&o, "blocks");
    (void)putc('[', out);
    for (uint32_t i = 0; i < code->block_count; i++) {
        (void)fputs(first ? "\n" : ",\n", out);
        first = false;
        write_block(out, r, a, code, &code->blocks[i]);
    }
    (void)putc(']', out);
    json_end(&o);
}

static void write_codes(struct json_object *o, const struct report *r,
                        const struct annotation *a)
{
    FILE *out = json_member(o, "code");
    bool first = true;

    (void)putc('[', out);
    for (size_t i = 0; i < a->code_count; i++) {
        json_comma(out, &first);
        write_code(out, r, a, &a->codes[i]);
    }
    (void)putc(']', out);
}

static void write_hosts(struct json_object *o, const struct report *r,
                        const struct annotation *a)
{
    FILE *out = json_member(o, "inlined_into");
    bool first = true;

    (void)putc('[', out);
    for (size_t i = 0; i < a->host_count; i++) {
        json_comma(out, &first);
        struct json_object in = json_begin(out);

        json_text(&in, "function",
                  r->view->functions[a->hosts[i].function].name);
        write_sum(&in, r, &a->hosts[i].sum, &a->sum.amount);
        json_end(&in);
    }
    (void)putc(']', out);
}

/* --- The function ----------------------------------------------------------
 */

void annotate_json(FILE *out, const struct report *r,
                   const struct annotation *a)
{
    const struct view_function *f = &r->view->functions[a->function];
    struct json_object o = json_begin(out);
    char name[NAME_PLAIN];

    json_text(&o, "function", f->name);
    json_text(&o, "image", name_of_view_image(name, r, f->image));
    json_flag(&o, "busiest", a->chosen);
    if (a->code_told)
        json_flag(&o, "code_recorded", true);
    if (a->source_told)
        json_flag(&o, "source_recorded", true);
    json_text(&o, "of", r->of_all || r->view->idle_unknown ? "all" : "busy");
    write_sum(&o, r, &a->sum, table_whole(r, &r->view->total));
    json_count(&o, "idle_samples", a->idle);
    write_bodies(&o, r, a);
    write_codes(&o, r, a);
    write_hosts(&o, r, a);
    json_end(&o);
}

static void write_remarks(struct json_object *o, const struct remarks *remarks)
{
    FILE *out = json_member(o, "warnings");
    bool first = true;

    (void)putc('[', out);
    for (size_t i = 0; i < remarks->count; i++) {
        if (!remarks->list[i].warning)
            continue;
        json_comma(out, &first);
        json_string(out, remarks->list[i].text);
    }
    (void)putc(']', out);
}

static void write(struct render *to, const struct report *r)
{
    struct json_object o = json_begin(to->out);

    json_text(&o, "format", "tprof-annotation");
    json_count(&o, "version", JSON_VERSION);
    json_real(&o, "interval", .95);
    json_text(&o, "elf", r->elf);
    json_filters(&o, r);
    write_remarks(&o, r->remarks);
    if (r->annotation != NULL)
        annotate_json(json_member(&o, "annotation"), r, r->annotation);
    json_end(&o);
    (void)putc('\n', to->out);
}

const struct render_ops render_annotate_json = {
    .name = "json", .follows = true, .write = write};
