/* SPDX-License-Identifier: BSD-2-Clause */
/* What is done with a guest that is looked at from outside. */
#ifndef TPROF_FUZZ_LOOKED_H
#define TPROF_FUZZ_LOOKED_H

#include "outside/outside_guest.h"

/* Look at (g) a few times, as far as it lets itself be looked at, and close it.
 * Aborts where it breaks its contract. */
void looked(struct outside_guest *g);

#endif
