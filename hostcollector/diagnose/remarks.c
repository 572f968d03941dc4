/* SPDX-License-Identifier: BSD-2-Clause */
/* Remarks for the reader of a report. */
#include "diagnose/remarks.h"

#include <stdarg.h>
#include <stdio.h>

#include "util/text.h"

static void add_remark(struct remarks *r, bool warning, const char *fmt,
                       va_list args) __attribute__((format(printf, 3, 0)));

static void add_remark(struct remarks *r, bool warning, const char *fmt,
                       va_list args)
{
    char text[REMARK_SIZE];

    if (r->count == REMARKS_MAX)
        return;
    (void)vsnprintf(text, sizeof text, fmt, args);

    struct remark *remark = &r->list[r->count++];
    *remark = (struct remark){.warning = warning};
    text_escape(remark->text, sizeof remark->text, text);
}

void remarks_warn(struct remarks *r, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add_remark(r, true, fmt, args);
    va_end(args);
}

void remarks_note_first(struct remarks *r, const char *fmt, ...)
{
    size_t before = r->count;
    va_list args;

    va_start(args, fmt);
    add_remark(r, false, fmt, args);
    va_end(args);
    if (r->count > before)
        r->list[before].first = true;
}

void remarks_note(struct remarks *r, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add_remark(r, false, fmt, args);
    va_end(args);
}
