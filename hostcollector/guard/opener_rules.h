/* SPDX-License-Identifier: BSD-2-Clause */
/* What the helper may open: what opener_allow() and its like (opener.h) said
 * before it was started. */
#ifndef TPROF_GUARD_OPENER_RULES_H
#define TPROF_GUARD_OPENER_RULES_H

#include <stdbool.h>

#include "guard/opener.h"

/* May it do (how) with (path), whatever is there; or if an image is there; or
 * if it is named as source files are? */
bool opener_rules_name(enum opener_how how, const char *path);
bool opener_rules_image(enum opener_how how, const char *path);
bool opener_rules_source(enum opener_how how);

/* Does (path) end as the names of source files do? */
bool opener_rules_source_name(const char *path);

#endif
