/* SPDX-License-Identifier: BSD-2-Clause */
/* Marks for the truth plugin: it counts from the one to the other, each core
 * for itself. */
#ifndef MARKS_H
#define MARKS_H

void truth_begin(void);
void truth_end(void);

#endif
