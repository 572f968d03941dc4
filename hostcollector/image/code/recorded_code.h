/* SPDX-License-Identifier: BSD-2-Clause */
/* What is told of addresses whose code is not at hand. Part of frame_place. */
#ifndef TPROF_IMAGE_CODE_RECORDED_CODE_H
#define TPROF_IMAGE_CODE_RECORDED_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/code/frame_place.h"

struct told_code;

/* NULL if there is no memory. */
struct told_code *told_code_new(void);

/* Had whoever tells the code? */
void told_code_set_known(struct told_code *t, bool known);
bool told_code_known(const struct told_code *t);

/* Release (t). NULL is allowed. */
void told_code_free(struct told_code *t);

/* Keep (facts) of (pc). Returns 0; -1 if there is no memory. */
int told_code_learn(struct told_code *t, uint64_t pc,
                    const struct code_facts *facts);

/* What was told of (pc); nothing is known of others. */
struct code_facts told_code_facts(const struct told_code *t, uint64_t pc);

/* Bytes that (t) takes. */
size_t told_code_bytes(const struct told_code *t);

#endif
