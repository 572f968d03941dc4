/* SPDX-License-Identifier: BSD-2-Clause */
/* Error messages for words of the command line that fit nowhere. */
#ifndef TPROF_CLI_STRAY_ARGUMENT_H
#define TPROF_CLI_STRAY_ARGUMENT_H

#include "util/err.h"

/*
 * (word), which (command), as in struct option_set, does not understand, may be
 * a file, which wants an option or another command, or a mistyped command, for
 * which (nearest) has the right name, if it is not NULL. The first bytes of a
 * file of that name are read.
 *
 * Returns -1, with (e) saying what to type instead.
 */
int stray_argument_error(const char *word, const char *command,
                         const char *(*nearest)(const char *word),
                         struct err *e);

#endif
