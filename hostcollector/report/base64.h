/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes bytes as base64. Leaf. */
#ifndef TPROF_REPORT_BASE64_H
#define TPROF_REPORT_BASE64_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Write (size) bytes to (out) as base64, with padding. Several calls may write
 * one text. In all calls but the last, (size) is a multiple of three. */
void base64_write(FILE *out, const uint8_t *bytes, size_t size);

#endif
