/* SPDX-License-Identifier: BSD-2-Clause */
/* Warns of stacks that were folded because memory was full. */
#include "diagnose/memory_remarks.h"

#include <inttypes.h>
#include <stdio.h>

#include "util/text.h"

/* The warning suggests so many times the memory. */
#define MORE 4u

/* "12 small branches", "3 samples", or both. */
static void list_folded(char *list, size_t size, uint64_t branches,
                        uint64_t samples)
{
    char some[TEXT_NUMBER], more[TEXT_NUMBER];

    (void)snprintf(list, size, "%s%s%s%s%s",
                   branches != 0 ? text_count(some, branches) : "",
                   branches != 0 ? " small branches" : "",
                   branches != 0 && samples != 0 ? " and the stacks of " : "",
                   samples != 0 ? text_count(more, samples) : "",
                   samples != 0 ? " samples" : "");
}

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * (part < whole ? part / whole : 1) : 0;
}

void memory_remarks_diagnose(struct remarks *r, const struct profile *p,
                             const struct view *v, uint64_t memory, bool alone)
{
    uint64_t samples = 0;
    char list[2 * TEXT_NUMBER + 64], given[TEXT_SIZE], more[TEXT_SIZE];

    for (size_t i = 0; i < p->core_count; i++)
        samples += p->cores[i].folded;
    if (samples == 0 && v->folded == 0)
        return;
    list_folded(list, sizeof list, v->folded, samples);
    remarks_warn(
        r,
        "%s were folded into [others], since %s--memory %s was used "
        "up; %.1f %% of the busy time is there. For more give --memory "
        "%s, or report a part of the time by --time.",
        list, alone ? "" : "this guest's share of ", text_size(given, memory),
        percent(v->others.time, v->total.busy.time),
        text_size(more, MORE * memory));
}
