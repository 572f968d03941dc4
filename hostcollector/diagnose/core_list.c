/* SPDX-License-Identifier: BSD-2-Clause */
#include "diagnose/core_list.h"

#include <stdio.h>
#include <string.h>

/* Append (text), after a comma, to (list) of CORE_LIST_SIZE bytes. */
static void add(char *list, const char *text)
{
    size_t used = strlen(list);
    const char *comma = used == 0 ? "" : ", ";

    if (used <= CORE_LIST_SIZE - 24)
        (void)snprintf(list + used, CORE_LIST_SIZE - used, "%s%s", comma, text);
    else if (list[used - 1] != '.')
        (void)snprintf(list + used, CORE_LIST_SIZE - used, ", ...");
}

void core_list_span(char *list, size_t first, size_t last)
{
    char text[48];

    if (first == last)
        (void)snprintf(text, sizeof text, "%zu", first);
    else
        (void)snprintf(text, sizeof text, "%zu-%zu", first, last);
    add(list, text);
}

size_t core_list_find_of(const struct profile *p, core_test_of test,
                         const void *context, char *list)
{
    size_t found = 0, first = 0;
    bool inside = false;

    list[0] = '\0';
    for (size_t i = 0; i <= p->core_count; i++) {
        bool hit = i < p->core_count && test(&p->cores[i], context);

        found += hit;
        if (hit && !inside)
            first = i;
        if (!hit && inside)
            core_list_span(list, p->cores[first].core, p->cores[i - 1].core);
        inside = hit;
    }
    return found;
}

/* Apply a core_test, as a core_test_of. */
static bool passes(const struct profile_core *core, const void *test)
{
    return (*(const core_test *)test)(core);
}

size_t core_list_find(const struct profile *p, core_test test, char *list)
{
    return core_list_find_of(p, passes, &test, list);
}

bool core_list_any(const struct profile *p, core_test test)
{
    for (size_t i = 0; i < p->core_count; i++)
        if (test(&p->cores[i]))
            return true;
    return false;
}

bool core_delivered(const struct profile_core *core)
{
    return core->account.samples != 0;
}
