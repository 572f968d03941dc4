/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libtprof: a sampling profiler that is linked into a unikernel.
 *
 * A kernel calls tprof_init() once and tprof_start_cpu() on each core, and
 * needs nothing else. While a collector on the host asks for samples, each
 * interrupt of a core's local APIC timer records what that core was doing.
 *
 * Functions return TPROF_OK (0) or a negative enum tprof_err. No function
 * sleeps, allocates memory or touches floating point. The kernel zeroes every
 * struct before it fills the struct in: 0 is the good default of every field.
 *
 * The agent is this library at work in the guest. A tick is an interrupt of the
 * timer that is due to take a sample.
 */
#ifndef TPROF_TPROF_H
#define TPROF_TPROF_H

#include <stddef.h>
#include <stdint.h>

#include "channel.h"  /* the ways to the host */
#include "locks.h"    /* the kernel's locks */
#include "nmi.h"      /* samples of code that has interrupts off */
#include "progress.h" /* work that the kernel counts */
#include "requests.h" /* the kernel's requests */
#include "threads.h"  /* the kernel's threads */
#include "ticks.h"    /* causes of ticks */

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default) /* the rest of the library is hidden */

/* Version of this source: major << 16 | minor << 8 | patch. Major grows when a
 * caller must change, minor when something is added. */
#define TPROF_VERSION        0x000100u
#define TPROF_VERSION_STRING "0.1.0"

#define TPROF_CONFIG_VERSION 7u /* grows when tprof_config's layout changes */

/* Results of functions. tprof_strerror() says what to do about each error. */
enum tprof_err {
    TPROF_OK = 0,
    TPROF_ERR_VERSION = -1,          /* config.version is not this header's */
    TPROF_ERR_CONFIG = -2,           /* a field is out of its range */
    TPROF_ERR_TEXT = -3,             /* no text bounds: link tprof_bounds.ld */
    TPROF_ERR_MEMORY = -4,           /* no memory: link tprof_memory.ld */
    TPROF_ERR_STATE = -5,            /* a second call, or a core not joined */
    TPROF_ERR_CPU = -6,              /* more cores than cpus or memory allow */
    TPROF_ERR_VECTOR = -7,           /* every gate from 32 to 239 is in use */
    TPROF_ERR_APIC = -8,             /* the CPU has no local APIC */
    TPROF_ERR_DEVICE = -9,           /* no such device, or it misbehaves */
    TPROF_ERR_CLOSED = -10,          /* from a channel: the host went away */
    TPROF_ERR_NOT_INIT = -11,        /* tprof_init() has not succeeded yet */
    TPROF_ERR_TEXT_UNMAPPED = -12,   /* text is not mapped */
    TPROF_ERR_MEMORY_SMALL = -13,    /* too little memory for config.cpus */
    TPROF_ERR_MEMORY_UNMAPPED = -14, /* memory not mapped, or read-only */
    TPROF_ERR_APIC_OFF = -15,        /* the local APIC is disabled */
    TPROF_ERR_APIC_UNMAPPED = -16,   /* the local APIC's page is not mapped */
    TPROF_ERR_TIMER = -17,           /* the APIC's timer does not count */
    TPROF_ERR_VECTOR_TAKEN = -18,    /* config.vector has another handler */
    TPROF_ERR_IDT = -19,             /* no IDT, or too short, or read-only */
    TPROF_ERR_DEVICE_TAKEN = -20,    /* a driver has the device that is there */
    TPROF_ERR_DEVICE_PORT = -21,     /* virtio-serial without our port */
    TPROF_ERR_DEVICE_UNMAPPED = -22, /* its registers are not mapped */
    TPROF_ERR_DEVICE_PLATFORM = -23, /* it wants VIRTIO_F_ACCESS_PLATFORM */
    TPROF_ERR_IO_PORT = -24,         /* no UART, or debug port, at the port */
    TPROF_ERR_IMAGE = -25,           /* the agent is not loaded whole */
    TPROF_ERR_TIMER_TAKEN = -26,     /* the kernel uses the APIC's timer */
    TPROF_ERR_CLOCK = -27,           /* the TSC's rate is not known */
};

