/* SPDX-License-Identifier: BSD-2-Clause */
/* What to say about a word of the command line that belongs nowhere. */
#ifndef TPROF_CLI_STRAY_ARGUMENT_H
#define TPROF_CLI_STRAY_ARGUMENT_H

#include "cli/options.h"
#include "util/err.h"

/*
 * (word), which (command) does not understand, may be a file, which wants an
 * option or another command, or a mistyped command. The first bytes of a file
 * of that name are read.
 *
 * Returns -1, with (e) saying what to type instead.
 */
int stray_argument_error(const char *word, enum command_bit command,
                         struct err *e);

#endif
