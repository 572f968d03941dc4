/* SPDX-License-Identifier: BSD-2-Clause */
/* All that users may ask of commands. */
#include "cli/options.h"

#include <stdlib.h>

void options_init(struct options *o)
{
    *o = (struct options){.from = GUEST_CONFIG_DEFAULT};
}

void options_fini(struct options *o)
{
    for (unsigned i = 0; i < o->output.count; i++)
        free(o->output.copies[i]);
    guests_fini(&o->from.guests);
}
