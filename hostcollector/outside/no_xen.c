/* SPDX-License-Identifier: BSD-2-Clause */
#include "outside/xen_keeper.h"

int xen_keeper_start(const char *domain, struct err *e)
{
    (void)domain;
    return err_set(e, "this collector was built without Xen's libraries: "
                      "install libxen-dev, and build it again");
}
