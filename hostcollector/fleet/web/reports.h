/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the process that answers by HTTP asks another one for: the page of a
 * guest, which takes files that the first one cannot open. Over a socket of
 * messages: a question, and an answer with the descriptor of what is shown.
 */
#ifndef TPROF_FLEET_WEB_REPORTS_H
#define TPROF_FLEET_WEB_REPORTS_H

#include <stdint.h>

#include "recording/spool/spool.h"

#define REPORTS_TIME  32u /* bytes of a moment, NUL included */
#define REPORTS_BUILD 65u /* of a build-id, likewise */

/* Each ends in a NUL, and is as the option of that name has it. */
struct reports_question {
    char guest[SPOOL_GUEST_MAX + 1];
    char since[REPORTS_TIME];
    char until[REPORTS_TIME];  /* "": now */
    char build[REPORTS_BUILD]; /* "": that of the first window */
};

struct reports_answer {
    uint8_t done; /* else the descriptor has a text that says why not */
};

#endif
