/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that a command writes, and their formats. */
#ifndef TPROF_CLI_OUTPUT_H
#define TPROF_CLI_OUTPUT_H

#include <stdbool.h>

#include "cli/options.h"
#include "report/render.h"
#include "util/err.h"

/* Name and suffix of the recordings' format, which has no renderer. */
#define OUTPUT_RECORDING "tprof"

struct output {
    const char *path; /* "-": standard output */
    FILE *given; /* opened by the caller, who closes it; (path) is its name */
    const struct render_ops *format;
    struct render to; /* (to.out) is NULL if the file is not open */
    char *buffer;     /* of (to.out); or NULL */
    int fd;           /* claimed; else -1 */
    uint64_t bytes;   /* bytes written until the file was closed */
};

struct outputs {
    /* NULL: none. With several guests, each has its own recording,
     * NAME.GUEST.tprof. */
    const char *recording;
    struct output list[OPTIONS_OUTPUTS + 1];
    unsigned count;
    uint32_t colour;  /* enum colour_choice */
    uint32_t columns; /* of text; 0: those of the terminal */
    bool quiet;       /* do not print which files were written */
    bool terminal;    /* standard output is a terminal */
};

/* options.c: -o, into struct output_config. */
extern const struct option_kind option_output;

/* options.c: --format: const char *; one of all formats. */
extern const struct option_kind option_format;

/* options.c: --markdown, as --format md: const char *. */
extern const struct option_kind option_markdown;

/*
 * Fill (out) with the outputs in (o). With (table), the report goes to standard
 * output unless another output does. A file that (o) reads cannot be an output.
 *
 * Returns 0; -1 with (e) filled: a usage error.
 */
int outputs_plan(struct outputs *out, const struct options *o, bool table,
                 struct err *e);

/* Refuse outputs of (c) that are also in (inputs). Returns 0; -1 with (e)
 * filled. */
int outputs_spare(const struct output_config *c,
                  const struct option_words *inputs, struct err *e);

/* Fill (out) with (format) for each output of (o), or for standard output if
 * there is no output. Returns 0; -1 with (e) filled. */
int outputs_plan_only(struct outputs *out, const struct options *o,
                      const struct render_ops *format, struct err *e);

/* Restrict the planned (out) to (formats), which are the formats that (command)
 * writes. The list ends with NULL. Each of its formats has the name of a
 * general format. Returns 0; -1 with (e) filled. */
int outputs_choose(struct outputs *out, const char *command,
                   const struct render_ops *const *formats, struct err *e);

/* Remove the code of functions from (o) if no file of (out) shows code.
 * Otherwise source files would be read for nothing: a guest that took over this
 * process could reveal their contents. */
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
 * Claim all files of (out) except the recording, before sampling begins. No
 * other process can claim a claimed file until outputs_close(). A claimed file
 * keeps its contents until outputs_open(). Returns 0; -1 with (e) filled: see
 * claim_file().
 */
int outputs_claim(struct outputs *out, struct err *e);

/* Open all files of (out) except the recording. Returns 0; -1 with (e) filled,
 * and no file is open. */
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

/* Write (o) to the files whose format can show it. Returns 0; -1 with (e)
 * filled. */
int outputs_overall(struct outputs *out, const struct overall *o,
                    struct err *e);

/* Close the files that are open or claimed. With (keep), open files replace the
 * earlier files of their names, and the user reads which files were written.
 * Otherwise the earlier files stay. Returns 0; -1
 * with (e) filled. */
int outputs_close(struct outputs *out, bool keep, struct err *e);

/* Print that the file (path) of (bytes) was written, unless (out) is quiet. */
void outputs_say(const struct outputs *out, const char *path, uint64_t bytes);

#endif
