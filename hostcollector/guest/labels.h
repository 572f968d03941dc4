/* SPDX-License-Identifier: BSD-2-Clause */
/* What users say of their samples: zone=a. */
#ifndef TPROF_GUEST_LABELS_H
#define TPROF_GUEST_LABELS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/origin.h"

/* Read (text), "key=value", into (label), whose value points into it. The value
 * is UTF-8 that can be seen, up to ORIGIN_VALUE bytes with its NUL. False: it
 * is no label. */
bool labels_read(struct origin_label *label, const char *text);

/* Add (text) to (o) if it is a label with another key than those there are, and
 * there is room. */
void labels_add(struct origin *o, const char *text);

#endif
