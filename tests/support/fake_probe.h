/* SPDX-License-Identifier: BSD-2-Clause */
/* Stands in for probe.S, of which one address is not mapped. */
#ifndef FAKE_PROBE_H
#define FAKE_PROBE_H

#include <stdint.h>

extern uint64_t fake_probe_hole; /* 0: all is mapped */

#endif