/* The interrupted registers, for tprof_tick() */
struct tprof_regs {
    uint64_t rip;
    uint64_t rsp;
    uint64_t rbp;
};

struct tprof_range {
    uint64_t start; /* address */
    uint64_t size;  /* bytes; 0: unused entry */
};

struct tprof_config;

/*
 * Facts that a hypervisor reports to its guests. A kernel that has this
 * information already may give a struct of its own, with every function.
 * (memory) is 64 bytes, aligned to 64, for the hypervisor to write to;
 * config.physical() returns their physical address.
 */
struct tprof_hypervisor {
    /* Returns the TSC's rate in Hz; 0: unknown. tprof_init() calls it once.
     * (memory) may be used during this call, and contains anything at first. */
    uint64_t (*tsc_hz)(const struct tprof_config *config, void *memory);
    /* Called when the calling core joins, or leaves. Interrupts are off.
     * (memory) is that core's own, and the same each time. It is zero before
     * the first call. */
    void (*start_cpu)(const struct tprof_config *config, void *memory);
    void (*stop_cpu)(const struct tprof_config *config, void *memory);
    /* Returns the time that the host took from the core with (memory), in ns,
     * cumulative, or TPROF_STEAL_UNKNOWN. Any core may call it. */
    uint64_t (*steal_ns)(const void *memory);
};
#define TPROF_STEAL_UNKNOWN UINT64_MAX

/* KVM: the TSC's rate by kvm-clock, and steal time unless the kernel has asked
 * KVM for that itself. Under another hypervisor it does nothing. Linked only
 * into a kernel that names it. */
extern const struct tprof_hypervisor tprof_kvm;

/* The decisions of the host. It always decides when sampling begins and ends,
 * unless the channel is TPROF_CHANNEL_ONE_WAY. */
enum tprof_host_control {
    TPROF_CONTROL_LIMITED = 0, /* rate and frames, within the config's limits */
    TPROF_CONTROL_FIXED = 1,   /* nothing: config.rate_hz and max_frames hold */
};

#define TPROF_RANGES 4

/* Ways for an interrupt to find its core */
enum tprof_cpu_source {
    TPROF_CPU_APIC = 0, /* the APIC id: always right, but may be a VM exit */
    /* The u32 at gs:[gs_cpu_offset] is the core's number, counted from 0. It
     * must be there in every interrupt, also in an interrupt of ring 3. */
    TPROF_CPU_GS = 1,
    /* RDTSCP: the agent owns TSC_AUX. A CPU that has no RDTSCP uses
     * TPROF_CPU_APIC instead. */
    TPROF_CPU_TSC_AUX = 2,
    TPROF_CPU_HOOK = 3, /* cpu_index() */
};

/* Samples that a ring keeps if not all samples of boot fit */
enum tprof_boot {
    TPROF_BOOT_OLDEST = 1,
    TPROF_BOOT_NEWEST = 2, /* the newest, in nearly half a ring at least */
};

/* Bytes of memory for (cores), if ring_bytes and dict_slots are 0: the size of
 * an array to which config.memory points */
#define TPROF_MEMORY(cores) ((32u << 10) + (cores) * (128u << 10))

struct tprof_config {
    uint32_t version; /* TPROF_CONFIG_VERSION */

    /* Rate and depth, unless the host asks for others */
    uint32_t rate_hz;    /* samples a second and core, 1 to 100000; 0: 997 */
    uint32_t max_frames; /* callers that are recorded, 1 to 127; 0: 64 */

    /* Limits for the host's choice. A host that asks for more gets the limit,
     * and its collector says so. */
    uint32_t rate_max_hz; /* 1 to 100000; 0: 100000 */
    uint32_t frames_max;  /* 1 to 127; 0: 127 */
    uint32_t control;     /* enum tprof_host_control */

