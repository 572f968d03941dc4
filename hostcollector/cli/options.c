/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/options.h"

#include <stdlib.h>

void options_fini(struct options *o)
{
    for (unsigned i = 0; i < o->output.count; i++)
        free(o->output.copies[i]);
    guests_fini(&o->from.guests);
}
