/* SPDX-License-Identifier: BSD-2-Clause */
/* Nanos, src/kernel and src/runtime: what agent/porting/nanos.md uses of it. */
#ifndef NANOS_KERNEL_H
#define NANOS_KERNEL_H

#include <stdint.h>

typedef unsigned u32;
typedef unsigned long u64;
__extension__ typedef unsigned __int128 u128;
typedef u64 timestamp;
typedef u64 bytes;
typedef u64 pageflags;

#define KB                     1024ul
#define MB                     (1024 * KB)
#define PAGESIZE               (4 * KB)
#define LINEAR_BACKED_BASE     0xffffc00000000000ul
#define LINEAR_BACKED_PAGELOG  30
#define CLOCK_ID_MONOTONIC_RAW 4
#define MIN(a, b)              ((a) < (b) ? (a) : (b))

typedef struct heap *heap;
typedef struct kernel_heaps *kernel_heaps;
typedef struct buffer *buffer;
typedef struct sstring {
    const char *ptr;
    bytes len;
} sstring;

typedef void (*thunk)(void);
#define closure_func_basic(type, result, name) static result name(void)
#define closure_func(heap, type, name)         ((void)(heap), (type)(name))
#define apply(closure)                         ((closure)())

typedef struct cpuinfo {
    struct {
        timestamp lapic_timer_expiry;
    } m;
    u32 id;
} * cpuinfo;

extern int present_processors;

cpuinfo current_cpu(void);
timestamp now(int clock);
timestamp seconds(u64 n);
u64 rdtsc(void);
u64 pad(u64 value, u64 to);
u64 u64_from_pointer(const volatile void *pointer);
void *pointer_from_u64(u64 value);
u64 physical_from_virtual(void *address);
heap heap_linear_backed(kernel_heaps kh);
#define INVALID_PHYSICAL (~0ul)

kernel_heaps get_kernel_heaps(void);
heap heap_virtual_page(kernel_heaps kh);
u64 allocate_u64(heap h, bytes size);
void *allocate(heap h, bytes size);
void map(u64 virtual_address, u64 physical, u64 length, pageflags flags);
pageflags pageflags_device(void);
pageflags pageflags_writable(pageflags flags);
void *buffer_ref(buffer b, bytes offset);
bytes buffer_length(buffer b);
sstring sstring_from_cstring(const char *string, bytes most);
void rprintf(const char *format, ...);
void register_percpu_init(thunk t);

#endif
