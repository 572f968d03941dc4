/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Facts about addresses whose code is missing, as read from a recording. Part
 * of frame_place.
 */
#ifndef TPROF_IMAGE_CODE_RECORDED_CODE_H
#define TPROF_IMAGE_CODE_RECORDED_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/code/frame_place.h"

struct recorded_code;

/* Create an empty store of facts. Returns NULL if there is no memory. */
struct recorded_code *recorded_code_new(void);

/* Set or get whether the writer of the recording had the code. */
void recorded_code_set_known(struct recorded_code *t, bool known);
bool recorded_code_known(const struct recorded_code *t);

/* Release (t). NULL is allowed. */
void recorded_code_free(struct recorded_code *t);

/*
 * Keep (facts) of (pc).
 *
 * Returns:
 * - 0
 * - -1 if there is no memory
 */
int recorded_code_learn(struct recorded_code *t, uint64_t pc,
                        const struct code_facts *facts);

/* Returns the facts kept for (pc). If there are no facts about (pc), every fact
 * is "unknown". */
struct code_facts recorded_code_facts(const struct recorded_code *t,
                                      uint64_t pc);

/* Memory of (t) in bytes. */
size_t recorded_code_bytes(const struct recorded_code *t);

#endif
