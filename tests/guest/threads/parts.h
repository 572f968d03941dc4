/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of this guest beside main.c. Leaf. */
#ifndef THREADS_PARTS_H
#define THREADS_PARTS_H

/* cost.c: instead of everything else, on core 0. */
void measure_costs(void);

#endif
