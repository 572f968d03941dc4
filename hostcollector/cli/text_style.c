/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds width and colour by the terminal and the environment. */
#include "cli/text_style.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Return the width from $COLUMNS, or else from the terminal; 0 if neither is
 * known. */
static unsigned long columns_of(bool terminal)
{
    const char *columns = getenv("COLUMNS");
    char *end = NULL;
    unsigned long n = columns != NULL ? strtoul(columns, &end, 10) : 0;
    struct winsize size;

    if (n != 0 && *end == '\0')
        return n;
    /* with a pager, standard output is no longer a terminal */
    if (terminal && (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ||
                     ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ||
                     ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0))
        return size.ws_col;
    return 0;
}

static uint32_t clamp(unsigned long n)
{
    return n == 0                       ? TEXT_STYLE_COLUMNS
           : n < TEXT_STYLE_COLUMNS_MIN ? TEXT_STYLE_COLUMNS_MIN
           : n > TEXT_STYLE_COLUMNS_MAX ? TEXT_STYLE_COLUMNS_MAX
                                        : (uint32_t)n;
}

/* May text be coloured on a terminal? */
static bool may_colour(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    return (no == NULL || *no == '\0') && term != NULL &&
           strcmp(term, "dumb") != 0;
}

void report_from_options(struct report *r, const struct shown *s)
{
    r->top = s->top;
    r->all = s->all;
    r->details = s->details;
    r->idle = s->idle;
    r->function = s->function;
    r->sort = s->sort;
    r->latency = s->latency;
    r->by = s->by;
    r->callers_of = s->callers_of;
    r->inverted = s->inverted;
    r->of_all = s->of == BASE_ALL;
}

uint32_t text_style_columns(void)
{
    return clamp(columns_of(isatty(STDOUT_FILENO) != 0));
}

struct report text_style_for_output(const struct report *r, const char *path,
                                    const struct outputs *out)
{
    struct report own = *r;
    bool terminal = out->terminal, file = strcmp(path, "-") != 0;

    own.columns = out->columns != 0 ? out->columns
                  : file            ? TEXT_STYLE_COLUMNS
                                    : clamp(columns_of(terminal));
    if (file) {
        own.details = true;
        return own;
    }
    /* a pipe is no screen, unless its reader says how many lines it has */
    own.whole = !terminal && getenv("LINES") == NULL;
    own.colour = out->colour == COLOUR_ALWAYS ||
                 (out->colour == COLOUR_AUTO && terminal && may_colour());
    return own;
}
