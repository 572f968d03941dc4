/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers as text and for programs. */
#ifndef TPROF_STACKS_REGISTERS_TEXT_H
#define TPROF_STACKS_REGISTERS_TEXT_H

#include <stdio.h>

#include "model/registers.h"
#include "report/json_object.h"

struct cpu;

/* Write three registers on each line, indented by (indent) blanks. */
void registers_text(FILE *out, const struct cpu *cpu, const struct registers *r,
                    int indent);

/* Add the member "registers" to (o). */
void registers_json(struct json_object *o, const struct cpu *cpu,
                    const struct registers *r);

#endif
