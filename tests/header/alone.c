/* SPDX-License-Identifier: BSD-2-Clause */
/* An empty translation unit to compile each header into. */
typedef int alone;
