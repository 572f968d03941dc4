/* SPDX-License-Identifier: BSD-2-Clause */
#include "annotate/blocks.h"

#include <capstone.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tprof_wire.h"
#include "util/cpu/cpu.h"
#include "util/text.h"

struct disasm {
    csh handle;
    cs_insn *insn; /* NULL: before cs_open() has succeeded */
};

/* capstone's names of the CPU (number), which is of the wire. */
static cs_err open_handle(const struct cpu *cpu, csh *handle)
{
    static const struct {
        cs_arch arch;
        cs_mode mode;
    } names[] = {[WIRE_ARCH_X86_64] = {CS_ARCH_X86, CS_MODE_64},
                 [WIRE_ARCH_AARCH64] = {CS_ARCH_ARM64, CS_MODE_ARM}};

    if (cpu->wire >= sizeof names / sizeof names[0])
        return CS_ERR_ARCH;
    return cs_open(names[cpu->wire].arch, names[cpu->wire].mode, handle);
}

struct disasm *disasm_new(const struct cpu *cpu)
{
    struct disasm *d = calloc(1, sizeof *d);

    if (d == NULL)
        return NULL;
    if (open_handle(cpu, &d->handle) == CS_ERR_OK) {
        d->insn = cs_malloc(d->handle);
        if (d->insn != NULL)
            return d;
        (void)cs_close(&d->handle);
    }
    free(d);
    return NULL;
}

void disasm_free(struct disasm *d)
{
    if (d == NULL)
        return;
    cs_free(d->insn, 1);
    (void)cs_close(&d->handle);
    free(d);
}

static void bytes_text(const uint8_t *code, size_t size, char buf[DISASM_TEXT])
{
    size_t used = (size_t)snprintf(buf, DISASM_TEXT, "db");

    for (size_t i = 0; i < size && used < DISASM_TEXT; i++)
        used += (size_t)snprintf(buf + used, DISASM_TEXT - used, "%s0x%02x",
                                 i == 0 ? " " : ", ", code[i]);
}

const char *disasm_text(struct disasm *d, const uint8_t *code, size_t size,
                        uint64_t address, char buf[DISASM_TEXT])
{
    char text[sizeof d->insn->mnemonic + sizeof d->insn->op_str + 8];
    const uint8_t *at = code;
    size_t left = size;

    if (!cs_disasm_iter(d->handle, &at, &left, &address, d->insn) ||
        left != 0) {
        bytes_text(code, size, buf);
        return buf;
    }
    bool bare = d->insn->op_str[0] == '\0';

    (void)snprintf(text, sizeof text, bare ? "%s" : "%-7s %s",
                   d->insn->mnemonic, d->insn->op_str);
    return text_escape(buf, DISASM_TEXT, text);
}
