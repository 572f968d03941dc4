/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of files that the helper may open, filled by opener_allow() and
 * similar functions (opener.h) before the helper starts. */
#ifndef TPROF_GUARD_OPENER_RULES_H
#define TPROF_GUARD_OPENER_RULES_H

#include <stdbool.h>

#include "guard/opener.h"

/* Is (how) allowed for (path)? opener_rules_name() asks about its name alone,
 * opener_rules_image() if it is an image, opener_rules_source() if it is named
 * like a source file. */
bool opener_rules_name(enum opener_how how, const char *path);
bool opener_rules_image(enum opener_how how, const char *path);
bool opener_rules_source(enum opener_how how);

/* Does (path) end like the name of a source file? */
bool opener_rules_source_name(const char *path);

#endif
