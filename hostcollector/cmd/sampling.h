/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A command's work with a user before it: all guests in one fleet, Ctrl-C, the
 * progress line, and the reports in the end.
 */
#ifndef TPROF_CMD_SAMPLING_H
#define TPROF_CMD_SAMPLING_H

#include "cmd/options.h"
#include "cmd/output.h"
#include "model/profile.h"

/* Called for each guest of which all went well, with what was gathered and the
 * path of its recording. */
typedef void (*sampling_done)(const char *recording, const struct profile *p);

/*
 * Sample the guests that (o) names, or read its input, until the end; then
 * write (out). An error is printed as command (name)'s, after a report on what
 * came until then, and is no other guest's. (done) may be NULL.
 *
 * Returns an enum exit_code.
 */
int sampling_run(const char *name, const struct options *o, struct outputs *out,
                 sampling_done done);

#endif
