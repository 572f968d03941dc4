/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/options.h"

#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "export/formats.h"

void options_fini(struct options *o)
{
    for (unsigned i = 0; i < o->output.count; i++)
        free(o->output.copies[i]);
    guests_fini(&o->from.guests);
}

static bool is_format(const char *name)
{
    return strcmp(name, OUTPUT_RECORDING) == 0 || format_by_name(name) != NULL;
}

/* FILE, FORMAT:FILE or FILE:FORMAT. */
static int read_output(void *field, const struct option_row *row,
                       const char *value, struct err *e)
{
    const char *first = strchr(value, ':'), *last = strrchr(value, ':');
    struct output_config *o = field;
    unsigned i = o->count;

    (void)row;
    if (i == OPTIONS_OUTPUTS)
        return err_set(e, "-o: more than %d files", OPTIONS_OUTPUTS);
    o->paths[i] = value;
    o->count++;
    if (first == NULL)
        return 0;
    char *copy = o->copies[i] = strdup(value);

    if (copy == NULL)
        return err_memory(e);
    copy[first - value] = '\0';
    if (is_format(copy)) {
        o->formats[i] = copy;
        o->paths[i] = first + 1;
    } else if (is_format(last + 1)) {
        copy[first - value] = ':';
        copy[last - value] = '\0';
        o->formats[i] = last + 1;
        o->paths[i] = copy;
    }
    return o->paths[i][0] != '\0'
               ? 0
               : err_set(e, "-o %s: into which file?", value);
}

static void format_choices(const struct option_row *row,
                           char text[OPTION_CHOICES])
{
    char names[FORMAT_NAMES];

    (void)row;
    (void)snprintf(text, OPTION_CHOICES, OUTPUT_RECORDING ", %s",
                   format_names(names));
}

static int read_markdown(void *field, const struct option_row *row,
                         const char *value, struct err *e)
{
    (void)row, (void)value, (void)e;
    *(const char **)field = "md";
    return OPTION_READ;
}

const struct option_kind option_output = {.read = read_output};
const struct option_kind option_format = {
    .read = option_read_text, .choices = format_choices, .listed = true};
const struct option_kind option_markdown = {.read = read_markdown};
