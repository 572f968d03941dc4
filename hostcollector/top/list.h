/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of functions of collector top: sorted, filtered, with callers. */
#ifndef TPROF_TOP_LIST_H
#define TPROF_TOP_LIST_H

#include "top/top.h"

/* Rebuild (t->items) after any change of the display. The selected item stays
 * selected. If it is gone, the item in its place is selected. */
void list_make(struct top *t);

/* Keep the shares of the last view for comparison, and remember the shares of
 * the new view. */
void list_remember(struct top *t);

/* Select item (at), or the last one. */
void list_select(struct top *t, size_t at);

/* Show the callers of the selected item, or hide them. */
void list_open(struct top *t);

#endif
