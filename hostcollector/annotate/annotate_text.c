/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes an annotation as text. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/annotate_output.h"
#include "diagnose/share.h"
#include "model/annotation.h"
#include "report/ink.h"
#include "report/name.h"
#include "report/table.h"
#include "util/text.h"

#define LEFT       14 /* "  12.3   1.0  " */
#define AROUND     2  /* lines shown before and after a line with samples */
#define INSN_MAX   44 /* columns of an instruction, without its source line */
#define LINE_MAX   160
#define MARKS_TEXT 48
/* A line or block with at least this share of the function is bold. */
#define MUCH       .1

/* Write the share of (sum) in the function; blanks if (sum) has no samples. */
static void write_share(FILE *out, const struct report *r,
                        const struct annotated_sum *sum)
{
    struct share s = share_of(&sum->amount, &r->annotation->sum.amount);

    char error[SHARE_TEXT];

    if (sum->amount.samples == 0) {
        (void)fprintf(out, "%*s", LEFT, "");
        return;
    }
    if (s.p >= MUCH)
        ink_set(out, r, INK_BOLD);
    (void)fprintf(out, "%6.1f", 100 * s.p);
    if (s.p >= MUCH)
        ink_set(out, r, INK_PLAIN);
    (void)fprintf(out, " %5s  ", share_error(error, s));
}

/* Returns "  (late 82 %, moved 40 %)" for the parts of (sum) that were late,
 * and that were sampled after this place; or "". */
static const char *marks_text(char buf[MARKS_TEXT], const struct report *r,
                              const struct annotated_sum *sum)
{
    double late = table_late_part(r, sum->late, sum->amount.time);
    size_t used = 0;

    buf[0] = '\0';
    if (late > 0)
        used = (size_t)snprintf(buf, MARKS_TEXT, "  (late %.0f %%", 100 * late);
    if (sum->moved > 0)
        used += (size_t)snprintf(buf + used, MARKS_TEXT - used,
                                 "%smoved %.0f %%", used != 0 ? ", " : "  (",
                                 100 * sum->moved / sum->amount.time);
    if (used != 0)
        (void)snprintf(buf + used, MARKS_TEXT - used, ")");
    return buf;
}

/* --- Lines -----------------------------------------------------------------
 */

/* Returns the text of line (number); NULL if there is none. */
static const char *text_of(const struct annotated_body *body, uint32_t number)
{
    uint32_t i = number - body->text_first;

    return number >= body->text_first && i < body->text_count ? body->text[i]
                                                              : NULL;
}

static void write_line(FILE *out, const struct report *r, const char *text,
                       const struct annotated_line *line)
{
    size_t columns = table_columns(r) - LEFT - 6;
    char shown[4 * LINE_MAX], marks[MARKS_TEXT];

    write_share(out, r, &line->sum);
    if (line->number == 0)
        (void)fputs("    ?", out);
    else
        (void)fprintf(out, "%5" PRIu32, line->number);
    (void)snprintf(shown, sizeof shown, "%s", text != NULL ? text : "");
    (void)marks_text(marks, r, &line->sum);
    if (shown[0] != '\0' || marks[0] != '\0')
        (void)putc(' ', out);
    text_cut(out, shown,
             columns > strlen(marks) ? columns - strlen(marks) : columns);
    (void)fprintf(out, "%s\n", marks);
}

/* Write lines (from) to (to) of (body). None of them has samples. */
static void write_between(FILE *out, const struct report *r,
                          const struct annotated_body *body, uint32_t from,
                          uint32_t to)
{
    for (uint32_t number = from; number <= to && number != 0; number++) {
        const struct annotated_line line = {.number = number};
        const char *text = text_of(body, number);

        if (text != NULL)
            write_line(out, r, text, &line);
    }
}

/* Write the lines between (shown) and (next), none of which has samples. Of a
 * long gap, write only some lines at each end. */
static void write_gap(FILE *out, const struct report *r,
                      const struct annotated_body *body, uint32_t shown,
                      uint32_t next)
{
    uint32_t gap = next - shown - 1;

    if (r->all || gap <= 2 * AROUND + 1) {
        write_between(out, r, body, shown + 1, next - 1);
        return;
    }
    write_between(out, r, body, shown + 1, shown + AROUND);
    if (text_of(body, shown + AROUND + 1) != NULL)
        (void)fprintf(out, "%*s...\n", LEFT + 2, "");
    write_between(out, r, body, next - AROUND, next - 1);
}

