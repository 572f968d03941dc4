/* SPDX-License-Identifier: BSD-2-Clause */
/* Records that define a stack: WIRE.md 5. */
#ifndef TPROF_PROFILE_DECODE_STACK_RECORD_H
#define TPROF_PROFILE_DECODE_STACK_RECORD_H

#include "profile/decode/samples.h"
#include "util/cursor.h"

/*
 * Read a STACK or a STACK_AT record of (core) from (c), which stands after the
 * record's type, and call events.stack. The stack's id stays unknown if the
 * record is wrong, or refers to a stack that was lost.
 *
 * Return NULL; or a text that says what is wrong with the record.
 */
const char *stack_record(struct samples_decoder *d, struct core *core,
                         struct cursor *c);
const char *stack_at_record(struct samples_decoder *d, struct core *core,
                            struct cursor *c);

#endif
