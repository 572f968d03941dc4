/* SPDX-License-Identifier: BSD-2-Clause */
/* What is compiled when a header is: something that needs no other header. */
typedef int alone;