static void write_lines(FILE *out, const struct report *r,
                        const struct annotated_body *body)
{
    uint32_t shown = body->text_first != 0 ? body->text_first - 1 : 0;
    uint32_t last = body->text_first + body->text_count;

    for (size_t i = 0; i < body->line_count; i++) {
        const struct annotated_line *line = &body->lines[i];
        const char *text = text_of(body, line->number);
        /* write_gap() writes this line if it has text */
        bool skipped =
            line->sum.amount.samples == 0 && (!r->all || text != NULL);

        if (skipped)
            continue;
        if (line->number > shown + 1 && text != NULL)
            write_gap(out, r, body, shown, line->number);
        write_line(out, r, text, line);
        shown = line->number;
    }
    if (last > shown + 1)
        write_gap(out, r, body, shown, last);
}

/* Write "kernel.c", or "mix in kernel.c, inlined". */
static void write_body_head(FILE *out, const struct report *r,
                            const struct annotated_body *body)
{
    char head[512], name[NAME_SHORT];

    if (body->inlined)
        (void)snprintf(head, sizeof head, "%s of %s, inlined",
                       name_short(name, body->function, 40),
                       text_base_name(body->file));
    else
        (void)snprintf(head, sizeof head, "%s", text_base_name(body->file));
    (void)fprintf(out, "\n%6s %5s   LINE ", "SELF", "+-");
    text_cut(out, head, table_columns(r) - LEFT - 6);
    (void)putc('\n', out);
}

/* Sort the function's own bodies before inlined ones, then by falling time,
 * then by position. */
static int by_time(const void *a, const void *b)
{
    const struct annotated_body *left =
                                    *(const struct annotated_body *const *)a,
                                *right =
                                    *(const struct annotated_body *const *)b;

    if (left->inlined != right->inlined)
        return left->inlined ? 1 : -1;
    if (left->sum.amount.time != right->sum.amount.time)
        return left->sum.amount.time < right->sum.amount.time ? 1 : -1;
    return (left > right) - (left < right);
}

static void write_bodies(FILE *out, const struct report *r)
{
    const struct annotation *a = r->annotation;
    const struct annotated_body **list =
        /* of pointers. NOLINTNEXTLINE(bugprone-sizeof-expression) */
        calloc(a->body_count + 1, sizeof *list);
    size_t n = 0;
    bool missing = false;

    for (size_t i = 0; list != NULL && i < a->body_count; i++)
        if (a->bodies[i].sum.amount.samples != 0)
            list[n++] = &a->bodies[i];
    if (n != 0) /* NOLINTNEXTLINE(bugprone-sizeof-expression) */
        qsort(list, n, sizeof *list, by_time);
    for (size_t i = 0; i < n; i++) {
        write_body_head(out, r, list[i]);
        write_lines(out, r, list[i]);
        missing |= list[i]->text_count == 0;
    }
    free(list);
    if (a->without_lines)
        (void)fputs("\nNo source lines: the image was built without -g.\n",
                    out);
    else if (missing)
        (void)fputs("Some source files were not found: name their folder with "
                    "--source DIR.\n",
                    out);
}

/* --- Blocks ----------------------------------------------------------------
 */

/* Write "; 45" or "; 26 mix" into (text): the source line of the instruction.
 * Write "" if the line is unknown or the same as that of the instruction
 * before. */
static void place_text(char text[LINE_MAX], const struct annotation *a,
                       const struct annotated_insn *insn, bool first)
{
    const struct annotated_insn *before = insn - 1;
    const struct annotated_body *body;
    char name[NAME_SHORT];

    text[0] = '\0';
    if (insn->body == ANNOTATED_NONE || insn->number == 0 ||
        (!first && insn->body == before->body &&
         insn->number == before->number))
        return;
    body = &a->bodies[insn->body];
    (void)snprintf(text, LINE_MAX, "; %" PRIu32 "%s%s", insn->number,
                   body->inlined ? " " : "",
                   body->inlined ? name_short(name, body->function, 40) : "");
}

