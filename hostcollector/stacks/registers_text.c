/* SPDX-License-Identifier: BSD-2-Clause */
#include "stacks/registers_text.h"

#include <inttypes.h>

#define COLUMNS 3

static const char *const names[REGISTERS] = {
    [REGISTER_RIP] = "rip",    [REGISTER_RSP] = "rsp",
    [REGISTER_RBP] = "rbp",    [REGISTER_RAX] = "rax",
    [REGISTER_RBX] = "rbx",    [REGISTER_RCX] = "rcx",
    [REGISTER_RDX] = "rdx",    [REGISTER_RSI] = "rsi",
    [REGISTER_RDI] = "rdi",    [REGISTER_R8] = "r8",
    [REGISTER_R8 + 1] = "r9",  [REGISTER_R8 + 2] = "r10",
    [REGISTER_R8 + 3] = "r11", [REGISTER_R8 + 4] = "r12",
    [REGISTER_R8 + 5] = "r13", [REGISTER_R8 + 6] = "r14",
    [REGISTER_R15] = "r15",    [REGISTER_RFLAGS] = "rflags",
    [REGISTER_CS] = "cs",      [REGISTER_CR0] = "cr0",
    [REGISTER_CR3] = "cr3",    [REGISTER_CR4] = "cr4",
    [REGISTER_EFER] = "efer",
};

/* Returns the number of known registers. In 64-bit code paging is on, so CR0
 * and EFER are not 0. */
static unsigned count(const struct registers *r)
{
    if (r->value[REGISTER_CR0] == 0)
        return REGISTER_CR0;
    return r->value[REGISTER_EFER] != 0 ? REGISTERS : REGISTER_EFER;
}

void registers_text(FILE *out, const struct registers *r, int indent)
{
    unsigned known = count(r);

    for (unsigned i = 0; i < known; i++) {
        bool last = i % COLUMNS == COLUMNS - 1 || i + 1 == known;

        (void)fprintf(out, "%*s%-6s %016" PRIx64 "%s",
                      i % COLUMNS == 0 ? indent : 2, "", names[i], r->value[i],
                      last ? "\n" : "");
    }
}

void registers_json(struct json_object *o, const struct registers *r)
{
    struct json_object inner = json_inner(o, "registers");

    for (unsigned i = 0; i < count(r); i++)
        (void)fprintf(json_member(&inner, names[i]), "\"0x%" PRIx64 "\"",
                      r->value[i]);
    json_end(&inner);
}
