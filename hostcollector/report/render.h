/* SPDX-License-Identifier: BSD-2-Clause */
/* Output formats. Each has one file, which provides a struct render_ops. A
 * format reads the finished view, writes it, and changes nothing. */
#ifndef TPROF_REPORT_RENDER_H
#define TPROF_REPORT_RENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "diagnose/remarks.h"
#include "model/annotation.h"
#include "model/profile.h"
#include "model/sample_profile.h"
#include "model/view.h"

struct origin;
struct stack_numbers;

enum report_sort { SORT_SELF, SORT_TOTAL, SORT_LATE, SORT_NAME };

/* Room for report.without. */
#define RENDER_WITHOUT 1024

/* First line of Markdown. guard/claim.c recognizes files of tprof by it. */
#define RENDER_MARKDOWN_MARK "<!-- made by tprof -->\n"

/* Lines and blocks of one function, for pages. */
struct report_code {
    uint32_t function; /* of the view */
    char *json;        /* of annotate_json() */
    size_t size;
};

/* Everything that a report shows. Strings may be NULL. Formats must escape
 * them. */
struct report {
    const char *guest; /* name of the guest; NULL if it is the only guest */
    const char *only;  /* name of the only guest; NULL if it has none */
    const struct profile *profile;
    const struct view *view;
    const struct remarks *remarks;
    const char *elf;          /* path of the guest's image */
    bool has_code, elf_given; /* the image's file was found; --elf named the
                               * file */
    const char *source;       /* origin of the samples */
    const char *recording; /* path of the recording with the samples; or NULL */
    /* the options that select the windows with the samples, as typed in a
     * shell; NULL: no windows */
    const char *windows;
    const char *without; /* functions that --exclude removed, escaped */
    bool unfound; /* an option names nothing that is here: text has no tables */
    uint32_t top; /* rows in a table; 0: as many as are useful */
    bool all;     /* every row, branch and core, and all details */

    /* Members for text only. */
    uint32_t columns; /* 0: TEXT_COLUMNS */
    bool whole;       /* tables and trees are not cut to fit a screen */
    bool colour;      /* bold and red by escape sequences */
    bool details;     /* show all facts, not only the important ones */

    /* Set by the options of report_options.h, as (top) is. Text shows only what
     * these options select. Pages show it first. */
    bool of_all; /* shares are of all time, idle time included */
    /* Text shows the lines, callers and callees of this function: its name or a
     * part of its name. NULL: text shows all functions. */
    const char *function;
    const char *callers_of; /* trees show the callers of this function; NULL:
                             * all calls */
    bool inverted;          /* trees begin with the innermost function */
    uint32_t sort;          /* order of rows, an enum report_sort */
    /* The table shows latency (view/time/latency.h). Its rows are sorted by
     * latency unless (sort) names another order. */
    bool latency;
    uint32_t by; /* columns of the table of functions, an enum view_by */
    /* Tables and trees show idle time: the functions in which cores wait. */
    bool idle;
    /* The annotation that collector annotate shows, and nothing else. NULL for
     * other commands. */
    struct annotation *annotation;

    uint64_t memory;          /* bytes for the paths of a page; 0: enough */
    struct report_code *code; /* code of functions, for pages only */
    size_t code_count;

    struct sample_profile *sample_profile; /* for render_pgo only */
    const struct origin *origin;   /* origin, for stores of many guests; or
                                    * NULL */
    struct stack_numbers *numbers; /* numbers of its stacks, for all formats */
};

/* A guest in the list of many guests. */
struct overall_guest {
    const char *name;
    const char *elf;        /* NULL: unknown */
    uint64_t samples, lost; /* delivered; ticks without a sample */
    double busy;         /* part of its cores' time, 0 to 1; below 0: unknown */
    const char *trouble; /* reason of its failure; NULL: none */
};

/* Several guests that run the same image. The total of the report's view adds
 * up all cores of all these guests. */
struct overall_image {
    size_t guests;
    struct report report;
};

/* Sums over all guests. */
struct overall {
    const struct report *look; /* the look of text, without samples */
    const struct overall_guest *guests;
    size_t guest_count;
    const struct overall_image *images; /* images that several guests run */
    size_t image_count;
};

/* A file that is being written, with the reports of all guests. */
struct render {
    FILE *out;      /* the caller checks ferror() */
    void *state;    /* the format's own data; NULL before begin() */
    bool no_memory; /* set by the format: (out) is incomplete */
};

struct render_ops {
    const char *name;   /* as given to --format */
    const char *suffix; /* of files in this format, without the first dot */
    bool follows;       /* obeys the options of report_options.h */
    bool has_code;      /* shows report.code */
    bool has_waits;     /* shows only waits of threads */
    /* Called first. NULL: nothing to do. */
    void (*begin)(struct render *to);
    /* Write all of (r). Called for each guest. */
    void (*write)(struct render *to, const struct report *r);
    /* Write (o), after the reports of several guests. NULL: the format cannot
     * show (o). */
    void (*overall)(struct render *to, const struct overall *o);
    /* Called last if begin() was called, even after errors. Releases the state.
     * NULL: nothing to do. */
    void (*end)(struct render *to);
};

/* All formats of --format. Each has one line here and one in formats.c. */
extern const struct render_ops render_txt;
extern const struct render_ops render_folded;
extern const struct render_ops render_waits;
extern const struct render_ops render_json;
extern const struct render_ops render_csv;
extern const struct render_ops render_pprof;
extern const struct render_ops render_firefox;
extern const struct render_ops render_speedscope;
extern const struct render_ops render_callgrind;
extern const struct render_ops render_perfscript;
extern const struct render_ops render_perfdata;
extern const struct render_ops render_perfetto;
extern const struct render_ops render_html;
extern const struct render_ops render_svg;
extern const struct render_ops render_markdown;

#endif
