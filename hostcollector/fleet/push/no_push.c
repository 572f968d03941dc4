/* SPDX-License-Identifier: BSD-2-Clause */
/* collector push, if libcurl or libmd was missing when it was built. */
#include "cli/command.h"
#include "fleet/push/push_session.h"
#include "fleet/push/receivers/receiver.h"

int push_session_run(const struct push_config *o, struct err *e)
{
    (void)o;
    (void)err_set(e, "this collector was built without libcurl or libmd "
                     "(Debian: libcurl4-openssl-dev, libmd-dev)");
    return EXIT_FAILED;
}

const char *receiver_names(void)
{
    return "";
}
