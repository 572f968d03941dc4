/* SPDX-License-Identifier: BSD-2-Clause */
/* Serves guests that come and go, until the user stops. */
#ifndef TPROF_FLEET_SERVE_SERVE_SESSION_H
#define TPROF_FLEET_SERVE_SERVE_SESSION_H

#include "fleet/serve/serve_config.h"

/* Returns an enum exit_code. A line on stderr says what failed. */
int serve_session_run(const struct serve_config *o);

#endif
