/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pages of `collector serve` by HTTP: one for people, numbers for Prometheus,
 * and a health check. Each is a function of the status table and of the time
 * (now_ms), since 1970.
 */
#ifndef TPROF_FLEET_WEB_WEB_PAGES_H
#define TPROF_FLEET_WEB_WEB_PAGES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "fleet/windows/status.h"

/* Write the page of all guests to (out), as HTML that needs no other file. The
 * page reloads itself every few seconds. With (still) it does not, because a
 * screen reader begins a reloaded page again. */
void pages_overview(FILE *out, const struct status *s, uint64_t now_ms,
                    bool still);

/* Write all numbers to (out) in Prometheus' text format, version 0.0.4. */
void pages_metrics(FILE *out, const struct status *s, uint64_t now_ms);

/* Write a sentence to (out) that says whether the serving loop is alive. The
 * loop is alive if it has given a sign in the last seconds. Returns whether it
 * is. */
bool pages_health(FILE *out, const struct status *s, uint64_t now_ms);

#endif
