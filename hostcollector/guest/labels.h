/* SPDX-License-Identifier: BSD-2-Clause */
/* The user's labels of samples: zone=a. */
#ifndef TPROF_GUEST_LABELS_H
#define TPROF_GUEST_LABELS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/origin.h"

/* Parse (text), "key=value", into (label). Its value points into (text) and
 * is printable UTF-8 of up to ORIGIN_VALUE bytes with its NUL. False if (text)
 * is not a label. */
bool labels_read(struct origin_label *label, const char *text);

/* Add the label (text) to (o), if it is valid, its key is new, and there is
 * room. */
void labels_add(struct origin *o, const char *text);

#endif
