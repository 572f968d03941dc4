/* SPDX-License-Identifier: BSD-2-Clause */
/* Text of guests inside Markdown (GitHub's and CommonMark), where the text
 * cannot become a link, a mention, an element or a cell of a table. Leaf. */
#ifndef TPROF_REPORT_MARKDOWN_TEXT_H
#define TPROF_REPORT_MARKDOWN_TEXT_H

#include <stdio.h>

/* Write (s), a string without control characters, as code within a line. (s)
 * may stand in a cell of a table. */
void markdown_text_code(FILE *out, const char *s);

/* Write the lines of (s) as a block of code between empty lines. */
void markdown_text_block(FILE *out, const char *s);

#endif
