/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What OpenTelemetry's checker of profiles asks of a request, and what the
 * comments of its schema ask beyond that.
 */
#ifndef TPROF_OTLP_RULES_H
#define TPROF_OTLP_RULES_H

#include <jansson.h>

/* The first rule that (request), as otlp_read() returns it, breaks; NULL if it
 * keeps all. The text lives until the next call. */
const char *otlp_breaks(const json_t *request);

#endif
