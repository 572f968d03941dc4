/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The build includes this file ahead of every file of the library. All symbols
 * become hidden: the compiler then knows that they are defined in the library,
 * and takes no address from a GOT, which a kernel need not have. The public
 * header makes its own symbols visible again.
 */
#pragma GCC visibility push(hidden)
