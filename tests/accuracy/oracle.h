/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What other symbolizers and demanglers (LLVM's or binutils') say of a guest's
 * addresses. Any error fails the test case (check.h).
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <stddef.h>
#include <stdint.h>

struct oracle_answer {
    uint64_t address;
    char *chain; /* inlined functions, "outermost;...;innermost" */
    char *place; /* the innermost one's "file.c:12", without folders */
};

struct oracle {
    struct oracle_answer *answer; /* by address */
    size_t count;
};

/* Asks (tool), "addr2line" or "llvm-symbolizer", about each of the (count)
 * addresses in (elf). */
struct oracle oracle_ask(const char *tool, const char *elf,
                         const uint64_t *address, size_t count);

/* The answer for (address), which is one of those asked about. */
const struct oracle_answer *oracle_of(const struct oracle *o, uint64_t address);

void oracle_free(struct oracle *o);

/*
 * Do (ours) and (theirs) name the same function? Theirs may begin with the type
 * that a template function returns; ours does not have it.
 */
int oracle_same_name(const char *ours, const char *theirs);

#endif
