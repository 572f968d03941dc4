/* SPDX-License-Identifier: BSD-2-Clause */
/* All that users may ask of commands. */
#ifndef TPROF_CLI_OPTIONS_H
#define TPROF_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/option_kinds.h"
#include "diff/fail_if.h"
#include "guest/guest_config.h"
#include "model/core_set.h"
#include "model/origin.h"
#include "util/err.h"

/* In the order of their words in the table of options. */
enum base_choice { BASE_BUSY, BASE_ALL };
enum colour_choice { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

#define OPTIONS_OUTPUTS    16
#define OPTIONS_FAIL_IF    16
#define OPTIONS_PAGE_CODE  1000 /* functions: the most, and by default */
#define OPTIONS_PAGE_USUAL 10

/* -o, --format, --force and --color. */
struct output_config {
    const char *format; /* NULL: not said */
    const char *paths[OPTIONS_OUTPUTS];
    /* As named by -o FORMAT:FILE or FILE:FORMAT; NULL: not. */
    const char *formats[OPTIONS_OUTPUTS];
    char *copies[OPTIONS_OUTPUTS]; /* of paths and formats; or NULL */
    unsigned count;
    bool force;      /* overwrite what tprof has not written */
    uint32_t colour; /* enum colour_choice */
};

/* The user's choices. Strings point into argv. */
struct options {
    struct guest_config from;
    /* Of collector report: a spool, and which of its windows; or NULL. */
    const char *windows, *windows_guest, *since, *until;
    uint64_t since_ms, until_ms; /* as read; 0: all */
    bool annotate; /* one function alone is shown, and its code is read */
    bool pgo;      /* a sample profile: the image's debug information is */
    bool pgo_by_address; /* the same, but not for a compiler */
    uint32_t page_code;  /* so many functions a page shows the code of */
    /* Recordings of collector diff, those of before first. */
    struct option_words inputs;
    unsigned before_count;
    struct fail_if fail_if[OPTIONS_FAIL_IF];
    unsigned fail_if_count;
    struct output_config output;
    bool no_names; /* in recordings */
    /* Signals do not end the report: collector run passes signals on, and one
     * of them reports the guest's end. */
    bool supervised;
    bool keys_taken; /* collector run: QEMU has them, so Ctrl-C ends nothing */
    bool by_vsock;   /* collector run: not by a serial port */
    double duration_s; /* 0: until Ctrl-C or the guest's end */
    bool registers;    /* of collector stacks */
    uint32_t looks;    /* of collector stacks; 0: not said */
    double interval_s; /* between their beginnings; 0: not said */
    struct core_set cores;
    struct option_words exclude; /* functions, as typed */
    struct time_span time;
    uint32_t top; /* rows of a table; 0: as many as are worth a look */
    bool all;     /* every row and branch */
    bool tree;    /* of collector diff: call paths that changed */
    bool by_core; /* ... and what changed on each core */
    bool no_pager;
    bool details, idle; /* as in struct report */
    const char
        *function; /* as in struct report; FUNCTION of collector annotate */
    const char *callers_of; /* as in struct report */
    bool inverted;          /* as in struct report */
    uint32_t sort;          /* enum report_sort */
    uint32_t of;            /* enum base_choice */
    const char *max_size;
    uint64_t max_bytes;          /* of a recording; 0: no limit */
    const struct origin *origin; /* of its reports; NULL: no such report */
    /* One of these options was found. The rest of the command line was not
     * read. */
    bool version, sandbox_report;
};

/* The defaults. options_fini() must follow. */
void options_init(struct options *o);

/* Release what (o) holds. */
void options_fini(struct options *o);

/* Does (o) select some samples of a guest? */
static inline bool options_select(const struct options *o)
{
    return o->cores.count != 0 || o->time.from_s > 0 || o->time.to_s > 0;
}

#endif
