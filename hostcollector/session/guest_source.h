/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the bytes of a run come from, and what a reader must know of that. */
#ifndef TPROF_SESSION_GUEST_SOURCE_H
#define TPROF_SESSION_GUEST_SOURCE_H

#include "session/guest_run.h"

/* The source that the options of (r) name. NULL with (e) filled. */
struct source *guest_source_open(struct guest_run *r, struct err *e);

/* Add remarks on how what was read has ended. */
void guest_source_remark(struct guest_run *r);

/* What 'collector report' would take to report on (r) again; NULL: nothing. */
const char *guest_source_recording(const struct guest_run *r);

#endif
