/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans, opens and closes the files of -o and --format. */
#include "cli/output.h"

#include <errno.h>
#include <poll.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/messages.h"
#include "cli/text_style.h"
#include "export/formats.h"
#include "export/stores/stack_numbers.h"
#include "guard/claim.h"
#include "guard/opener.h"
#include "report/report_options.h"
#include "util/text.h"

#define PIECE (1u << 16) /* bytes, of a file */

static bool is_recording(const char *path, const char *format)
{
    const char *dot = strrchr(path, '.');

    if (format != NULL)
        return strcmp(format, OUTPUT_RECORDING) == 0;
    return dot != NULL && strcmp(dot + 1, OUTPUT_RECORDING) == 0;
}

static int add_recording(struct outputs *out, const char *path, struct err *e)
{
    if (strcmp(path, "-") == 0)
        return err_set(e, "-o -: a recording goes into a file, not to standard "
                          "output");
    if (out->recording != NULL)
        return err_set(e, "-o %s: one recording at a time, and there is %s",
                       path, out->recording);
    out->recording = path;
    return 0;
}

/* Write " (did you mean html?)" to (near) if (path) has a mistyped format, as
 * in "htlm:FILE" or "FILE.htm"; "" if no format is similar. Returns (near). */
static const char *guess_format(char near[TEXT_NEAR], const char *path,
                                const char *names)
{
    const char *colon = strchr(path, ':'), *dot = strrchr(path, '.');
    char word[16];

    if (colon != NULL)
        (void)snprintf(word, sizeof word, "%.*s", (int)(colon - path), path);
    else
        (void)snprintf(word, sizeof word, "%s", dot != NULL ? dot + 1 : "");
    return text_near_guess(near, word, names);
}

/* Add an output. (format) is used if the suffix of (path) names no format;
 * NULL: not given. */
static int add_output(struct outputs *out, const char *path, const char *format,
                      struct err *e)
{
    const struct render_ops *ops;
    char names[FORMAT_NAMES], near[TEXT_NEAR];

    if (is_recording(path, format))
        return add_recording(out, path, e);
    ops = format != NULL ? format_by_name(format) : format_by_path(path);
    if (ops == NULL && format != NULL)
        return err_set(
            e,
            "--format: there is no '%s'%s; the formats are " OUTPUT_RECORDING
            ", %s",
            format, text_near_guess(near, format, format_names(names)), names);
    if (ops == NULL && strcmp(path, "-") == 0)
        ops = &render_txt;
    if (ops == NULL)
        return err_set(e,
                       "-o %s: which format%s? Type it as -o FORMAT:%s; the "
                       "formats are " OUTPUT_RECORDING ", %s",
                       path, guess_format(near, path, format_names(names)),
                       path, names);
    out->list[out->count++] =
        (struct output){.path = path, .format = ops, .fd = -1};
    return 0;
}

static bool uses_stdout(const struct outputs *out)
{
    for (unsigned i = 0; i < out->count; i++) {
        if (strcmp(out->list[i].path, "-") == 0)
            return true;
    }
    return false;
}

/* Is (path) among the images from (elf) on? */
static bool is_elf(const char *path, const struct elf_path *elf)
{
    for (; elf != NULL; elf = elf->next)
        if (claim_same(path, elf->path))
            return true;
    return false;
}

/* Does (o) read the file (path)? */
static bool is_input(const char *path, const struct options *o)
{
    const struct guests *g = &o->from.guests;

    for (size_t i = 0; i < g->count; i++)
        if (is_elf(path, g->list[i].elfs) ||
            (source_kind_find(g->list[i].kind)->need == SOURCE_NEEDS_TTY &&
             claim_same(path, g->list[i].where)))
            return true;
    return is_elf(path, g->elfs) || claim_same(path, g->path) ||
           claim_same(path, o->from.input);
}

