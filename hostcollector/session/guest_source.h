/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the source of a run, and adds remarks about its end. */
#ifndef TPROF_SESSION_GUEST_SOURCE_H
#define TPROF_SESSION_GUEST_SOURCE_H

#include "session/guest_run.h"

/* The source that the options of (r) name. NULL with (e) filled. */
struct source *guest_source_open(struct guest_run *r, struct err *e);

/* Add remarks on how what was read has ended. */
void guest_source_remark(struct guest_run *r);

/* Return the argument with which 'collector report' reads (r) again; NULL if
 * there is none. */
const char *guest_source_recording(const struct guest_run *r);

#endif
