/* SPDX-License-Identifier: BSD-2-Clause */
/* What host.c and hear.c share. */
#ifndef HEAR_H
#define HEAR_H

#include "host.h"
#include "model/events.h"

/* The decoder's events into a struct host, their context. */
extern const struct events host_events;

/* Print the accounts, which help to understand a failed test. */
void host_print(const struct host *h);

#endif