static int refuse_input(const char *path, struct err *e)
{
    return err_set(e,
                   "-o %s: is read by this command, and would be overwritten: "
                   "name another file",
                   path);
}

int outputs_spare(const struct output_config *c,
                  const struct option_words *inputs, struct err *e)
{
    for (unsigned i = 0; i < c->count; i++)
        for (unsigned k = 0; k < inputs->count; k++)
            if (claim_same(c->paths[i], inputs->list[k]))
                return refuse_input(c->paths[i], e);
    return 0;
}

static int begin(struct outputs *out, const struct options *o, struct err *e)
{
    *out = (struct outputs){.colour = o->output.colour,
                            .columns = o->output.columns,
                            .quiet = o->output.quiet,
                            .terminal = isatty(STDOUT_FILENO) == 1};
    if (o->output.force)
        claim_force();
    for (unsigned i = 0; i < o->output.count; i++)
        if (is_input(o->output.paths[i], o))
            return refuse_input(o->output.paths[i], e);
    return 0;
}

int outputs_plan_only(struct outputs *out, const struct options *o,
                      const struct render_ops *format, struct err *e)
{
    if (begin(out, o, e) != 0)
        return -1;
    for (unsigned i = 0; i < o->output.count; i++) {
        if (o->output.formats[i] != NULL)
            return err_set(e, "-o %s:%s: this command has one format: -o %s",
                           o->output.formats[i], o->output.paths[i],
                           o->output.paths[i]);
        out->list[out->count++] = (struct output){
            .path = o->output.paths[i], .format = format, .fd = -1};
    }
    if (out->count == 0)
        out->list[out->count++] =
            (struct output){.path = "-", .format = format, .fd = -1};
    return 0;
}

/* Returns the format of file (i) of (c): the --format, if there is a single
 * file, or if the suffix of the file names no format. NULL if the suffix
 * decides. Sets (*used) if --format decided. */
static const char *format_of_file(const struct output_config *c, unsigned i,
                                  bool *used)
{
    if (c->formats[i] != NULL)
        return c->formats[i];
    if (c->count > 1 && (is_recording(c->paths[i], NULL) ||
                         format_by_path(c->paths[i]) != NULL))
        return NULL;
    *used = true;
    return c->format;
}

int outputs_plan(struct outputs *out, const struct options *o, bool table,
                 struct err *e)
{
    const struct output_config *c = &o->output;
    bool used = false; /* --format is */

    if (begin(out, o, e) != 0)
        return -1;
    for (unsigned i = 0; i < c->count; i++)
        if (add_output(out, c->paths[i], format_of_file(c, i, &used), e) != 0)
            return -1;
    if (c->format != NULL && c->count != 0 && !used)
        return err_set(e,
                       "--format %s: each -o says its format already; type -o "
                       "%s:FILE for another one",
                       c->format, c->format);
    if (c->count == 0 && c->format != NULL &&
        add_output(out, "-", c->format, e) != 0)
        return -1;
    if (table && !uses_stdout(out))
        out->list[out->count++] =
            (struct output){.path = "-", .format = &render_txt, .fd = -1};
    return 0;
}

void outputs_plan_code(const struct outputs *out, struct options *o)
{
    bool has_code = false;

    for (unsigned i = 0; i < out->count; i++)
        has_code |= out->list[i].format->has_code;
    if (!has_code)
        o->shown.page_code = 0;
    bool keeps_code = out->recording != NULL && !o->no_names && !o->no_code;

    /* a guest that took over this process could reveal the files it reads */
    o->from.reads_sources =
        (o->shown.page_code != 0 || keeps_code) &&
        (o->from.guests.count == 0 || o->from.sources != NULL);
}

/* The format of (formats) with this name; NULL if there is none. */
static const struct render_ops *
format_of(const struct render_ops *const *formats, const char *name)
{
    while (*formats != NULL && strcmp((*formats)->name, name) != 0)
        formats++;
    return *formats;
}

