/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Included ahead of every file of the library by the build: what is declared
 * here is defined in it, so that no address is taken from a GOT, which a
 * kernel need not have. The public header makes an exception of itself.
 */
#pragma GCC visibility push(hidden)
