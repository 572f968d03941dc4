/* SPDX-License-Identifier: BSD-2-Clause */
/* collector push: sends what waits in its folders, once or until Ctrl-C. */
#ifndef TPROF_FLEET_PUSH_PUSH_SESSION_H
#define TPROF_FLEET_PUSH_PUSH_SESSION_H

#include "cli/options.h"
#include "util/err.h"

/* Returns an enum exit_code, with (e) filled if there is something to say. */
int push_session_run(const struct options *o, struct err *e);

#endif
