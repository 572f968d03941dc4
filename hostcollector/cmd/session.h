/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One run of a pipeline with a user before it: Ctrl-C, the progress line, the
 * check of the guest's image, and the report in the end.
 */
#ifndef TPROF_CMD_SESSION_H
#define TPROF_CMD_SESSION_H

#include "cmd/options.h"
#include "cmd/output.h"
#include "model/profile.h"
#include "source/source.h"

/* Called with what was gathered, when all went well. */
typedef void (*session_done)(const struct outputs *out,
                             const struct profile *p);

/*
 * Read (source), which is closed in any case, until the end; then write (out).
 * An error is printed as command (name)'s, after a report on what came until
 * then. (done) may be NULL.
 *
 * Returns an enum exit_code.
 */
int session_run(const char *name, struct source *source,
                const struct options *o, const struct outputs *out,
                session_done done);

#endif
