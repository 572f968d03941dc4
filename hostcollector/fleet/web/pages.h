/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `collector serve` tells of itself by HTTP: a page for people, numbers
 * for Prometheus, a word for whoever restarts it. Each is a function of the
 * status table and of the time (now_ms), since 1970.
 */
#ifndef TPROF_FLEET_WEB_PAGES_H
#define TPROF_FLEET_WEB_PAGES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "fleet/windows/status.h"

/* Write the page of all guests to (out), as HTML that asks for nothing else and
 * reads itself again every few seconds. */
void pages_overview(FILE *out, const struct status *s, uint64_t now_ms);

/* Write all numbers to (out) in Prometheus' text format, version 0.0.4. */
void pages_metrics(FILE *out, const struct status *s, uint64_t now_ms);

/* Write to (out), in a sentence, whether the serving loop is alive, which gives
 * a sign at least once a second. Returns whether it is. */
bool pages_health(FILE *out, const struct status *s, uint64_t now_ms);

#endif
