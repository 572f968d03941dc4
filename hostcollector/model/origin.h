/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose samples these are, for stores that keep those of many guests. Leaf. */
#ifndef TPROF_MODEL_ORIGIN_H
#define TPROF_MODEL_ORIGIN_H

/* What a user may say of samples by --label. */
#define ORIGIN_LABELS 16u
#define ORIGIN_NAME   64u

struct origin_label {
    char key[ORIGIN_NAME]; /* letters, digits and _; no digit first */
    const char *value;
};

/* All of it comes from the user, none from a guest. */
struct origin {
    const char *guest, *host;
    struct origin_label labels[ORIGIN_LABELS];
    unsigned label_count;
};

#endif
