/* SPDX-License-Identifier: BSD-2-Clause */
/* Bold, red and faint text in reports with colour. Leaf. */
#ifndef TPROF_REPORT_INK_H
#define TPROF_REPORT_INK_H

#include "report/render.h"

enum ink { INK_PLAIN, INK_BOLD, INK_RED, INK_FAINT };

/* Write the following text in (ink). Set INK_PLAIN before the end of the line,
 * because less(1) ends every style there. */
static inline void ink_set(FILE *out, const struct report *r, enum ink ink)
{
    static const char *const codes[] = {"\033[m", "\033[1m", "\033[1;31m",
                                        "\033[2m"};

    if (r->colour)
        (void)fputs(codes[ink], out);
}

#endif
