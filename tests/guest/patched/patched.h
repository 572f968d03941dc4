/* SPDX-License-Identifier: BSD-2-Clause */
/* How a kernel changes what was loaded; dead.c, slid.c. */
#ifndef PATCHED_H
#define PATCHED_H

void patched_change(void);

#endif