    /* Memory, which the kernel gives until tprof_exit(). The first 24 KiB are
     * physically contiguous, because a device reads them. */
    void *memory;       /* NULL: the memory of tprof_memory.ld, for 4 cores */
    size_t memory_size; /* bytes: TPROF_MEMORY(), tprof_mem_size() */
    uint32_t cpus;      /* cores that may join, 1 to 256; 0: as memory allows */
    /* bytes of each core's ring; a power of two, 4 KiB to 16 MiB; 0: 64 KiB */
    uint32_t ring_bytes;
    /* stacks that each core remembers, 8 bytes each; a power of two, 64 to
     * 8192; 0: 4096 */
    uint32_t dict_slots;

    /* 1: a flight recorder. Cores sample without a host, too, at rate_hz and
     * max_frames. The TSC's rate must be known, if necessary by (tsc_hz):
     * otherwise TPROF_ERR_CLOCK. Each ring keeps its newest samples, almost
     * half a ring of them or more, for `collector report --memory`. A collector
     * that attaches begins anew. */
    uint32_t always;
    /* enum tprof_boot, or 0. Cores sample from boot on, at rate_hz and
     * max_frames, for the first collector that asks for samples. The TSC's rate
     * must be known, as for (always). Samples that rings cannot keep are
     * counted. */
    uint32_t boot;

    /* The machine. */
    uint64_t tsc_hz; /* the TSC's rate; 0: the agent or the host measures it */
    uint64_t lapic;  /* virtual address of its registers; 0: the physical one */
    /* the agent's interrupt vector, 32 to 239; 0: the highest of these whose
     * gate is not present */
    uint32_t vector;
    uint32_t cpu_source;    /* enum tprof_cpu_source */
    uint32_t gs_cpu_offset; /* TPROF_CPU_GS: bytes from the base of GS */
    uint32_t timer;         /* enum tprof_timer */
    /* TPROF_TIMER_KERNEL: calls of tprof_tick() a second and core; not 0 */
    uint32_t kernel_hz;
    /* TPROF_TIMER_APIC, 1: take a timer that the kernel or its firmware uses,
     * and take it back later, instead of returning TPROF_ERR_TIMER_TAKEN. The
     * other use ends: a kernel that ticks by that timer then has no clock. */
    uint32_t take_timer;
    uint64_t seed; /* of the random intervals; 0: another in each boot */
    const struct tprof_lending *lending; /* &tprof_lend_timer; NULL: none */
    const struct tprof_nmi *nmi;         /* &tprof_nmi, nmi.h; NULL: no NMIs */

    /* The way to the host */
    struct tprof_device device;
    const struct tprof_channel *channel; /* NULL: by (device), (transport) */
    const struct tprof_transport *transport; /* NULL: virtio-serial */
    uint32_t notice;                         /* enum tprof_notice */

    const struct tprof_hypervisor *hypervisor; /* its facts; NULL: none */

    /*
     * Hooks. Interrupts are off, except in physical(), which tprof_init() calls
     * with the caller's interrupt flag.
     *
     * In an interrupt, cpu_index() and route_irq() run on a stack of the
     * profiler. That stack has 4 KiB, and the kernel's NMI and fault handlers
     * may run on it, too. Outside of interrupts these two hooks run on the same
     * stack or on the caller's. install_vector() and physical() are never
     * called in an interrupt, and run on the caller's stack.
     */
    void *context; /* passed to each hook */

    /* TPROF_CPU_HOOK: returns the calling core's number, counted from 0. */
    uint32_t (*cpu_index)(void *context);
    /* Makes (entry) the calling core's handler of (vector). Returns TPROF_OK,
     * or a negative value, which tprof_start_cpu() then returns. NULL: the
     * agent writes the IDT of the calling core. */
    int (*install_vector)(void *context, uint32_t vector, void (*entry)(void));
    /* Returns the physical address of (address). NULL: they are equal. */
    uint64_t (*physical)(void *context, const void *address);
    /*
     * Returns the virtual address of (size) bytes of device registers at
     * physical address (physical), mapped without caching, for ever. Returns
     * NULL if that is impossible. (physical) need not be aligned, and the same
     * bytes may be asked for again. tprof_init() calls it on the caller's
     * stack, with interrupts as they were: for virtio devices, for their
     * interrupt and, if (lapic) is 0, for the local APIC. NULL: registers are
     * mapped at their physical address.
     */
    void *(*map)(void *context, uint64_t physical, size_t size);
    /* Makes the device's interrupt, the first entry of its MSI-X table or its
     * pin of the IO-APIC, arrive as (vector) on the core with (apic_id).
     * Returns 0 if it succeeds. Any core calls it, also in an interrupt. NULL:
     * the agent programs MSI-X or the IO-APIC itself. */
    int (*route_irq)(void *context, uint32_t vector, uint32_t apic_id);

