/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The session that collector, collector record and collector report share: all
 * guests in one loop, Ctrl-C, the progress line, and the reports at the end.
 */
#ifndef TPROF_SESSION_SAMPLING_H
#define TPROF_SESSION_SAMPLING_H

#include "cli/options.h"
#include "cli/output.h"
#include "model/profile.h"
#include "session/report_part.h"

/* Called for each guest that did not fail, with its profile and the path of its
 * recording. */
typedef void (*sampling_done)(const char *recording, const struct profile *p);

struct sampling_job {
    const char *command; /* before each message: "collector report" */
    const struct options *options;
    struct outputs *outputs;
    const struct report_part *part; /* NULL: none */
    /* Signals do not end the report. collector run passes signals on, and a
     * signal is how it reports the guest's end. */
    bool supervised;
    bool keys_taken; /* QEMU has the terminal's keys, so Ctrl-C does not end
                        sampling */
    const char *max_size; /* as typed; NULL: a recording has no limit */
    /* Origin for reports of collector push, which signals do not end; or
     * NULL. */
    const struct origin *origin;
    sampling_done done; /* or NULL */
};

/*
 * Sample the guests that the options of (job) name, or read their input, until
 * the end. Then write the outputs. If a guest fails, its report is written,
 * then its error is printed; the other guests go on. Returns an enum
 * exit_code.
 */
int sampling_run(const struct sampling_job *job);

#endif
