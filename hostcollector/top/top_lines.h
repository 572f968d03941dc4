/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines and blocks of a function in collector top. Part of top_session. */
#ifndef TPROF_TOP_TOP_LINES_H
#define TPROF_TOP_TOP_LINES_H

#include "top/top_session.h"
#include "util/err.h"

/* Show the selected function as the picture has it: it stays so until the key
 * comes again. Returns 0; -1 with (e) filled: there is no code, or no sample in
 * it. */
int top_lines_show(struct top_session *s, struct err *e);

#endif
