/* SPDX-License-Identifier: BSD-2-Clause */
#include "stacks/registers_text.h"

#include <inttypes.h>

#include "util/cpu/cpu.h"

#define COLUMNS 3

void registers_text(FILE *out, const struct cpu *cpu, const struct registers *r,
                    int indent)
{
    unsigned known = cpu->shown_known(r->value);

    for (unsigned i = 0; i < known; i++) {
        bool last = i % COLUMNS == COLUMNS - 1 || i + 1 == known;

        (void)fprintf(out, "%*s%-6s %016" PRIx64 "%s",
                      i % COLUMNS == 0 ? indent : 2, "", cpu->shown_names[i],
                      r->value[i], last ? "\n" : "");
    }
}

void registers_json(struct json_object *o, const struct cpu *cpu,
                    const struct registers *r)
{
    struct json_object inner = json_inner(o, "registers");

    for (unsigned i = 0; i < cpu->shown_known(r->value); i++)
        (void)fprintf(json_member(&inner, cpu->shown_names[i]),
                      "\"0x%" PRIx64 "\"", r->value[i]);
    json_end(&inner);
}
