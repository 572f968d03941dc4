/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One run of a pipeline with a user before it: Ctrl-C, the progress line, the
 * check of the guest's image, and the report in the end.
 */
#ifndef TPROF_CMD_SESSION_H
#define TPROF_CMD_SESSION_H

#include "cmd/options.h"
#include "cmd/output.h"
#include "pipeline.h"
#include "util/err.h"

struct session;

/*
 * A session that reads (source), which it owns from now on, also if this
 * fails. (o) and (out) must outlive it.
 *
 * Returns NULL with (e) filled.
 */
struct session *session_new(struct source *source, const struct options *o,
                            const struct outputs *out, struct err *e);

/*
 * Read until the end, then write all outputs.
 *
 * Returns 0; -1 with (e) filled, after reporting on what came until then.
 */
int session_run(struct session *s, struct err *e);

/* What was gathered; NULL before session_run(), and if it came to nothing. */
const struct profile *session_profile(const struct session *s);

/* Release (s). NULL is allowed. */
void session_free(struct session *s);

#endif