    /* tprof_vsock: may the caller with (cid) and (port) attach? Called for each
     * caller that (device.flags) lets in, before a byte is sent to it; also in
     * an interrupt. Returns 1 or 0. NULL: every such caller may. */
    int (*accept)(void *context, uint64_t cid, uint32_t port);

    /* the range of valid return addresses; size 0: the image's text */
    struct tprof_range text;
    /*
     * The memory of stacks outside the image. Every byte here can be read at
     * any time, without a fault or with a fault that tprof_fixup() mends.
     * Ascending addresses; unused entries, of size 0, come last. In the image,
     * the pages that are mapped in tprof_init() may be read, too. If an entry
     * overlaps the image, this rule ends: the entries alone say which parts of
     * the image may be read.
     */
    struct tprof_range readable[TPROF_RANGES];
};

/* The parts of the image. Equal pointers: that part is missing. */
struct tprof_image {
    const void *text_start, *text_end;   /* tprof_bounds.ld */
    const void *image_start, *image_end; /* tprof_bounds.ld */
    const void *build_id, *build_id_end; /* tprof_note.ld: the ELF note */
    void *memory, *memory_end;           /* tprof_memory.ld */
};

/*
 * Prepares the agent. tprof_init(), below, calls this with the symbols of the
 * linker fragments. Call it once, on the boot core, before any other function.
 * It copies (config) and (image), probes the device, and measures the timer for
 * about 1 ms.
 *
 * Returns TPROF_OK, or an error. After an error nothing was changed or claimed,
 * and the kernel may call it again or continue without a profiler. Errors are
 * TPROF_ERR_STATE (it has succeeded before), _IMAGE, _VERSION, _CONFIG, _TEXT,
 * _TEXT_UNMAPPED, _MEMORY, _MEMORY_SMALL, _MEMORY_UNMAPPED, _DEVICE,
 * _DEVICE_TAKEN, _DEVICE_PORT, _DEVICE_UNMAPPED, _DEVICE_PLATFORM, _IO_PORT,
 * _CLOCK, and with TPROF_TIMER_APIC _APIC, _APIC_OFF, _APIC_UNMAPPED,
 * _TIMER_TAKEN, _IDT, _VECTOR, _TIMER.
 *
 * The agent tests by an access whether memory is mapped. For that moment it
 * loads an IDT of its own, a copy of the kernel's first 32 gates, so that no
 * fault reaches the kernel. If an IDT with these gates is loaded, it must be
 * mapped.
 */
int tprof_init_image(const struct tprof_config *config,
                     const struct tprof_image *image);

#ifdef __ELF__ /* else: tprof_init_efi(), tprof/efi.h */
#define TPROF_FRAGMENT __attribute__((weak)) extern
TPROF_FRAGMENT char __tprof_text_start[], __tprof_text_end[];
TPROF_FRAGMENT char __tprof_image_start[], __tprof_image_end[];
TPROF_FRAGMENT char __tprof_build_id[], __tprof_build_id_end[];
TPROF_FRAGMENT char __tprof_memory[], __tprof_memory_end[];
#undef TPROF_FRAGMENT

/* Calls tprof_init_image() with the symbols of the linker fragments. */
static inline int tprof_init(const struct tprof_config *config)
{
    /* a table: 64-bit relocations reach the image at any address */
    static const struct tprof_image image = {
        __tprof_text_start, __tprof_text_end,   __tprof_image_start,
        __tprof_image_end,  __tprof_build_id,   __tprof_build_id_end,
        __tprof_memory,     __tprof_memory_end,
    };

    return tprof_init_image(config, &image);
}
#endif

