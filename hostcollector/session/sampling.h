/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The session that collector, collector record and collector report share: all
 * guests in one fleet, Ctrl-C, the progress line, and the reports at the end.
 */
#ifndef TPROF_SESSION_SAMPLING_H
#define TPROF_SESSION_SAMPLING_H

#include "cli/options.h"
#include "cli/output.h"
#include "model/profile.h"

/* Called for each guest that did not fail, with its profile and the path of its
 * recording. */
typedef void (*sampling_done)(const char *recording, const struct profile *p);

/*
 * Sample the guests that (o) names, or read its input, until the end; then
 * write (out). If a guest fails, its report is written, then its error is
 * printed with the command's (name); the other guests go on. (done) may be
 * NULL.
 *
 * Returns an enum exit_code.
 */
int sampling_run(const char *name, const struct options *o, struct outputs *out,
                 sampling_done done);

#endif
