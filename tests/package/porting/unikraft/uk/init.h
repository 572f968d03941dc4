/* SPDX-License-Identifier: BSD-2-Clause */
/* Unikraft, include/uk/init.h: what agent/porting/unikraft.md uses of it. */
#ifndef UK_INIT_H
#define UK_INIT_H

struct uk_init_ctx;
struct uk_term_ctx;

#define uk_late_initcall(init_fn, term_fn)                                     \
    int (*const uk_inittab_##init_fn)(struct uk_init_ctx *) = init_fn;         \
    void (*const uk_termtab_##term_fn)(const struct uk_term_ctx *) = term_fn

#endif
