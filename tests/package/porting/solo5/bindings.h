/* SPDX-License-Identifier: BSD-2-Clause */
/* Solo5, bindings/bindings.h: what agent/porting/solo5.md uses of it. */
#ifndef BINDINGS_H
#define BINDINGS_H

#include <stddef.h>
#include <stdint.h>

typedef enum { ERROR = 0, WARN, INFO, DEBUG } log_level_t;
int log(log_level_t level, const char *format, ...);

uint64_t platform_mem_size(void);
void *mem_ialloc_pages(size_t num);

#endif
