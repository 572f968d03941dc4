/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the names at the end of a recording. Part of recording. */
#ifndef TPROF_RECORDING_RECORDING_NAMES_H
#define TPROF_RECORDING_RECORDING_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/* Position of the first names of the recording (fd), in (*at). False if the
 * recording has no end chunk, or no names. */
bool recording_names_at(int fd, uint64_t *at);

#endif
