/* SPDX-License-Identifier: BSD-2-Clause */
/* A text that collector top shows instead of its list: lines and blocks of a
 * function. Part of top. */
#ifndef TPROF_TOP_PAGES_H
#define TPROF_TOP_PAGES_H

#include "top/screen.h"
#include "top/top.h"

/* Show (text), which (t) owns from now on. A text that replaces another text
 * starts at the same line. */
void pages_open(struct top *t, char *text);

/* Show the list again. */
void pages_close(struct top *t);

/* Handle a key while a text is shown. Returns false if the key has no meaning
 * for the text. */
bool pages_key(struct top *t, uint32_t key);

/* Draw the text in the remaining rows, except for (keep) rows. */
void pages_draw(struct top *t, struct screen *s, unsigned keep);

#endif
