/* SPDX-License-Identifier: BSD-2-Clause */
/* Nanos, src/x86_64: what PORTING.md uses of it. */
#ifndef NANOS_KERNEL_H
#define NANOS_KERNEL_H

typedef unsigned long u64;
typedef u64 bytes;
typedef u64 *context;

enum { FRAME_RBP = 6, FRAME_RSP = 7, FRAME_RIP = 16 };

typedef struct cpuinfo {
    int id;
} * cpuinfo;

cpuinfo current_cpu(void);
context get_running_frame(cpuinfo ci);
u64 physical_from_virtual(void *address);

#endif
