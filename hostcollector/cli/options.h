/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups of options that several commands have. A command's config holds the
 * groups that the command has, and options of its own. */
#ifndef TPROF_CLI_OPTIONS_H
#define TPROF_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/option_kinds.h"
#include "guest/guest_config.h"
#include "model/core_set.h"

/* Choices, in the order of the words in the table of options. */
enum base_choice { BASE_BUSY, BASE_ALL };
enum colour_choice { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

#define OPTIONS_OUTPUTS    16
#define OPTIONS_PAGE_CODE  1000 /* limit and default of --annotate */
#define OPTIONS_PAGE_USUAL 10

/* Output files and their look: -o, --format, --force, --color and --width. */
struct output_config {
    const char *format; /* NULL: not given */
    const char *paths[OPTIONS_OUTPUTS];
    /* Format of each file, from -o FORMAT:FILE or FILE:FORMAT; NULL: not
     * given. */
    const char *formats[OPTIONS_OUTPUTS];
    char *copies[OPTIONS_OUTPUTS]; /* copies of paths and formats; or NULL */
    unsigned count;
    bool force;       /* overwrite files that tprof did not write */
    bool quiet;       /* do not print which files were written */
    uint32_t colour;  /* enum colour_choice */
    uint32_t columns; /* columns of text; 0: not given */
};

/* Options that choose samples: --core, --time and --exclude. Zeroed: all
 * samples. */
struct selection {
    struct core_set cores;
    struct time_span time;
    struct option_words exclude; /* functions, as typed */
};

/* Contents of a report; members as in struct report. */
struct shown {
    uint32_t top; /* rows of a table; 0: those worth a line */
    bool all;     /* every row and branch */
    bool details, idle, inverted;
    bool latency;        /* show waits beside shares of time */
    uint32_t by;         /* enum view_by: columns of the table of functions */
    const char *thread;  /* only samples of these threads; NULL: of all */
    const char *request; /* only samples of these requests; NULL: of all */
    bool raw;            /* displaced samples stay at their addresses */
    const char *function, *callers_of;
    uint32_t sort;      /* enum report_sort */
    uint32_t of;        /* enum base_choice */
    uint32_t page_code; /* number of functions whose code a page shows */
    bool no_pager;
};

/* Options of a session over guests or recordings. Strings point into argv. */
struct options {
    struct guest_config from;
    struct selection selection;
    struct shown shown;
    struct output_config output;
    bool no_names, no_code; /* in recordings */
    double duration_s;      /* 0: until Ctrl-C or the guest's end */
    uint64_t max_bytes;     /* limit of a recording; 0: no limit */
};

#define OPTIONS_DEFAULT                                                        \
    {                                                                          \
        .from = GUEST_CONFIG_DEFAULT                                           \
    }

/* Release what (o) holds. */
void options_fini(struct options *o);

/* Does (s) exclude samples of some cores or times? */
static inline bool selection_is_part(const struct selection *s)
{
    return s->cores.count != 0 || s->time.from_s > 0 || s->time.to_s > 0;
}

#endif
