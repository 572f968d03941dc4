/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of the text report: commands to type next. */
#include "report/table.h"

#include <string.h>

#include "diagnose/share.h"
#include "util/text.h"
#include "view/find.h"

/* With a larger idle share, the report suggests to look at waits. */
#define IDLE_MIN  .5
#define WORD_SIZE 256
#define LEFT      7 /* "Next:  " */
#define NAME_MOST 64
#define PATH_MOST 200

/* Quote (word) for a shell, into (buf). Names come from guests, so words with
 * quotes are refused. Returns false if (word) is refused or too long. */
static bool quote(char buf[WORD_SIZE], const char *word, size_t most)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_./:+-";
    const char *mark = word[strspn(word, plain)] == '\0' ? "" : "'";

    if (strlen(word) > most || strchr(word, '\'') != NULL ||
        strchr(word, '\\') != NULL)
        return false;
    (void)snprintf(buf, WORD_SIZE, "%s%s%s", mark, word, mark);
    return true;
}

/* Write "collector (command) SAMPLES (arguments)", and (what) it shows. */
static void write_command(FILE *out, const struct report *r, bool *first,
                          const char *command, const char *arguments,
                          const char *what)
{
    char recording[WORD_SIZE], line[4 * WORD_SIZE];
    const char *samples = r->windows != NULL ? r->windows : recording;

    if (samples == recording && !quote(recording, r->recording, NAME_MOST))
        return;
    (void)snprintf(line, sizeof line, "collector %s %s%s%s", command, samples,
                   arguments[0] != '\0' ? " " : "", arguments);
    size_t columns =
        table_columns(r) < TEXT_COLUMNS ? table_columns(r) : TEXT_COLUMNS;
    size_t used = LEFT + text_width(line) + text_width(what);

    (void)fprintf(out, "%-*s%s", LEFT, *first ? "Next:" : "", line);
    if (used + 2 <= columns)
        (void)fprintf(out, "%*s%s", (int)(columns - used), "", what);
    (void)putc('\n', out);
    *first = false;
}

/* The first function of the table that has a name. */
static const char *hottest(const struct view *v)
{
    for (size_t i = 0; i < v->total.row_count; i++) {
        uint32_t function = v->total.rows[i].function;

        if (function >= VIEW_MARKS && !v->functions[function].nameless)
            return v->functions[function].name;
    }
    return NULL;
}

void table_next_function(FILE *out, const struct report *r, const char *name)
{
    char word[WORD_SIZE], arguments[2 * WORD_SIZE];
    bool first = true;

    if (name != NULL && quote(word, name, NAME_MOST)) {
        (void)snprintf(arguments, sizeof arguments, "--function %s", word);
        write_command(out, r, &first, "report", arguments,
                      "its lines, callers");
    }
    write_command(out, r, &first, "report", "-o flame.html",
                  "flame graph, timeline");
}

/* Write the command that shows the code of the function in this report. */
static void write_annotate(FILE *out, const struct report *r, bool *first)
{
    const struct view_row *row = find_row(r->view, r->function);
    char word[WORD_SIZE], path[WORD_SIZE], command[2 * WORD_SIZE],
        arguments[2 * WORD_SIZE] = "";

    if (!r->has_code || r->windows != NULL || row == NULL ||
        row->function < VIEW_MARKS ||
        !quote(word, r->view->functions[row->function].name, NAME_MOST) ||
        !quote(path, r->elf, PATH_MOST))
        return;
    (void)snprintf(command, sizeof command, "annotate %s", word);
    if (r->elf_given)
        (void)snprintf(arguments, sizeof arguments, "--elf %s", path);
    write_command(out, r, first, command, arguments, "its code by blocks");
}

void table_next(FILE *out, const struct report *r)
{
    const char *name = r->function == NULL ? hottest(r->view) : NULL;
    char word[WORD_SIZE], arguments[2 * WORD_SIZE];
    const struct view *v = r->view;
    bool first = true;

    if (r->recording == NULL && r->windows == NULL) {
        (void)fprintf(out, "%-*s", LEFT, "Next:");
        text_wrap_at(out, LEFT,
                     "-o run.tprof keeps the samples: 'collector report "
                     "run.tprof' looks closer",
                     table_columns(r));
        return;
    }
    if (name != NULL && quote(word, name, NAME_MOST)) {
        (void)snprintf(arguments, sizeof arguments, "--function %s", word);
        write_command(out, r, &first, "report", arguments,
                      "its lines, callers");
    }
    if (r->function != NULL)
        write_annotate(out, r, &first);
    if (share_of(&v->total.idle, &v->total.all).p >= IDLE_MIN)
        write_command(out, r, &first, "report", "--idle", "where cores wait");
    write_command(out, r, &first, "report", "-o flame.html",
                  "flame graph, timeline");
    if (!r->details)
        write_command(out, r, &first, "report", "--details",
                      "ranges, lateness, cost");
}
