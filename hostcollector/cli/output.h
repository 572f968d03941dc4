/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that a command writes, and their formats. */
#ifndef TPROF_CLI_OUTPUT_H
#define TPROF_CLI_OUTPUT_H

#include <stdbool.h>

#include "cli/options.h"
#include "report/render.h"
#include "util/err.h"

/* Name and suffix of the format that is no renderer. */
#define OUTPUT_RECORDING "tprof"

struct output {
    const char *path; /* "-": standard output */
    FILE *given; /* opened by the caller, who closes it; (path) is its name */
    const struct render_ops *format;
    struct render to; /* (to.out) is NULL: not open */
    char *buffer;     /* of (to.out); or NULL */
    int fd;           /* claimed; else -1 */
    uint64_t bytes;   /* written until it was closed */
};

struct outputs {
    /* NULL: none. Of several guests each has a recording, NAME.GUEST.tprof. */
    const char *recording;
    struct output list[OPTIONS_OUTPUTS + 1];
    unsigned count;
    uint32_t colour; /* enum colour_choice */
    bool quiet;      /* do not say which files were written */
    bool terminal;   /* standard output is one */
};

/* options.c: -o, into struct output_config. */
extern const struct option_kind option_output;

/* options.c: --format: const char *; one of all formats. */
extern const struct option_kind option_format;

/*
 * Fill (out) with the outputs that (o) asks for. With (table), the report goes
 * to standard output unless another output does. A file that (o) reads cannot
 * be an output.
 *
 * Returns 0; -1 with (e) filled: a usage error.
 */
int outputs_plan(struct outputs *out, const struct options *o, bool table,
                 struct err *e);

/* Refuse outputs of (c) that are one of (inputs). Returns 0; -1 with (e)
 * filled. */
int outputs_spare(const struct output_config *c,
                  const struct option_words *inputs, struct err *e);

/* The same where each output, or else standard output, is in (format). */
int outputs_plan_only(struct outputs *out, const struct options *o,
                      const struct render_ops *format, struct err *e);

/* Of the planned (out), (command) writes only (formats), which end with NULL,
 * and have the names of others. Returns 0; -1 with (e) filled. */
int outputs_choose(struct outputs *out, const char *command,
                   const struct render_ops *const *formats, struct err *e);

/* Does (out) show the code of functions? Else (o) shall not ask for it. A guest
 * that took over this process could tell others what is in source files: they
 * are read of a recording, and below the folder that (o) names. */
void outputs_plan_code(const struct outputs *out, struct options *o);

/* Room for outputs_ignored(). */
#define OUTPUTS_IGNORED 1152

/* Write into (buf) a message about options of (s) that do not affect the files
 * of (out), because those files hold everything. The message is "" if there is
 * no such option. Returns (buf). */
const char *outputs_ignored(char buf[OUTPUTS_IGNORED],
                            const struct outputs *out, const struct shown *s);

/* Return the length of (path) without its extension. Names of guests are
 * inserted there if there are several guests: "a/run.tprof" (5) becomes
 * "a/run.GUEST.tprof". */
int outputs_stem(const char *path);

/*
 * Claim all files of (out) except the recording, before anything is sampled: no
 * other process can claim them until outputs_close(), and what they hold stays
 * until outputs_open(). Returns 0; -1 with (e) filled: see claim_file().
 */
int outputs_claim(struct outputs *out, struct err *e);

/* Open all files of (out) except the recording. Returns 0; -1 with (e) filled,
 * and none is open. */
int outputs_open(struct outputs *out, struct err *e);

/* Write (r) to all files, once for each guest. Returns 0; -1 with (e) filled.
 */
int outputs_write(struct outputs *out, const struct report *r, struct err *e);

/* Call (write) once for each file, to write (what) in the file's format, with
 * the width and colour of (look). Returns 0; -1 with (e) filled. */
typedef void (*outputs_writer)(struct output *output, const struct report *look,
                               const void *what);
int outputs_write_by(struct outputs *out, outputs_writer write,
                     const void *what, struct err *e);

/* Write (o) to the files whose format has a place for it. Returns 0; -1 with
 * (e) filled. */
int outputs_overall(struct outputs *out, const struct overall *o,
                    struct err *e);

/* Close the files that are open or claimed. With (keep), open files replace the
 * earlier files of their names, and the user reads which files were written.
 * Otherwise the earlier files stay. Returns 0; -1
 * with (e) filled. */
int outputs_close(struct outputs *out, bool keep, struct err *e);

/* Say that the file (path) of (bytes) was written, unless (out) is quiet. */
void outputs_say(const struct outputs *out, const char *path, uint64_t bytes);

#endif