int outputs_choose(struct outputs *out, const char *command,
                   const struct render_ops *const *formats, struct err *e)
{
    const char *refused = out->recording;
    char names[FORMAT_NAMES] = "";
    size_t used = 0;

    for (unsigned i = 0; i < out->count && refused == NULL; i++) {
        struct output *output = &out->list[i];
        const struct render_ops *own = format_of(formats, output->format->name);

        if (own == NULL)
            refused = output->path;
        else
            output->format = own;
    }
    if (refused == NULL)
        return 0;
    for (; *formats != NULL && used < sizeof names; formats++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s.%s",
                                 used == 0            ? ""
                                 : formats[1] != NULL ? ", "
                                                      : " and ",
                                 (*formats)->name);
    return err_set(e, "-o %s: %s writes %s", refused, command, names);
}

const char *outputs_ignored(char buf[OUTPUTS_IGNORED],
                            const struct outputs *out, const struct shown *s)
{
    struct report asked = {.top = 0};
    char options[REPORT_OPTIONS_TEXT], formats[FORMAT_NAMES] = "";
    size_t used = 0;

    report_from_options(&asked, s);
    for (unsigned i = 0; i < out->count && used < sizeof formats; i++)
        if (!out->list[i].format->follows)
            used += (size_t)snprintf(formats + used, sizeof formats - used,
                                     "%s%s", used != 0 ? ", " : "",
                                     out->list[i].format->name);
    buf[0] = '\0';
    if (used != 0 && report_options_options(options, &asked)[0] != '\0')
        (void)snprintf(buf, OUTPUTS_IGNORED,
                       "%s: everything is there; %s: for text and pages alone",
                       formats, options);
    return buf;
}

int outputs_stem(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash != NULL ? slash : path, '.');

    return (int)(dot != NULL ? (size_t)(dot - path) : strlen(path));
}

/* Has the reader of standard output, such as head(1), closed the pipe? */
static bool reader_left(const struct output *output)
{
    struct pollfd p = {.fd = STDOUT_FILENO};

    return output->to.out == stdout && poll(&p, 1, 0) > 0 &&
           (p.revents & (POLLERR | POLLHUP)) != 0;
}

static const char *name_of(const struct output *output)
{
    return output->to.out == stdout ? "standard output" : output->path;
}

/* Has everything reached (output)? */
static int check_written(const struct output *output, struct err *e)
{
    if (output->to.no_memory)
        return err_set(e, "%s: out of memory", name_of(output));
    if ((fflush(output->to.out) == 0 && ferror(output->to.out) == 0) ||
        reader_left(output))
        return 0;
    return err_sys(e, name_of(output));
}

int outputs_claim(struct outputs *out, struct err *e)
{
    for (unsigned i = 0; i < out->count; i++) {
        struct output *output = &out->list[i];
        struct stat st;

        /* a pipe may have no reader yet */
        if (output->given != NULL || strcmp(output->path, "-") == 0 ||
            (stat(output->path, &st) == 0 && !S_ISREG(st.st_mode)))
            continue;
        output->fd = opener_claim(OPENER_REPORT, output->path, e);
        if (output->fd < 0)
            return -1;
    }
    return 0;
}

/* Speed up writing: no other thread writes to (file), so no lock is needed for
 * each character; and large pieces halve the time for half a gigabyte. */
static void make_fast(struct output *output, FILE *file)
{
    (void)__fsetlocking(file, FSETLOCKING_BYCALLER);
    output->buffer = malloc(PIECE);
    if (output->buffer != NULL)
        (void)setvbuf(file, output->buffer, _IOFBF, PIECE);
}

/* Open the output. A claimed file stays unchanged until the new one is
 * complete. NULL with (e) filled. */
