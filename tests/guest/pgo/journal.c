/* SPDX-License-Identifier: BSD-2-Clause */
#include "journal.h"

#define EVENTS 64

static struct event {
    const char *what;
    uint64_t number, order;
} events[EVENTS];
static uint64_t notes, faults;

static void put(const char *what, uint64_t number)
{
    uint64_t order = notes + faults;

    events[order % EVENTS] = (struct event){what, number, order};
}

void journal_note(const char *what, uint64_t number)
{
    put(what, number);
    notes++;
}

void journal_fault(const char *what, uint64_t number)
{
    put(what, number);
    faults++;
}

uint64_t journal_notes(void)
{
    return notes;
}

uint64_t journal_faults(void)
{
    return faults;
}
