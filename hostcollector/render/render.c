/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of formats. */
#include "render/render.h"

#include <stdio.h>
#include <string.h>

static const struct render_ops *const formats[] = {
    &render_txt,
    &render_folded,
};

#define FORMATS (sizeof formats / sizeof formats[0])

const struct render_ops *render_by_name(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++) {
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    }
    return NULL;
}

const struct render_ops *render_by_path(const char *path)
{
    const char *dot = strrchr(path, '.');

    if (dot == NULL || strchr(dot, '/') != NULL)
        return NULL;
    for (size_t i = 0; i < FORMATS; i++) {
        if (strcmp(formats[i]->suffix, dot + 1) == 0)
            return formats[i];
    }
    return NULL;
}

const char *render_names(char buf[RENDER_NAMES], bool with_what)
{
    size_t used = 0;

    buf[0] = '\0';
    for (size_t i = 0; i < FORMATS && used < RENDER_NAMES; i++)
        used += (size_t)snprintf(buf + used, RENDER_NAMES - used, "%s%s%s%s",
                                 i != 0 ? ", " : "", formats[i]->name,
                                 with_what ? " " : "",
                                 with_what ? formats[i]->what : "");
    return buf;
}
