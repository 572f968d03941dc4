/* SPDX-License-Identifier: BSD-2-Clause */
/* Unikraft, lib/ukdebug: what agent/porting/unikraft.md uses of it. */
#ifndef UK_PRINT_H
#define UK_PRINT_H

void uk_pr_err(const char *format, ...);

#endif
