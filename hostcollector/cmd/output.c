/* SPDX-License-Identifier: BSD-2-Clause */
/* From -o and --format to files. */
#include "cmd/output.h"

#include <string.h>

#define RECORDING                                                              \
    "tprof" /* name and suffix of the format that is no renderer */

static bool is_recording(const char *path, const char *format)
{
    const char *dot = strrchr(path, '.');

    if (format != NULL)
        return strcmp(format, RECORDING) == 0;
    return dot != NULL && strcmp(dot + 1, RECORDING) == 0;
}

static int add_output(struct outputs *out, const char *path, const char *format,
                      struct err *e)
{
    const struct render_ops *ops;
    char names[RENDER_NAMES];

    if (is_recording(path, format)) {
        if (out->recording != NULL || strcmp(path, "-") == 0)
            return err_set(e, "-o %s: one recording at a time, into a file",
                           path);
        out->recording = path;
        return 0;
    }
    ops = format != NULL ? render_by_name(format) : render_by_path(path);
    if (ops == NULL && format != NULL)
        return err_set(
            e, "--format: there is no '%s'; the formats are " RECORDING ", %s",
            format, render_names(names, false));
    if (ops == NULL)
        return err_set(
            e, "-o %s: add --format F; the formats are " RECORDING ", %s", path,
            render_names(names, false));
    out->list[out->count++] = (struct output){path, ops, NULL};
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

int outputs_plan(struct outputs *out, const struct options *o, bool table,
                 struct err *e)
{
    *out = (struct outputs){0};
    for (unsigned i = 0; i < o->output_count; i++) {
        if (add_output(out, o->outputs[i], o->format, e) != 0)
            return -1;
    }
    if (o->output_count == 0 && o->format != NULL &&
        add_output(out, "-", o->format, e) != 0)
        return -1;
    if (table && !uses_stdout(out))
        out->list[out->count++] = (struct output){"-", &render_txt, NULL};
    return 0;
}

/* Has everything reached (output)? */
static int check_written(const struct output *output, struct err *e)
{
    if (fflush(output->file) == 0 && ferror(output->file) == 0)
        return 0;
    return err_sys(e,
                   output->file == stdout ? "standard output" : output->path);
}

int outputs_open(struct outputs *out, struct err *e)
{
    struct err ignored;

    for (unsigned i = 0; i < out->count; i++) {
        struct output *output = &out->list[i];

        output->file =
            strcmp(output->path, "-") == 0 ? stdout : fopen(output->path, "w");
        if (output->file == NULL) {
            (void)err_sys(e, output->path);
            (void)outputs_close(out, &ignored);
            return -1;
        }
    }
    return 0;
}

int outputs_write(const struct outputs *out, const struct report *r,
                  struct err *e)
{
    for (unsigned i = 0; i < out->count; i++) {
        const struct output *output = &out->list[i];

        output->format->write(output->file, r);
        if (check_written(output, e) != 0)
            return -1;
    }
    return 0;
}

int outputs_overall(const struct outputs *out, const struct overall *o,
                    struct err *e)
{
    for (unsigned i = 0; i < out->count; i++) {
        const struct output *output = &out->list[i];

        if (output->format->overall != NULL)
            output->format->overall(output->file, o);
        if (check_written(output, e) != 0)
            return -1;
    }
    return 0;
}

int outputs_close(struct outputs *out, struct err *e)
{
    int result = 0;

    for (unsigned i = 0; i < out->count; i++) {
        struct output *output = &out->list[i];

        if (output->file != NULL && output->file != stdout &&
            fclose(output->file) != 0 && result == 0)
            result = err_sys(e, output->path);
        output->file = NULL;
    }
    return result;
}
