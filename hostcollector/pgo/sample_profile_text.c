/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes sample profiles in LLVM's text format. */
#include "pgo/pgo_part.h"

#include <inttypes.h>

/*
 * The format ("Sample Profile Text Format" in clang's manual) has for each
 * function its name, total and head; then the function's lines, with the
 * functions that each line calls through pointers; then the bodies inlined
 * there, indented by one more blank each. Lines that begin with # are comments.
 */

static void write_place(FILE *out, const struct sampled_place *place,
                        uint32_t depth)
{
    (void)fprintf(out, "%*s%" PRIu32, (int)depth, "", place->offset);
    if (place->discriminator != 0)
        (void)fprintf(out, ".%" PRIu32, place->discriminator);
    (void)fputs(": ", out);
}

static void write_count(FILE *out, const struct sampled_line *line)
{
    (void)fprintf(out, "%" PRIu64, line->count);
    for (size_t i = 0; i < line->call_count; i++)
        (void)fprintf(out, " %s:%" PRIu64, line->calls[i].name,
                      line->calls[i].count);
    (void)putc('\n', out);
}

static void write_body(FILE *out, const struct sampled_body *b)
{
    if (b->depth != 0)
        write_place(out, &b->call, b->depth);
    (void)fprintf(out, "%s:%" PRIu64, b->name, b->total);
    if (b->depth == 0)
        (void)fprintf(out, ":%" PRIu64, b->head);
    (void)putc('\n', out);
    for (size_t i = 0; i < b->line_count; i++) {
        write_place(out, &b->lines[i].place, b->depth + 1);
        write_count(out, &b->lines[i]);
    }
}

static void write_profile(struct render *to, const struct report *r)
{
    const struct sample_profile *s = r->sample_profile;

    if (s == NULL) /* no samples */
        return;
    (void)fprintf(to->out,
                  "# tprof: %" PRIu64 " busy samples in the kernel's code, "
                  "%" PRIu64 " of them with lines\n",
                  s->samples, s->placed);
    for (size_t i = 0; i < s->body_count; i++)
        write_body(to->out, &s->bodies[i]);
}

const struct render_ops render_pgo = {
    .name = "pgo", .suffix = "prof", .write = write_profile};
