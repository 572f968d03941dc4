/* SPDX-License-Identifier: BSD-2-Clause */
/* All that users may ask of commands. */
#include "cli/options.h"

#include <stdlib.h>

#define DEFAULT_MEMORY (1ull << 30)

void options_init(struct options *o)
{
    *o = (struct options){.wait_s = -1, .memory = DEFAULT_MEMORY};
}

void options_fini(struct options *o)
{
    for (unsigned i = 0; i < o->output.count; i++)
        free(o->output.copies[i]);
    guests_fini(&o->guests);
}
