/* SPDX-License-Identifier: BSD-2-Clause */
/* collector push: sends the waiting recordings of its folders, once or until
 * Ctrl-C. */
#ifndef TPROF_FLEET_PUSH_PUSH_SESSION_H
#define TPROF_FLEET_PUSH_PUSH_SESSION_H

#include "fleet/push/push_config.h"
#include "util/err.h"

/* Returns an enum exit_code, with (e) filled if there is an error to show. */
int push_session_run(const struct push_config *o, struct err *e);

#endif