/* Write "*   2000a1  ". Returns the number of columns. */
static size_t write_address(FILE *out, const struct report *r,
                            const struct annotated_insn *insn)
{
    bool late = table_late_part(r, insn->late, 1) > 0;
    int used = fprintf(out, "%*s%c %8" PRIx64 "  ", LEFT - 2, "",
                       insn->samples == 0 ? ' '
                       : late             ? 'L'
                                          : '*',
                       insn->address);

    return used > 0 ? (size_t)used : 0;
}

static void write_insn(FILE *out, const struct report *r,
                       const struct annotated_insn *insn, bool first)
{
    size_t columns = table_columns(r) - write_address(out, r, insn);
    char text[2 * LINE_MAX], place[LINE_MAX], target[32] = "";

    if (insn->target != ANNOTATED_NONE)
        (void)snprintf(target, sizeof target, " (block %" PRIu32 ")",
                       insn->target + 1);
    (void)snprintf(text, sizeof text, "%s%s", insn->text, target);
    place_text(place, r->annotation, insn, first);
    if (place[0] != '\0' && columns > INSN_MAX) {
        text_left(out, text, INSN_MAX);
        text_cut(out, place, columns - INSN_MAX);
    } else {
        text_cut(out, text, columns);
    }
    (void)putc('\n', out);
}

static void write_block(FILE *out, const struct report *r,
                        const struct annotated_code *code, uint32_t number)
{
    const struct annotated_block *block = &code->blocks[number];
    char marks[MARKS_TEXT];

    write_share(out, r, &block->sum);
    ink_set(out, r, INK_BOLD);
    (void)fprintf(out, "block %" PRIu32, number + 1);
    ink_set(out, r, INK_PLAIN);
    (void)fprintf(out, "%s\n", marks_text(marks, r, &block->sum));
    for (uint32_t i = 0; i < block->count; i++)
        write_insn(out, r, &code->insns[block->first + i], i == 0);
}

static void write_unread(FILE *out, const struct report *r,
                         const struct annotated_code *code)
{
    const char *why = r->annotation->code_told
                          ? "not in the recording. Give the guest's image by "
                            "--elf."
                          : "not disassembled, because --memory is too small, "
                            "or because the image does not hold this code.";
    char line[256];

    (void)snprintf(line, sizeof line, "0x%" PRIx64 ", %" PRIu64 " bytes: %s",
                   code->address, code->size, why);
    (void)putc('\n', out);
    text_wrap_at(out, 0, line, table_columns(r));
}

/* Warn that blocks may be joined, because targets of indirect jumps are
 * unknown. */
static void write_away(FILE *out, const struct report *r,
                       const struct annotated_code *code)
{
    char line[256];

    if (code->jumps_away == 0)
        return;
    (void)snprintf(
        line, sizeof line,
        "%" PRIu32
        " jump%s through a register or a table: code that only such a jump "
        "reaches may be shown as part of the block before it.",
        code->jumps_away, code->jumps_away == 1 ? " leads" : "s lead");
    text_wrap_at(out, LEFT, line, table_columns(r));
}

/* Returns the number of blocks that are not shown. */
static uint32_t write_code(FILE *out, const struct report *r,
                           const struct annotated_code *code)
{
    uint32_t hidden = 0;

    if (code->unread) {
        write_unread(out, r, code);
        return 0;
    }
    (void)fprintf(out, "\n%6s %5s  CODE at 0x%" PRIx64 ", %" PRIu64 " bytes\n",
                  "SELF", "+-", code->address, code->size);
    for (uint32_t i = 0; i < code->block_count; i++) {
        if (r->all || code->blocks[i].sum.amount.samples != 0)
            write_block(out, r, code, i);
        else
            hidden++;
    }
    write_away(out, r, code);
    return hidden;
}

static void write_codes(FILE *out, const struct report *r)
{
    const struct annotation *a = r->annotation;
    uint32_t hidden = 0;

    for (size_t i = 0; i < a->code_count; i++)
        hidden += write_code(out, r, &a->codes[i]);
    if (hidden != 0)
        (void)fprintf(out,
                      "%*s%" PRIu32 " more block%s without samples: --all\n",
                      LEFT, "", hidden, text_plural(hidden));
}