/* Returns the bytes of memory that (config) needs for config.cpus cores (0: for
 * one), or 0 if a field is out of its range. */
size_t tprof_mem_size(const struct tprof_config *config);

/*
 * Makes the calling core join. From now on the core samples whenever the host
 * asks. Call it once on each core, after the core's IDT and local APIC are set
 * up. With TPROF_CPU_APIC and TPROF_CPU_TSC_AUX the core's number is its APIC
 * id, or the first free number if the id is not below config.cpus. Otherwise it
 * is the kernel's number.
 *
 * Returns TPROF_OK, or an error. After an error the core has not joined, and is
 * as it was; the collector's report names it, unless a later call on it
 * succeeds. Errors are TPROF_ERR_NOT_INIT, _CPU, _STATE (another core has this
 * number), and with TPROF_TIMER_APIC _APIC, _APIC_OFF, _APIC_UNMAPPED,
 * _TIMER_TAKEN, _IDT, _VECTOR_TAKEN, or the result of config.install_vector().
 *
 * A core that was reset (INIT) without tprof_stop_cpu() calls this again after
 * it has booted. If it was reset while it was sending, nothing is sent until
 * then. Afterwards a new session begins for the host, and config.channel is
 * opened anew.
 */
int tprof_start_cpu(void);

/*
 * Makes the calling core leave. Its gate stays. Its timer is the kernel's
 * again.
 *
 * A core that is parked or halted without this call still counts as joined. The
 * other cores serve the host without it. The report then lacks the parked
 * core's last counters. If the parked core was the one that watches for hosts,
 * another core watches instead, as soon as a host comes or tprof_poll() is
 * called.
 *
 * Returns TPROF_OK;
 * TPROF_ERR_NOT_INIT;
 * TPROF_ERR_STATE: the core has not joined.
 */
int tprof_stop_cpu(void);

/*
 * Undoes tprof_init(), for a kernel that loads another kernel or takes the
 * memory back. The device is reset and its interrupt masked, so nothing writes
 * to config.memory any more. tprof_init() may be called again afterwards.
 *
 * Every other core must have called tprof_stop_cpu(); the calling core need
 * not. No core may be in another function of the profiler except tprof_poll().
 * The gates stay, and interrupts that arrive there are ended and not counted.
 * The kernel undoes whatever config.channel and config.route_irq have set up.
 * Not inside a tick.
 *
 * Returns TPROF_OK;
 * TPROF_ERR_NOT_INIT;
 * TPROF_ERR_STATE: another core has not left. Nothing was changed.
 */
int tprof_exit(void);

/*
 * Sends samples and reads the host's orders, for a kernel's idle loop. Any core
 * may call it at any time, but not inside a tick.
 *
 * If the channel is not TPROF_CHANNEL_IRQ_SAFE, the kernel has to call this,
 * and interrupts stay as they are. Otherwise interrupts are off during the
 * call.
 */
void tprof_poll(void);

/* TPROF_TIMER_KERNEL, TPROF_TIMER_SHARED: call this when the kernel's
 * timer interrupt on this core has interrupted (regs). Interrupts are off or
 * on. Any stack with 256 free bytes will do. */
void tprof_tick(const struct tprof_regs *regs);

/*
 * Has a load of the agent faulted, for example in a guard page in
 * config.readable? Call this first in the kernel's page-fault handler. It needs
 * 256 bytes of the handler's stack. (regs) is the interrupted code.
 *
 * Returns 1: (regs->rip) is now the next instruction, and the handler returns
 * there. That sample has fewer callers;
 * 0: the fault is not the agent's.
 */
int tprof_fixup(struct tprof_regs *regs);

/*
 * TPROF_TIMER_SHARED: returns the TSC at which the calling core's timer must
 * fire at the latest. UINT64_MAX: no such time, because the core has not
 * joined. Interrupts must be off.
 *
 * A kernel without a fixed tick calls this whenever it programs or stops its
 * one-shot timer, and once on each core after tprof_start_cpu(). It programs
 * the earlier of this deadline and its own, if it has one. The timer's handler
 * calls tprof_tick(), then programs the timer again. If the deadline has
 * passed, let the timer fire immediately, because only tprof_tick() sets the
 * next deadline. Intervals are drawn at random. For a core that does not
 * sample, the deadline is at most a quarter of a second away.
 */
