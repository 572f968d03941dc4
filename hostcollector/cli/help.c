/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints --help: texts in lines, and options in two columns. */
#include "cli/help.h"

#include <string.h>

#include "cli/command.h"
#include "cli/option_table.h"

#define LEFT 30 /* columns of an option with its argument */

/* Return the length of the next line of (text) for (columns) columns. The line
 * ends at a newline if the newline fits or the line begins with a blank.
 * Otherwise the line has as many words as fit, at least one. */
static size_t line_length(const char *text, size_t columns)
{
    size_t end = strcspn(text, "\n");
    size_t length = strcspn(text, " \n");

    if (end <= columns || text[0] == ' ')
        return end;
    for (size_t i = length; i <= columns; i++)
        if (text[i] == ' ')
            length = i;
    return length;
}

/* Write (text). Every line except the first is indented by (indent) blanks. */
static void write_text(FILE *out, int indent, const char *text)
{
    for (;;) {
        size_t length = line_length(text, HELP_COLUMNS - (size_t)indent);

        (void)fprintf(out, "%.*s\n", (int)length, text);
        text += length;
        if (text[0] == '\0' || text[1] == '\0')
            return;
        text++;
        (void)fprintf(out, "%*s", indent, "");
    }
}

static void write_left(FILE *out, const struct option_row *row)
{
    char left[LEFT + 20];

    (void)snprintf(left, sizeof left, "  %c%c%c --%s %s",
                   row->letter ? '-' : ' ', row->letter ? row->letter : ' ',
                   row->letter ? ',' : ' ', row->name,
                   row->argument ? row->argument : "");
    (void)fprintf(out, "%-*s", LEFT, left);
    if (strlen(left) >= LEFT) /* the option has a line of its own */
        (void)fprintf(out, "\n%*s", LEFT, "");
}

static void write_right(FILE *out, const struct option_row *row)
{
    char choices[OPTION_CHOICES], text[OPTION_CHOICES + 256];

    if (!row->kind->listed) {
        write_text(out, LEFT, row->help);
        return;
    }
    row->kind->choices(row, choices);
    (void)snprintf(text, sizeof text, "%s %s", row->help, choices);
    write_text(out, LEFT, text);
}

static void write_group(FILE *out, const struct option_group *group)
{
    const struct option_group alone[2] = {*group};
    const struct option_set set = {.groups = alone};
    const struct option_row *row;
    size_t offset;

    if (group->title != NULL)
        (void)fprintf(out, "\n%s\n", group->title);
    for (size_t i = 0; (row = option_at(&set, i, &offset)) != NULL; i++) {
        write_left(out, row);
        write_right(out, row);
    }
}

void help_options(FILE *out, const struct option_set *set)
{
    for (const struct option_group *g = set->groups;
         g->rows != NULL || g->made != NULL || g->title != NULL; g++)
        write_group(out, g);
}

int help_print(const struct help *h)
{
    write_text(stdout, 0, h->before);
    if (h->examples != NULL)
        (void)printf("\nExamples:\n%s", h->examples);
    if (h->options->groups->title == NULL)
        (void)putchar('\n');
    help_options(stdout, h->options);
    if (h->after != NULL) {
        (void)putchar('\n');
        write_text(stdout, 0, h->after);
    }
    return EXIT_DONE;
}
