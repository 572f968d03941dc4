/* SPDX-License-Identifier: BSD-2-Clause */
/* Origin of samples, for stores that keep samples of many guests. Leaf. */
#ifndef TPROF_MODEL_ORIGIN_H
#define TPROF_MODEL_ORIGIN_H

#include <string.h>

/* Limits for --label. */
#define ORIGIN_LABELS 16u
#define ORIGIN_NAME   64u
#define ORIGIN_VALUE  128u /* NUL included */

struct origin_label {
    char key[ORIGIN_NAME]; /* letters, digits and _; no digit first */
    const char *value;
};

/* Names and labels, from the user's options or from the recording's header,
 * never from a guest. */
struct origin {
    const char *guest, *host;
    struct origin_label labels[ORIGIN_LABELS];
    unsigned label_count;
};

/* Returns the name of the service: the value of the label "service", or the
 * guest's name. */
static inline const char *origin_service(const struct origin *o)
{
    for (unsigned i = 0; i < o->label_count; i++)
        if (strcmp(o->labels[i].key, "service") == 0)
            return o->labels[i].value;
    return o->guest;
}

#endif
