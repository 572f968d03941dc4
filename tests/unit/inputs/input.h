/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Images for tests of whatever reads images: made from the sources in this
 * folder by the compilers that are installed; and what other tools say of them.
 */
#ifndef TPROF_TEST_INPUT_H
#define TPROF_TEST_INPUT_H

#include <stddef.h>
#include <stdint.h>

/* Skip the case if there is no command (tool). */
void input_need(const char *tool);

/*
 * Run the shell command (command), which writes an ELF file to $OUT from
 * sources in $IN; $HOST is the folder hostcollector/. Skips the case if there
 * is no (tool); fails it if the command does. Returns the path, for (name).
 */
const char *input_build(const char *tool, const char *name,
                        const char *command);

/* What the command (fmt, ...) prints, up to 64 MiB; the caller frees it. */
char *input_run(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The contents of (path), (*size) bytes and a NUL; the caller frees it. */
uint8_t *input_read(const char *path, size_t *size);

/* Write (size) bytes to a file for (name). Returns its path. */
const char *input_write(const char *name, const uint8_t *data, size_t size);

#endif
