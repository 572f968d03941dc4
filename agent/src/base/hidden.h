/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes all symbols of the library hidden; the public header makes its own
 * symbols visible again. The build includes this file ahead of every file of
 * the library. The compiler then knows that each symbol is defined in the
 * library, and takes no address from a GOT, which a kernel need not have.
 */
#pragma GCC visibility push(hidden)
