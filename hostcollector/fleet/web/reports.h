/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages between two processes. The process that answers by HTTP asks for
 * pages of guests. The other process makes them, because it can open files. A
 * question is a message. Its answer is a message with the descriptor of the
 * page.
 */
#ifndef TPROF_FLEET_WEB_REPORTS_H
#define TPROF_FLEET_WEB_REPORTS_H

#include <stdint.h>

#include "recording/spool/spool.h"

#define REPORTS_TIME  32u /* size of a time, NUL included */
#define REPORTS_BUILD 65u /* size of a build-id, NUL included */

/* Each text ends in a NUL, and has the form of the option with that name. */
struct reports_question {
    char guest[SPOOL_GUEST_MAX + 1];
    char since[REPORTS_TIME];
    char until[REPORTS_TIME];  /* "": now */
    char build[REPORTS_BUILD]; /* "": build-id of the first window */
};

struct reports_answer {
    /* 0: the descriptor has a text that says why there is no page */
    uint8_t done;
};

#endif
