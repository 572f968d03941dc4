/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines and blocks of a function in collector top. Part of top_session. */
#ifndef TPROF_TOP_TOP_LINES_H
#define TPROF_TOP_TOP_LINES_H

#include "top/top_session.h"

/* Show the selected function with the samples of the current picture. The text
 * does not change until the key is pressed again. Show the reason if the
 * function has no code or no samples. */
void top_lines_show(struct top_session *s);

#endif
