/* SPDX-License-Identifier: BSD-2-Clause */
/* LK, lk/err.h: what agent/porting/lk.md uses of it. */
#ifndef LK_ERR_H
#define LK_ERR_H

#define NO_ERROR 0

#endif
