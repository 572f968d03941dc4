/* SPDX-License-Identifier: BSD-2-Clause */
/* A text that collector top shows instead of its list: lines and blocks of a
 * function. Part of top. */
#ifndef TPROF_TOP_PAGES_H
#define TPROF_TOP_PAGES_H

#include "top/screen.h"
#include "top/top.h"

/* Show (text), which is (t)'s from now on; instead of another one from the same
 * line on. */
void pages_open(struct top *t, char *text);

/* Show the list again. */
void pages_close(struct top *t);

/* A key while there is a text. Returns false if it means nothing to it. */
bool pages_key(struct top *t, uint32_t key);

/* The text, in the rows that are left but for (keep). */
void pages_draw(struct top *t, struct screen *s, unsigned keep);

#endif