/* --- The function ----------------------------------------------------------
 */

static void write_hosts(FILE *out, const struct report *r)
{
    const struct annotation *a = r->annotation;

    if (a->host_count != 0)
        (void)fprintf(out, "\n%6s %5s  INLINED INTO, where its code is\n",
                      "SELF", "+-");
    for (size_t i = 0; i < a->host_count; i++) {
        char name[NAME_SHORT];

        write_share(out, r, &a->hosts[i].sum);
        (void)fprintf(out, "%s\n",
                      name_short(name,
                                 r->view->functions[a->hosts[i].function].name,
                                 table_columns(r) - LEFT));
    }
}

/* Write which parts come from the recording. */
static void write_origin(FILE *out, const struct annotation *a)
{
    bool code = false;

    for (size_t i = 0; a->code_told && i < a->code_count; i++)
        code |= !a->codes[i].unread;
    if (code || a->source_told)
        (void)fprintf(out, "From the recording, without files: %s%s%s.\n",
                      code ? "code" : "", code && a->source_told ? " and " : "",
                      a->source_told ? "source lines" : "");
}

/* Write the share of the function without the functions that are inlined in its
 * code, if these have time. */
static void write_inlined(FILE *out, const struct report *r)
{
    const struct annotation *a = r->annotation;
    const struct view_scope *scope = &r->view->total;
    const struct amount *whole = table_whole(r, scope);
    double self = 0, code = share_of(&a->sum.amount, whole).p;
    bool inlined = false;
    char line[128];

    for (size_t i = 0; i < scope->row_count; i++)
        if (scope->rows[i].function == a->function)
            self = share_of(&scope->rows[i].self, whole).p;
    for (size_t i = 0; i < a->body_count; i++)
        inlined |= a->bodies[i].inlined && a->bodies[i].sum.amount.samples != 0;
    if (!inlined || round(1000 * code) <= round(1000 * self))
        return;
    (void)snprintf(line, sizeof line,
                   "Its code has functions inlined there. Without them: %.1f "
                   "%%, as SELF of the report.",
                   100 * self);
    text_wrap_at(out, 0, line, table_columns(r));
}

static void write_head(FILE *out, const struct report *r)
{
    const struct annotation *a = r->annotation;
    struct share s = share_of(&a->sum.amount, table_whole(r, &r->view->total));
    char line[256], count[TEXT_NUMBER], shown[SHARE_TEXT];

    (void)putc('\n', out);
    ink_set(out, r, INK_BOLD);
    (void)fputs(r->view->functions[a->function].name, out);
    ink_set(out, r, INK_PLAIN);
    (void)fputs(a->chosen ? ", the busiest function\n" : "\n", out);
    (void)snprintf(line, sizeof line,
                   "%s %% of %s time in its code, %s samples. SELF is in %% of "
                   "that.",
                   share_text(shown, s),
                   r->of_all || r->view->idle_unknown ? "all" : "busy",
                   text_count(count, a->sum.amount.samples));
    text_wrap_at(out, 0, line, table_columns(r));
    write_inlined(out, r);
    write_origin(out, a);
    if (r->function != NULL)
        table_also(out, r, a->function);
    table_gave(out, r, a->function);
}

/* Explain the marks, and their limits. */
static void write_skid(FILE *out, const struct report *r)
{
    (void)putc('\n', out);
    text_wrap_at(
        out, 0,
        "* samples hit this instruction (L: most of them late). An interrupt "
        "arrives some instructions late, so the cause is earlier: in the same "
        "block, or at the end of a block that leads there. Trust lines and "
        "blocks, not single instructions.",
        table_columns(r));
}

void annotate_text(FILE *out, const struct report *r)
{
    write_head(out, r);
    write_bodies(out, r);
    write_hosts(out, r);
    write_codes(out, r);
    write_skid(out, r);
}

static void write(struct render *to, const struct report *r)
{
    if (r->annotation == NULL) { /* without samples there is no function */
        render_txt.write(to, r);
        return;
    }
    table_heading(to->out, r);
    annotate_text(to->out, r);
}

const struct render_ops render_annotate_txt = {
    .name = "txt", .suffix = "txt", .follows = true, .write = write};
