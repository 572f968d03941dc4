/* SPDX-License-Identifier: BSD-2-Clause */
/* What went wrong, for whoever looks: the last events, each with a number. */
#ifndef PGO_JOURNAL_H
#define PGO_JOURNAL_H

#include <stdint.h>

/* A client's mistake. */
void journal_note(const char *what, uint64_t number);

/* A mistake of ours. */
void journal_fault(const char *what, uint64_t number);

/* How many there were. */
uint64_t journal_notes(void);
uint64_t journal_faults(void);

#endif
