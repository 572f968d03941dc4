/* SPDX-License-Identifier: BSD-2-Clause */
#include "export/formats.h"

#include <stdio.h>
#include <string.h>

#include "report/render.h"
#include "util/text.h"

static const struct render_ops *const formats[] = {
    &render_txt,       &render_folded,     &render_html,     &render_json,
    &render_csv,       &render_pprof,      &render_firefox,  &render_speedscope,
    &render_callgrind, &render_perfscript, &render_perfdata, &render_perfetto,
    &render_svg,       &render_markdown,   &render_waits,
};

#define FORMATS (sizeof formats / sizeof formats[0])

const struct render_ops *format_by_name(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++) {
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    }
    return NULL;
}

/* Does the name of the file (path) end in a dot and (suffix)? Or is the whole
 * name (suffix), as perf.data is? */
static bool has_suffix(const char *path, const char *suffix)
{
    const char *name = text_base_name(path);
    size_t length = strlen(name), end = strlen(suffix);

    if (length <= end)
        return strchr(suffix, '.') != NULL && strcmp(name, suffix) == 0;
    return name[length - end - 1] == '.' &&
           strcmp(name + length - end, suffix) == 0;
}

const struct render_ops *format_by_path(const char *path)
{
    const struct render_ops *found = NULL;

    for (size_t i = 0; i < FORMATS; i++) {
        if (has_suffix(path, formats[i]->suffix) &&
            (found == NULL ||
             strlen(formats[i]->suffix) > strlen(found->suffix)))
            found = formats[i];
    }
    return found;
}

const char *format_names(char buf[FORMAT_NAMES])
{
    size_t used = 0;

    buf[0] = '\0';
    for (size_t i = 0; i < FORMATS && used < FORMAT_NAMES; i++)
        used += (size_t)snprintf(buf + used, FORMAT_NAMES - used, "%s%s",
                                 i != 0 ? ", " : "", formats[i]->name);
    return buf;
}
