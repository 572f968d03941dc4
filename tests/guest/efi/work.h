/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What there is to profile: a round of a hundred parts, each the same loop.
 *
 *   work_boot   work_heavy > leaf_a 50, work_medium > leaf_a 20 and leaf_b 10,
 *               work_light > leaf_b 20
 *   work_own    work_light > leaf_b 60, work_medium > leaf_a 20, leaf_b 10
 *   work_ap     work_medium > leaf_a 20, leaf_b 10
 */
#ifndef EFI_WORK_H
#define EFI_WORK_H

/* Before ExitBootServices, and after it. */
void work_boot(void);
void work_own(void);

/* On application processors. */
void work_ap(void);

#endif
