/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the memory of a dead guest, and the registers of its cores, from a
 * file. The file is an ELF core or a compressed dump, as QEMU's
 * dump-guest-memory writes them, or raw memory from address 0 on: a file of
 * pmemsave, a Firecracker snapshot, or a memory-backend-file. The file is
 * hostile: a read never leaves the file.
 *
 * libkdumpfile 0.5 reads ELF cores and compressed dumps, too. It is not used:
 * it needs liblzo2 and libsnappy, and it was not tried on the hostile files
 * that fuzz_memory replays. kdump.c has 370 lines.
 */
#ifndef TPROF_DUMP_DUMP_MEMORY_H
#define TPROF_DUMP_DUMP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct dump_memory;
struct cpu_registers;

/* Ways to turn a guest address into a place in the file. */
enum dump_way {
    DUMP_BY_OFFSET, /* add an offset: the result is physical */
    DUMP_BY_PARTS,  /* use the virtual addresses of an ELF core */
};

struct dump_view {
    enum dump_way way;
    uint64_t offset; /* DUMP_BY_OFFSET: to be added, with wrap-around */
};

/* Open the memory in (fd), a regular file, which stays the caller's and open.
 * NULL with (e) filled on failure. */
struct dump_memory *dump_memory_new(int fd, struct err *e);

/* Release (m). NULL is allowed. */
void dump_memory_free(struct dump_memory *m);

/* Number of bytes of memory in the file. */
uint64_t dump_memory_size(const struct dump_memory *m);

/* Does the file give virtual addresses? Only then DUMP_BY_PARTS works. */
bool dump_memory_has_virtual(const struct dump_memory *m);

/* Returns a description of the first page of a compressed dump that the caller
 * wanted and that could not be read; NULL if there is no such page. */
const char *dump_memory_trouble(const struct dump_memory *m);

/* Returns a text about the missing end of a core file: "is cut: 1 of 2 bytes of
 * memory are in it"; NULL if nothing is known to be missing. */
const char *dump_memory_cut(const struct dump_memory *m);

/* dump_memory_notes_size() is the number of bytes of notes in a core or a
 * compressed dump; 0: none. dump_memory_notes() reads up to (size) of these
 * bytes from (offset) on. It returns the number of bytes read; 0 on failure. */
uint64_t dump_memory_notes_size(const struct dump_memory *m);
size_t dump_memory_notes(struct dump_memory *m, uint64_t offset, void *to,
                         size_t size);

/* Read up to (size) bytes at (address), which (v) translates. Returns the
 * number of bytes before the first missing byte. */
size_t dump_memory_some(struct dump_memory *m, const struct dump_view *v,
                        uint64_t address, void *to, size_t size);

/* Read (size) bytes at (address), which (v) translates. Returns false if a part
 * of them is missing. */
bool dump_memory_read(struct dump_memory *m, const struct dump_view *v,
                      uint64_t address, void *to, size_t size);

/*
 * Search memory from (*place) on for the (size) bytes at (pattern), 8 to 16 of
 * them, at addresses that are multiples of 8. Start with (*place) = 0. On
 * success (*physical) is the address found, and (*place) moves past it. Returns
 * false if there is no further match or the file cannot be read.
 */
bool dump_memory_find(struct dump_memory *m, const void *pattern, size_t size,
                      uint64_t *place, uint64_t *physical);

/* core_registers.c: reads the registers of a dead guest's cores from the notes
 * of an ELF core or of a compressed dump. Each note of type PRSTATUS belongs to
 * one core. QEMU's dump-guest-memory may add a second note with the system
 * registers of the core. The notes are hostile. */

/* Fill (list), which has room for (max) cores, from the notes of (m). Returns
 * the number of cores; 0 if the file has no registers. */
uint32_t dump_registers_read(struct dump_memory *m, struct cpu_registers *list,
                             uint32_t max);

/* The CPU whose registers are in (m). If the file has no registers, the first
 * of the table. */
const struct cpu *dump_cpu(struct dump_memory *m);

#endif
