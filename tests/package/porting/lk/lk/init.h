/* SPDX-License-Identifier: BSD-2-Clause */
/* LK, lk/init.h: what agent/porting/lk.md uses of it. */
#ifndef LK_INIT_H
#define LK_INIT_H

#define LK_INIT_LEVEL_APPS 0xb000
#define LK_INIT_HOOK(name, function, level)                                    \
    void (*const lk_init_##name)(unsigned) = (function);

#endif
