/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * OpenTelemetry's request for profiles, release 1.11.0, read by its field
 * numbers and by nothing of the collector's.
 */
#ifndef TPROF_OTLP_READ_H
#define TPROF_OTLP_READ_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

/*
 * The message of (size) bytes as what it is in OpenTelemetry's JSON: names in
 * camelCase, integers of 64 bits as strings, bytes as hexadecimal digits, and
 * no field that is not there. A message that is none, or has a field without a
 * name, or one twice, fails the case. The caller releases it.
 */
json_t *otlp_read(const uint8_t *bytes, size_t size);

#endif
