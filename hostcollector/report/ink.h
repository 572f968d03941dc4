/* SPDX-License-Identifier: BSD-2-Clause */
/* Bold, red and faint, where a report may have them. Leaf. */
#ifndef TPROF_REPORT_INK_H
#define TPROF_REPORT_INK_H

#include "report/render.h"

enum ink { INK_PLAIN, INK_BOLD, INK_RED, INK_FAINT };

/* What follows is written in (ink). INK_PLAIN ends it: on the same line, since
 * less(1) ends it there. */
static inline void ink_set(FILE *out, const struct report *r, enum ink ink)
{
    static const char *const codes[] = {"\033[m", "\033[1m", "\033[1;31m",
                                        "\033[2m"};

    if (r->colour)
        (void)fputs(codes[ink], out);
}

#endif
