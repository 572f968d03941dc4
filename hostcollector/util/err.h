/* SPDX-License-Identifier: BSD-2-Clause */
/* Why something failed, as one line for the user. Leaf. */
#ifndef TPROF_UTIL_ERR_H
#define TPROF_UTIL_ERR_H

struct err {
    char text[256]; /* "where: what: why"; empty until something failed */
};

/*
 * Fill (e) as printf would; a null (e) is allowed. What does not fit is cut;
 * what text_character() refuses, as a hostile name may bring along, becomes
 * '?'.
 *
 * Returns -1, always, so that a caller can return it.
 */
int err_set(struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Fill (e) with (what), ": " and the text of errno. Returns -1, always. */
int err_sys(struct err *e, const char *what);

#endif
