/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output formats: one file for each, all behind render_ops. A renderer reads
 * the finished view, writes it, and changes nothing.
 */
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

/* One function's lines and blocks, for pages. */
struct report_code {
    uint32_t function; /* of the view */
    char *json;        /* of annotate_json() */
    size_t size;
};

/* Everything that a report shows. Strings may be NULL; escape them. */
struct report {
    const char *guest; /* its name; NULL: it is the only one */
    const char *only;  /* the only one's name; NULL: it has none */
    const struct profile *profile;
    const struct view *view;
    const struct remarks *remarks;
    const char *elf;          /* path of the guest's image */
    bool has_code, elf_given; /* which is at hand; by --elf */
    const char *source;       /* where the samples came from */
    const char *recording; /* path of the recording that keeps them; or NULL */
    const char *without;   /* functions whose samples were left out, harmless */
    uint32_t top;          /* rows a table; 0: as many as are worth a look */
    bool all;              /* every row, branch and core, and all details */

    /* For text alone. */
    uint32_t columns; /* 0: TEXT_COLUMNS */
    bool colour;      /* bold and red by escape sequences */
    bool details;     /* all that is known beside what one must know first */

    /* For text, and how a page is shown at first: asked.h, with (top). */
    bool of_all;            /* shares are of all time, idle time included */
    const char *function;   /* text is of this one's lines, callers and callees:
                               its name or a part of it; NULL: of all */
    const char *callers_of; /* trees are of callers of these; NULL: of all */
    bool inverted;          /* trees begin with the innermost function */
    uint32_t sort;          /* rows by enum report_sort */
    bool idle; /* tables and trees are of idle time: where cores wait */
    struct annotation *annotation; /* text is of this; NULL: of all */

    const struct report_code *code; /* for pages alone */
    size_t code_count;

    struct sample_profile *sample_profile; /* for render_pgo alone */
    const struct origin *origin;   /* for stores of many guests; or NULL */
    struct stack_numbers *numbers; /* of its stacks, for all formats */
};

/* One of many guests, in a line. */
struct overall_guest {
    const char *name;
    const char *elf;        /* NULL: unknown */
    uint64_t samples, lost; /* delivered; ticks without a sample */
    double busy;         /* of its cores' time, 0 to 1; less than 0: unknown */
    const char *trouble; /* why it failed; NULL: it did not */
};

/* Several guests that run the same image. The total of the report's view adds
 * up all cores of all these guests. */
struct overall_image {
    size_t guests;
    struct report report;
};

/* Over all guests. */
struct overall {
    const struct overall_guest *guests;
    size_t guest_count;
    const struct overall_image *images; /* of those with several guests */
    size_t image_count;
};

/* A file that is being written, of the reports of all guests. */
struct render {
    FILE *out;      /* the caller asks ferror() */
    void *state;    /* what the format keeps; NULL before begin() */
    bool no_memory; /* set by the format: (out) lacks something */
};

struct render_ops {
    const char *name;   /* as given to --format */
    const char *suffix; /* of files in this format, without the first dot */
    bool follows;       /* what options ask of how a report is shown: asked.h */
    bool has_code;      /* shows report.code */
    /* Called first; NULL: there is nothing to do. */
    void (*begin)(struct render *to);
    /* Write all of (r); called for each guest. */
    void (*write)(struct render *to, const struct report *r);
    /* Write (o), behind the reports of several guests. NULL: the format has no
     * place for it. */
    void (*overall)(struct render *to, const struct overall *o);
    /* Called last if begin() was called, after errors, too; releases the state.
     * NULL: there is nothing to do. */
    void (*end)(struct render *to);
};

/* All formats: one line each here and in render.c. */
extern const struct render_ops render_txt;
extern const struct render_ops render_folded;
extern const struct render_ops render_json;
extern const struct render_ops render_csv;
extern const struct render_ops render_pprof;
extern const struct render_ops render_firefox;
extern const struct render_ops render_speedscope;
extern const struct render_ops render_callgrind;
extern const struct render_ops render_perfscript;
extern const struct render_ops render_perfdata;
extern const struct render_ops render_html;

/* What collector annotate writes as .json: report.annotation. */
extern const struct render_ops render_annotate_json;

/* What collector pgo writes; no format by name, since it takes more than a
 * profile and a view. */
extern const struct render_ops render_pgo;
extern const struct render_ops render_fdata;

#endif
