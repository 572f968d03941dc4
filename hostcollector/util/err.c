/* SPDX-License-Identifier: BSD-2-Clause */
/* The reason of a failure, as one line for the user. */
#include "util/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/text.h"

/* names from a guest or a file may contain terminal escapes */
static void make_harmless(char *text)
{
    while (*text != '\0') {
        size_t n = text_character(text);

        if (n == 0)
            *text = '?';
        text += n != 0 ? n : 1;
    }
}

int err_set(struct err *e, const char *fmt, ...)
{
    va_list args;

    if (e == NULL)
        return -1;
    va_start(args, fmt);
    (void)vsnprintf(e->text, sizeof e->text, fmt, args);
    va_end(args);
    make_harmless(e->text);
    return -1;
}

int err_sys(struct err *e, const char *what)
{
    return err_set(e, "%s: %s", what, strerror(errno));
}

int err_memory(struct err *e)
{
    return err_set(e, "out of memory");
}
