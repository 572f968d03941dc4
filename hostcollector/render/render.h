/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output formats: one file for each, all behind render_ops. A renderer reads
 * the finished view, writes it, and changes nothing.
 */
#ifndef TPROF_RENDER_RENDER_H
#define TPROF_RENDER_RENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "diagnose/remarks.h"
#include "model/profile.h"
#include "model/view.h"

/* Everything that a report shows. Strings may be NULL; escape them. */
struct report {
    const char *guest; /* its name; NULL: it is the only one */
    const struct profile *profile;
    const struct view *view;
    const struct remarks *remarks;
    const char *elf;    /* path of the guest's image */
    const char *source; /* where the samples came from */
    uint32_t top;       /* rows a table; 0: as many as are worth a look */
    bool all;           /* every row and branch, and a tree for each core */
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

struct render_ops {
    const char *name;   /* as given to --format */
    const char *suffix; /* of files in this format, without the dot */
    const char *what;   /* is written, for --help: "report" */
    /* Write all of (r) to (out). The caller asks ferror(). */
    void (*write)(FILE *out, const struct report *r);
    /* Write (o) to (out), behind the reports of several guests. NULL: the
     * format has no place for it. */
    void (*overall)(FILE *out, const struct overall *o);
};

/* All formats: one line each here and in render.c. */
extern const struct render_ops render_txt;
extern const struct render_ops render_folded;

/* The format called (name); NULL if there is none. */
const struct render_ops *render_by_name(const char *name);

/* The format that the suffix of (path) stands for; NULL if for none. */
const struct render_ops *render_by_path(const char *path);

/* Room for render_names(). */
#define RENDER_NAMES 256

/* All names with commas between, for a message: "txt, folded"; for --help
 * (with_what): "txt report, folded stacks". Returns (buf). */
const char *render_names(char buf[RENDER_NAMES], bool with_what);

#endif
