/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What somebody else's symbolizer (LLVM's or binutils') and demangler say of a
 * guest's addresses. Whatever goes wrong ends the test case (check.h).
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <stddef.h>
#include <stdint.h>

struct oracle_answer {
    uint64_t address;
    char *chain; /* functions, "outermost;...;innermost": what was inlined */
    char *place; /* "file.c:12" of the innermost, without folders */
};

struct oracle {
    struct oracle_answer *answer; /* by address */
    size_t count;
};

/* Asks (tool), "addr2line" or "llvm-symbolizer", about each of the (count)
 * addresses in (elf). */
struct oracle oracle_ask(const char *tool, const char *elf,
                         const uint64_t *address, size_t count);

/* What was said of (address), which was asked about. */
const struct oracle_answer *oracle_of(const struct oracle *o, uint64_t address);

void oracle_free(struct oracle *o);

/*
 * Is (ours) the name that the oracle calls (theirs)? Ours lacks the type that a
 * template function returns, which stands in front.
 */
int oracle_same_name(const char *ours, const char *theirs);

#endif