static FILE *open_output(struct output *output, struct err *e)
{
    if (output->given != NULL)
        return output->given;
    if (strcmp(output->path, "-") == 0)
        return stdout;
    bool claimed = output->fd >= 0;
    int fd = claimed ? opener_claim(OPENER_FRESH, output->path, e)
                     : opener_open(OPENER_WRITE, output->path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

    if (file == NULL && (fd >= 0 || !claimed))
        (void)err_sys(e, output->path);
    if (file == NULL && fd >= 0)
        (void)close(fd);
    if (file != NULL)
        make_fast(output, file);
    return file;
}

int outputs_open(struct outputs *out, struct err *e)
{
    struct err ignored;

    for (unsigned i = 0; i < out->count; i++) {
        struct output *output = &out->list[i];

        output->to = (struct render){.out = open_output(output, e)};
        if (output->to.out == NULL) {
            (void)outputs_close(out, false, &ignored);
            return -1;
        }
        if (output->format->begin != NULL)
            output->format->begin(&output->to);
    }
    return 0;
}

int outputs_write(struct outputs *out, const struct report *r, struct err *e)
{
    struct stack_numbers numbers = {NULL};
    int result = 0;

    for (unsigned i = 0; i < out->count && result == 0; i++) {
        struct output *output = &out->list[i];
        struct report own = text_style_for_output(r, output->path, out);

        own.numbers = &numbers;
        output->format->write(&output->to, &own);
        result = check_written(output, e);
    }
    free(numbers.list);
    return result;
}

int outputs_write_by(struct outputs *out, outputs_writer write,
                     const void *what, struct err *e)
{
    for (unsigned i = 0; i < out->count; i++) {
        struct output *output = &out->list[i];
        const struct report look =
            text_style_for_output(&(struct report){0}, output->path, out);

        write(output, &look, what);
        if (check_written(output, e) != 0)
            return -1;
    }
    return 0;
}

int outputs_overall(struct outputs *out, const struct overall *o, struct err *e)
{
    for (unsigned i = 0; i < out->count; i++) {
        struct output *output = &out->list[i];
        const struct report look =
            text_style_for_output(&(struct report){0}, output->path, out);
        struct overall own = *o;

        own.look = &look;
        if (output->format->overall != NULL)
            output->format->overall(&output->to, &own);
        if (check_written(output, e) != 0)
            return -1;
    }
    return 0;
}

/* Returns 0; -1 with (e) filled if not everything was written. */
static int close_output(struct output *output, struct err *e)
{
    FILE *file = output->to.out;

    if (output->format->end != NULL)
        output->format->end(&output->to);
    int result = check_written(output, e);
    off_t end = ftello(file);

    output->bytes = end > 0 ? (uint64_t)end : 0;
    if (file != stdout && file != output->given && fclose(file) != 0 &&
        result == 0)
        result = err_sys(e, output->path);
    free(output->buffer);
    output->buffer = NULL;
    output->to = (struct render){0};
    return result;
}

/* End the claim on (output): with (keep), the new file replaces the old one.
 * Returns 0; -1 with (e) filled. */
static int settle_output(struct output *output, bool keep, struct err *e)
{
    int result = opener_open(keep ? OPENER_SETTLE : OPENER_DROP, output->path);

    (void)close(output->fd);
    output->fd = -1;
    return result == 0 ? 0 : err_sys(e, output->path);
}

void outputs_say(const struct outputs *out, const char *path, uint64_t bytes)
{
    if (!out->quiet)
        messages_written(path, bytes);
}

int outputs_close(struct outputs *out, bool keep, struct err *e)
{
    struct err ignored;
    int result = 0;

    for (unsigned i = 0; i < out->count; i++) {
        struct output *output = &out->list[i];

        if (output->to.out != NULL &&
            close_output(output, result == 0 ? e : &ignored) != 0)
            result = -1;
        if (output->fd < 0)
            continue;
        if (settle_output(output, keep && result == 0,
                          result == 0 ? e : &ignored) != 0)
            result = -1;
        else if (keep && result == 0)
            outputs_say(out, output->path, output->bytes);
    }
    return result;
}
