/* SPDX-License-Identifier: BSD-2-Clause */
/* The reason of a failure, as one line for the user. Leaf. */
#ifndef TPROF_UTIL_ERR_H
#define TPROF_UTIL_ERR_H

struct err {
    char text[256]; /* "where: what: why"; empty until a failure */
};

/*
 * Fill (e) as printf would; (e) may be NULL. Text that does not fit is cut.
 * Characters that text_character() refuses, for example from hostile names,
 * become '?'.
 *
 * Always returns -1, which the caller can return.
 */
int err_set(struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Fill (e) with (what), ": " and the text of errno. Always returns -1. */
int err_sys(struct err *e, const char *what);

/* Fill (e) with "out of memory". Always returns -1. */
int err_memory(struct err *e);

#endif
