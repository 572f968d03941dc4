/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers of files for other tools. */
#include "export/export.h"

#include <math.h>

#include "view/view_build.h"

#define NS_PER_S 1e9
/* Nanoseconds of about half a century. Doubles are nearly exact up to there. */
#define NS_MAX   0x1p60

bool export_next(struct render *to, const struct report *r,
                 struct export_cursor *c)
{
    const struct profile_core *core = &r->profile->cores[c->core];

    for (; c->next <= core->entry_count; c->next++) {
        const struct tally *tally = c->next < core->entry_count
                                        ? &core->entries[c->next].tally
                                        : &core->others;

        if (tally->samples == 0)
            continue;
        c->entry = c->next++;
        if (view_path_of(r->view, c->core, c->entry, &c->path))
            return true;
        to->no_memory = true;
        return false;
    }
    return false;
}

uint64_t export_ns(const struct profile *p, double ticks)
{
    double ns = p->tsc_hz != 0 ? ticks * NS_PER_S / (double)p->tsc_hz : ticks;

    return !(ns > 0)     ? 0
           : ns < NS_MAX ? (uint64_t)llround(ns)
                         : (uint64_t)NS_MAX;
}

const char *export_unit(const struct profile *p)
{
    return p->tsc_hz != 0 ? "nanoseconds" : "ticks";
}

void export_folded_name(FILE *out, const char *name)
{
    for (; *name != '\0'; name++)
        (void)putc(*name == ';' ? ':' : *name, out);
}
