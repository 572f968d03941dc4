/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The form is that of QEMU's x86_cpu_dump_state() and memory_dump(): names
 * before an equals sign, hexadecimal digits behind it. Code that is not 64 bits
 * wide has EAX for RAX, and no R8.
 */
#include "outside/monitor_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/bytes.h"

struct field {
    const char *name, *narrow; /* of 64-bit code, and of other code */
    size_t offset;             /* in struct outside_registers */
};

#define GENERAL(number)                                                        \
    (offsetof(struct outside_registers, general) + (number) * sizeof(uint64_t))
#define MEMBER(name) offsetof(struct outside_registers, name)

/* As QEMU writes them behind each other. */
static const struct field fields[] = {
    {"RAX", "EAX", GENERAL(OUTSIDE_RAX)},
    {"RBX", "EBX", GENERAL(OUTSIDE_RBX)},
    {"RCX", "ECX", GENERAL(OUTSIDE_RCX)},
    {"RDX", "EDX", GENERAL(OUTSIDE_RDX)},
    {"RSI", "ESI", GENERAL(OUTSIDE_RSI)},
    {"RDI", "EDI", GENERAL(OUTSIDE_RDI)},
    {"RBP", "EBP", GENERAL(OUTSIDE_RBP)},
    {"RSP", "ESP", GENERAL(OUTSIDE_RSP)},
    {"R8", NULL, GENERAL(OUTSIDE_R8)},
    {"R9", NULL, GENERAL(OUTSIDE_R8 + 1)},
    {"R10", NULL, GENERAL(OUTSIDE_R8 + 2)},
    {"R11", NULL, GENERAL(OUTSIDE_R8 + 3)},
    {"R12", NULL, GENERAL(OUTSIDE_R8 + 4)},
    {"R13", NULL, GENERAL(OUTSIDE_R8 + 5)},
    {"R14", NULL, GENERAL(OUTSIDE_R8 + 6)},
    {"R15", NULL, GENERAL(OUTSIDE_R15)},
    {"RIP", "EIP", MEMBER(pc)},
    {"RFL", "EFL", MEMBER(flags)},
    {"CS", "CS", MEMBER(cs)},
    {"CR0", "CR0", MEMBER(cr0)},
    {"CR3", "CR3", MEMBER(cr3)},
    {"CR4", "CR4", MEMBER(cr4)},
    {"EFER", "EFER", MEMBER(efer)},
};

/* Text between two places. */
struct span {
    const char *at, *end;
};

/* The text of (s) behind "(name) ="; at NULL if that is not there. */
static struct span behind(struct span s, const char *name)
{
    size_t size = strlen(name);

    while ((s.at = memmem(s.at, (size_t)(s.end - s.at), name, size)) != NULL) {
        s.at += size;
        while (s.at < s.end && *s.at == ' ')
            s.at++;
        if (s.at < s.end && *s.at == '=')
            return (struct span){s.at + 1, s.end};
    }
    return s;
}

/* Core's registers, which (s) begins with. Returns what it has not; NULL if all
 * are there. */
static const char *read_core(struct span s, struct outside_registers *to)
{
    *to = (struct outside_registers){.is_wide = behind(s, "RIP").at != NULL};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const struct field *f = &fields[i];
        const char *name = to->is_wide ? f->name : f->narrow;
        struct span rest = {NULL, NULL};

        if (name != NULL)
            rest = behind(s, name);
        if (rest.at == NULL) {
            /* a 32-bit machine has no EFER */
            if (name != NULL && (to->is_wide || f->offset != MEMBER(efer)))
                return name;
            continue;
        }

        uint64_t value = strtoull(rest.at, NULL, 16);

        if (f->offset == MEMBER(cs))
            to->cs = (uint16_t)value;
        else
            memcpy((char *)to + f->offset, &value, sizeof value);
        s = rest;
    }
    return NULL;
}

int monitor_text_registers(const char *text, const uint32_t *cpu_index,
                           uint32_t count, struct outside_registers *to,
                           struct err *e)
{
    uint32_t i = 0;
    const char *next = strstr(text, "CPU#");

    while (i < count && next != NULL) {
        char *at;
        unsigned long index = strtoul(next + 4, &at, 10);

        next = strstr(at, "CPU#");
        if (index != cpu_index[i])
            continue;

        struct span s = {at, next != NULL ? next : at + strlen(at)};
        const char *missing = read_core(s, &to[i]);

        if (missing != NULL)
            return err_set(e, "qmp: QEMU does not tell %s of core %" PRIu32,
                           missing, i);
        i++;
    }
    if (i < count)
        return err_set(e, "qmp: QEMU tells no registers of core %" PRIu32, i);
    return 0;
}

size_t monitor_text_memory(const char *text, uint64_t address, uint8_t *to,
                           size_t size)
{
    size_t done = 0;

    while (done < size) {
        char *at;

        /* a line has its address, and two numbers or one */
        if (strtoull(text, &at, 16) != address + done || *at != ':')
            break;
        at++;
        while (done < size && strncmp(at, " 0x", 3) == 0) {
            uint8_t bytes[8];
            char *end;

            store_u64(bytes, strtoull(at + 3, &end, 16));
            if (end != at + 3 + 16)
                return done;

            size_t part = size - done < 8 ? size - done : 8;

            memcpy(to + done, bytes, part);
            done += part;
            at = end;
        }
        text = at + strspn(at, "\r\n");
    }
    return done;
}

const char *monitor_text_ranges(const char *text)
{
    static const char memory[] = " AS \"memory\", root: system";

    return text != NULL ? strstr(text, memory) : NULL;
}

/* Read the line (text) as a range of memory into (r). Returns whether it is
 * one: "  0000000000000000-00000000000effff (prio 0, ram): mem @000000000000".
 */
static bool is_range(const char *text, struct monitor_text_range *r)
{
    char *at;

    r->start = strtoull(text, &at, 16);
    if (*at != '-')
        return false;
    r->last = strtoull(at + 1, &at, 16);
    if (r->last < r->start || strncmp(at, " (prio ", 7) != 0)
        return false;
    strtol(at + 7, &at, 10);
    if (strncmp(at, ", ram): ", 8) != 0 && strncmp(at, ", rom): ", 8) != 0)
        return false;
    r->name = at + 8;
    r->name_size = strcspn(r->name, " \r\n");
    at = at + 8 + r->name_size;
    r->offset = strncmp(at, " @", 2) == 0 ? strtoull(at + 2, NULL, 16) : 0;
    return true;
}

const char *monitor_text_next_range(const char *text,
                                    struct monitor_text_range *r)
{
    for (;;) {
        const char *line = text + strcspn(text, "\n");

        if (*line == '\0')
            return NULL;
        line++;
        /* an empty line ends what one core sees, and the next begins */
        if (*line == '\r' || *line == '\n' || *line == '\0')
            return NULL;
        if (is_range(line, r))
            return line;
        text = line;
    }
}
