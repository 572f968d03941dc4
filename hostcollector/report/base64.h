/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes as text. Leaf. */
#ifndef TPROF_REPORT_BASE64_H
#define TPROF_REPORT_BASE64_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Write (size) bytes to (out) as base64, padded: of several pieces of a text
 * each but the last has a multiple of three. */
void base64_write(FILE *out, const uint8_t *bytes, size_t size);

#endif
