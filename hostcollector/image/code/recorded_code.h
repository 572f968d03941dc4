/* SPDX-License-Identifier: BSD-2-Clause */
/* What is told of addresses whose code is not at hand. Part of frame_place. */
#ifndef TPROF_IMAGE_CODE_RECORDED_CODE_H
#define TPROF_IMAGE_CODE_RECORDED_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/code/frame_place.h"

struct recorded_code;

/* NULL if there is no memory. */
struct recorded_code *recorded_code_new(void);

/* Had whoever tells the code? */
void recorded_code_set_known(struct recorded_code *t, bool known);
bool recorded_code_known(const struct recorded_code *t);

/* Release (t). NULL is allowed. */
void recorded_code_free(struct recorded_code *t);

/* Keep (facts) of (pc). Returns 0; -1 if there is no memory. */
int recorded_code_learn(struct recorded_code *t, uint64_t pc,
                        const struct code_facts *facts);

/* What was told of (pc); nothing is known of others. */
struct code_facts recorded_code_facts(const struct recorded_code *t,
                                      uint64_t pc);

/* Bytes that (t) takes. */
size_t recorded_code_bytes(const struct recorded_code *t);

#endif
