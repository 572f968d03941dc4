/* SPDX-License-Identifier: BSD-2-Clause */
/* What clients send: requests drawn at random, ahead of time. */
#ifndef PGO_LOAD_H
#define PGO_LOAD_H

#include "text.h"

#define LOAD_REQUESTS 4096

/* Of mix 1, mostly reads of sessions, or 2, where writers have more to say and
 * keys are others. */
void load_make(unsigned mix);

struct text load_request(size_t number);

#endif