uint64_t tprof_deadline(void);

/* Sends all samples in the rings, for a guest that is about to exit, and after
 * a host's STOP the last counters (up to 3/8 s). Gives up after 1,000 x
 * (frames) tries. Each sends a part of a frame, or nothing while the device is
 * busy. Returns 0 if all is sent or no host is attached, otherwise 1. */
int tprof_flush(uint32_t frames);

/* One core's counters since tprof_init(). Deadlines are ticks + missed, and
 * ticks = samples + ring_full + reentered. */
struct tprof_stats {
    uint64_t ticks;        /* interrupts that were due to take a sample */
    uint64_t samples;      /* samples that were written into the ring */
    uint64_t missed;       /* deadlines that had no tick of their own */
    uint64_t ring_full;    /* ticks without a sample: the ring was full */
    uint64_t reentered;    /* ticks without a sample: in a hook, or reset */
    uint64_t cost_tsc;     /* TSC ticks spent in ticks and in sending */
    uint64_t cost_max_tsc; /* TSC ticks spent in the longest of these */
    uint64_t by_division;  /* ticks that had too many deadlines to draw each */
    uint64_t stacks;       /* stacks that were described to the host */
    uint64_t foreign;      /* interrupts at the vector without any work */
    uint64_t repaired; /* times that the agent took this core's timer back */
    uint64_t faults;   /* faults of the walk that tprof_fixup() has mended */
    uint32_t apic_id;
    uint32_t started; /* 1: the core has joined, 0: it has left */
};

/* A further image, for example an application that the kernel has loaded: the
 * place of its code, and the marks by which the host recognizes its ELF file */
struct tprof_mapping {
    /* Name of the image's file, of which up to 255 bytes are used, and the
     * bytes of its build-id. tprof_map() copies both. NULL: it has none. */
    const char *name;
    const void *build_id;
    uint32_t build_id_size; /* bytes of the build-id, at most 64 */
    uint64_t start;         /* run-time address of the code, not 0 */
    uint64_t size;          /* bytes of the code, not 0 */
    uint64_t link_start;    /* address of (start) in the image's ELF file */
};
#define TPROF_MAPPINGS 16 /* at the same time */

/*
 * Registers (mapping), which is copied, with the agent and the host. Samples in
 * the image then have function names, and call chains may pass through it. Any
 * core may call it after tprof_init(), but not inside a tick. The code must be
 * mapped: without a build-id the agent reads up to 64 KiB of it.
 *
 * Mappings that (mapping) overlaps are removed, as by tprof_unmap(), because
 * their applications must have ended. The collector assigns each sample to the
 * image that was mapped when the sample was taken.
 *
 * Returns TPROF_OK;
 * TPROF_ERR_NOT_INIT;
 * TPROF_ERR_CONFIG: a field is out of its range, or the code overlaps the
 * kernel's text;
 * TPROF_ERR_MEMORY_SMALL: there are TPROF_MAPPINGS others.
 */
int tprof_map(const struct tprof_mapping *mapping);

/*
 * Removes the mapping whose code begins at (start), when its application has
 * ended: no core runs its code any more. Any core may call it, but not inside a
 * tick. While a collector is attached this costs each core an interrupt and the
 * stacks that it remembers.
 *
 * Returns TPROF_OK;
 * TPROF_ERR_NOT_INIT;
 * TPROF_ERR_CONFIG: there is no such mapping.
 */
int tprof_unmap(uint64_t start);

/* Reads the counters of (core). Returns TPROF_OK, or TPROF_ERR_CPU if no core
 * with that number has ever joined. */
int tprof_get_stats(uint32_t core, struct tprof_stats *stats);

/* Returns one line: the meaning of (error), and a remedy. Never NULL. */
const char *tprof_strerror(int error);
/* Returns TPROF_VERSION of the linked library. */
uint32_t tprof_version(void);

/* The image's slide is this array's address minus its address in the ELF file.
 */
extern const char tprof_anchor[];

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
