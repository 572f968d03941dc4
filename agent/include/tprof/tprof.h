/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libtprof: a sampling profiler to be linked into a unikernel.
 *
 * tprof_init() once, tprof_start_cpu() on each core; nothing else is needed.
 * A core then samples, at each interrupt of its local APIC's timer, what it
 * was doing, while a collector on the host is attached and asks for it.
 *
 * Functions return TPROF_OK (0) or a negative enum tprof_err. None waits,
 * allocates or touches floating point. Every struct here is zeroed by its
 * user first: 0 is the good default of every field.
 */
#ifndef TPROF_TPROF_H
#define TPROF_TPROF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default) /* the rest of the library is hidden */

/* Version of this interface's source: major << 16 | minor << 8 | patch. Major
 * grows when a caller must change, minor when something is added. */
#define TPROF_VERSION        0x000100u
#define TPROF_VERSION_STRING "0.1.0"

/* Value of tprof_config.version; grows when the struct's layout changes. */
#define TPROF_CONFIG_VERSION 3u

enum tprof_err {
    TPROF_OK = 0,
    TPROF_ERR_VERSION = -1, /* config.version is not TPROF_CONFIG_VERSION */
    TPROF_ERR_CONFIG = -2,  /* a field is out of its range */
    TPROF_ERR_TEXT = -3,    /* text bounds empty: link tprof_bounds.ld */
    TPROF_ERR_MEMORY = -4,  /* no memory: link tprof_memory.ld, or give some */
    TPROF_ERR_STATE = -5,   /* not now: twice, or a core that has not joined */
    TPROF_ERR_CPU = -6,     /* more cores than config.cpus or memory allow */
    TPROF_ERR_VECTOR = -7,  /* every interrupt gate is in use */
    TPROF_ERR_APIC = -8,    /* the CPU has no local APIC */
    TPROF_ERR_DEVICE = -9,  /* no device of ours, or it misbehaves */
    TPROF_ERR_CLOSED = -10, /* channel: the host went away */
    TPROF_ERR_NOT_INIT = -11,        /* before tprof_init() has succeeded */
    TPROF_ERR_TEXT_UNMAPPED = -12,   /* config.text is not mapped */
    TPROF_ERR_MEMORY_SMALL = -13,    /* memory too small for config.cpus */
    TPROF_ERR_MEMORY_UNMAPPED = -14, /* memory not mapped, or not writable */
    TPROF_ERR_APIC_OFF = -15,        /* the local APIC is disabled */
    TPROF_ERR_APIC_UNMAPPED = -16,   /* the local APIC's page is not mapped */
    TPROF_ERR_TIMER = -17,           /* the APIC's timer does not count */
    TPROF_ERR_VECTOR_TAKEN = -18,    /* config.vector has another handler */
    TPROF_ERR_IDT = -19,             /* the IDT is too short, or read-only */
};

/* The interrupted registers, for tprof_tick(). */
struct tprof_regs {
    uint64_t rip;
    uint64_t rsp;
    uint64_t rbp;
};

struct tprof_range {
    uint64_t start; /* address */
    uint64_t size;  /* bytes; 0: unused entry */
};

/*
 * A byte stream to the host. Every call comes from one core at a time, with
 * interrupts off, on the profiler's stack. Bounded work; never waits. Inside an
 * interrupt (TPROF_CHANNEL_IRQ_SAFE) it touches general registers only, as all
 * hooks do: nobody has saved vector registers.
 */
struct tprof_channel {
    uint32_t flags; /* TPROF_CHANNEL_* */
    void *context;  /* handed to each function */

    /* A look: 1 a host is attached, 0 none now, negative: dead for good. */
    int (*open)(void *context);

    /* Takes up to (size) bytes and returns how many: 0 means busy, try later;
     * negative: host gone or device dead. The bytes taken may still be read
     * from (data) until pending() no longer counts them. It lies in those 24
     * KiB of config.memory that are physically contiguous. */
    int (*send)(void *context, const void *data, uint32_t size);

    /* Bytes taken by send() and still in use, the oldest freed first. NULL:
     * send() copies. */
    uint32_t (*pending)(void *context);

    /* Copies up to (size) received bytes; 0: none; negative: host gone (then
     * open() is asked again) or device dead. NULL on a one-way channel. */
    int (*receive)(void *context, void *data, uint32_t size);

    /* Lets the host see the end, where the transport can. NULL: nothing. */
    void (*close)(void *context);
};

/* The host cannot speak: sampling begins by itself, with config's rate. */
#define TPROF_CHANNEL_ONE_WAY  (1u << 0)
/* May be called inside any interrupt. Without it only tprof_poll() calls,
 * since the interrupted code may hold a lock that the channel needs. */
#define TPROF_CHANNEL_IRQ_SAFE (1u << 1)

/* The host's coming interrupts the looking core at our vector: nobody has to
 * look meanwhile. Set and cleared by tprof_vsock's open(). */
#define TPROF_CHANNEL_NOTICE (1u << 2)

/*
 * A way to the host other than virtio-serial, linked only into a kernel that
 * names it in config.transport. Opaque.
 */
struct tprof_transport;

/* virtio-vsock: the agent listens on port 7077, for one host at a time. */
extern const struct tprof_transport tprof_vsock;

/* QEMU's debug port (device.address is its I/O port; 0: 0xe9) and a UART that
 * the kernel leaves alone (0: COM1, 0x3f8): the host hears, and cannot speak.
 * What a slow line cannot take is counted. */
extern const struct tprof_transport tprof_debugcon, tprof_uart;

/* Registers, a BAR's too, are used at their physical address. What is not
 * mapped is not there. */
enum tprof_bus {
    TPROF_BUS_AUTO = 0, /* virtio-mmio at (address), or as command line and scan
                           find it, else PCI: found, never by (address) */
    TPROF_BUS_MMIO = 1, /* virtio-mmio at (address), or found */
    TPROF_BUS_PCI = 2,  /* virtio-pci at (address) = bus << 8 | dev << 3 | fn */
    TPROF_BUS_NONE = 3, /* no device of ours: config.channel */
};

/* Where the device of config.transport is: of virtio-serial, the one that has a
 * port named "tprof.0"; of vsock, the one that no driver has claimed. */
struct tprof_device {
    uint32_t bus;             /* enum tprof_bus */
    uint32_t flags;           /* TPROF_DEVICE_* */
    uint64_t address;         /* 0: find it */
    const char *command_line; /* with virtio_mmio.device= entries, or NULL */
    uint32_t irq;             /* IO-APIC pin of an MMIO device, for notice by
                                 interrupt; 0: as the command line says */
};
/* Never probe addresses: only (address) and (command_line) count. Without it
 * 0xfeb00000 to 0xfeb03000, QEMU's microvm, is looked at: with TPROF_BUS_MMIO,
 * or where there is no PCI host bridge; not where the command line names a
 * device.
 */
#define TPROF_DEVICE_NO_SCAN (1u << 0)

/*
 * How an agent that is idle learns that a host has come. An interrupt is
 * possible with tprof_vsock and TPROF_TIMER_APIC: by MSI-X, or by the IO-APIC,
 * which is then used at its physical address, 0xfec00000, if that is mapped.
 */
enum tprof_notice {
    TPROF_NOTICE_AUTO = 0, /* by interrupt if that is possible, else by looks */
    TPROF_NOTICE_LOOK = 1, /* one core looks four times a second */
    TPROF_NOTICE_POLL = 2, /* the kernel calls tprof_poll() now and then: of
                              these, four a second look. No interrupt of ours
                              while no host is there */
};

/*
 * What ticks. A timer of ours that the kernel has masked, or given another
 * vector, mode, divide or count, is noticed by another core that samples, or by
 * tprof_poll() or the device's interrupt, when ticks have stayed away for 10 to
 * 30 ms, and is taken back. On one core without these nobody can notice. A
 * kernel that waits by the count of that timer (as Toro's Delay() does) wants
 * tprof_lend_timer: else it waits too long, or, where the CPU has TSC
 * deadlines, not at all.
 */
enum tprof_timer {
    TPROF_TIMER_APIC = 0,   /* the agent owns each core's local APIC timer */
    TPROF_TIMER_KERNEL = 1, /* the kernel calls tprof_tick(): kernel_hz */
    TPROF_TIMER_SHARED =
        2, /* ... and its timer is one-shot: tprof_deadline() */
};

/*
 * For kernels that wait, in a loop or for an interrupt, by a count that they
 * load into the timer of TPROF_TIMER_APIC: each wait takes as long as it
 * should, some intervals more only where all cores wait at once. Ticks
 * that stay away meanwhile count as missed; after a wait another core's tick
 * gives them back, or the second or third tprof_poll(), on one core alone that
 * only. Never uses TSC deadlines; one APIC access more each tick. Opaque;
 * linked only into a kernel that names it.
 */
struct tprof_lending;
extern const struct tprof_lending tprof_lend_timer;

struct tprof_config;

/*
 * What a hypervisor tells its guests. A kernel that has these things for itself
 * already gives its own struct, with every function. (memory): 64 bytes,
 * aligned to that, zero at first; config->physical() says where the hypervisor
 * finds them.
 */
struct tprof_hypervisor {
    /* TSC ticks a second; 0: unknown. In tprof_init(); (memory) is only lent.
     */
    uint64_t (*tsc_hz)(const struct tprof_config *config, void *memory);
    /* The calling core joins, or leaves; interrupts are off. (memory) is its
     * own, and the same one when it comes again. */
    void (*start_cpu)(const struct tprof_config *config, void *memory);
    void (*stop_cpu)(const struct tprof_config *config, void *memory);
    /* Time that the host took from the core with (memory), ns, cumulative, or
     * TPROF_STEAL_UNKNOWN. From any core. */
    uint64_t (*steal_ns)(const void *memory);
};
#define TPROF_STEAL_UNKNOWN UINT64_MAX

/* KVM: the TSC's rate by kvm-clock, and steal time unless the kernel asks for
 * it itself. On anything else it does nothing. Linked only into a kernel that
 * names it. */
extern const struct tprof_hypervisor tprof_kvm;

#define TPROF_RANGES 4

/* Who am I, in an interrupt: the cheapest that the kernel can give. */
enum tprof_cpu_source {
    TPROF_CPU_APIC = 0,    /* the APIC id: right everywhere, maybe a VM exit */
    TPROF_CPU_GS = 1,      /* u32 at gs:[gs_cpu_offset], from 0 up: in any
                              interrupt, of ring 3, too */
    TPROF_CPU_TSC_AUX = 2, /* RDTSCP: TSC_AUX becomes ours, if the CPU has it */
    TPROF_CPU_HOOK = 3,    /* cpu_index() */
};

struct tprof_config {
    uint32_t version; /* TPROF_CONFIG_VERSION */

    /* What to sample. The host may change both while running. */
    uint32_t rate_hz;    /* 1 to 50000 a core; 0: 997 */
    uint32_t max_frames; /* 1 to 127 callers; 0: 64 */

    /* Memory, all of it the caller's and for good. A device reads its first
     * 24 KiB: those are physically contiguous. */
    void *memory;       /* NULL: linker/tprof_memory.ld's */
    size_t memory_size; /* bytes */
    uint32_t cpus;      /* most cores, 1 to 64; 0: as memory allows */
    uint32_t
        ring_bytes; /* a core's; power of two, 4 KiB to 16 MiB; 0: 64 KiB */
    uint32_t dict_slots; /* stacks a core remembers; power of two, 64 to 8192;
                            8 bytes each; 0: 4096 */

    /* The machine. */
    uint64_t tsc_hz;        /* 0: found out, or measured by the host */
    uint64_t lapic;         /* virtual address of its registers; 0: physical */
    uint32_t vector;        /* 32 to 239; 0: the highest absent gate there */
    uint32_t cpu_source;    /* enum tprof_cpu_source */
    uint32_t gs_cpu_offset; /* TPROF_CPU_GS */
    uint32_t timer;         /* enum tprof_timer */
    uint32_t kernel_hz;     /* TPROF_TIMER_KERNEL: how often it ticks */
    uint64_t seed;          /* of the random intervals; 0: from the TSC */
    const struct tprof_lending *lending; /* NULL: the kernel leaves our timer */

    /* The way to the host. */
    struct tprof_device device;
    const struct tprof_channel *channel;     /* instead of the device */
    const struct tprof_transport *transport; /* NULL: virtio-serial */
    uint32_t notice;                         /* enum tprof_notice */

    /* What the hypervisor tells its guests. NULL: nothing. */
    const struct tprof_hypervisor *hypervisor;

    /* Hooks; NULL each is the default. In interrupts they run on the profiler's
     * stack; in other calls, and install_vector and physical always, on the
     * caller's, with interrupts off but for physical. */
    void *context;                        /* handed to each */
    uint32_t (*cpu_index)(void *context); /* TPROF_CPU_HOOK */
    int (*install_vector)(void *context, uint32_t vector, void (*entry)(void));
    /* default: writes this core's IDT */
    uint64_t (*physical)(void *context, const void *address); /* identity */
    /* The device's interrupt shall arrive as (vector) on the core with
     * (apic_id): where the kernel rules over MSI-X, whose first entry it is, or
     * the IO-APIC. 0: done. On whichever core, in an interrupt too. NULL: done
     * by the agent. */
    int (*route_irq)(void *context, uint32_t vector, uint32_t apic_id);

    /* What may be looked at. */
    struct tprof_range
        text; /* valid return addresses; size 0: the fragment's */
    struct tprof_range readable[TPROF_RANGES]; /* stacks lie here, and it never
                             faults; all 0: the image. Ascending. */
};

/* What the image says of itself; the linker fragments provide it. */
struct tprof_image {
    const void *text_start, *text_end;   /* tprof_bounds.ld */
    const void *image_start, *image_end; /* tprof_bounds.ld */
    const void *build_id, *build_id_end; /* tprof_note.ld: the ELF note */
    void *memory, *memory_end;           /* tprof_memory.ld */
};

/*
 * Prepares the agent; tprof_init() below is this with the linker fragments'
 * symbols. Copies (config) and (image). Call once, on the boot core, before
 * any other function. Probes the device, measures the timer (about 1 ms).
 *
 * Returns TPROF_OK, or an error: then nothing was changed or claimed, and it
 * may be called again. TPROF_ERR_STATE: it has succeeded before; _VERSION,
 * _CONFIG; _TEXT, _TEXT_UNMAPPED; _MEMORY, _MEMORY_SMALL, _MEMORY_UNMAPPED;
 * _DEVICE: a kernel may well go on without; with TPROF_TIMER_APIC _APIC,
 * _APIC_OFF, _APIC_UNMAPPED, _IDT, _VECTOR, _TIMER. Whether memory is there the
 * CPU is asked, by a copy of the exceptions' gates: the IDT that is loaded, if
 * it has them, is mapped. No fault of that reaches the kernel.
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

/* As tprof_init_image(), with what the linker fragments provide. */
static inline int tprof_init(const struct tprof_config *config)
{
    /* a table: 64-bit relocations reach wherever the image lies */
    static const struct tprof_image image = {
        __tprof_text_start, __tprof_text_end,   __tprof_image_start,
        __tprof_image_end,  __tprof_build_id,   __tprof_build_id_end,
        __tprof_memory,     __tprof_memory_end,
    };

    return tprof_init_image(config, &image);
}
#endif

/* Bytes of memory that (config) needs with config.cpus cores (0: 1 core). */
size_t tprof_mem_size(const struct tprof_config *config);

/*
 * Joins the calling core; from now on it samples whenever the host asks.
 * Cores are numbered by config.cpu_source, or in the order of these calls
 * (TPROF_CPU_APIC, TPROF_CPU_TSC_AUX). Call it once on each core, after its
 * IDT is loaded and its local APIC is enabled.
 *
 * Returns TPROF_OK, or an error: then the core has not joined, and is as it
 * was. TPROF_ERR_NOT_INIT; _CPU; _STATE: it has joined; with TPROF_TIMER_APIC
 * _APIC, _APIC_OFF, _APIC_UNMAPPED, _IDT, _VECTOR_TAKEN, or what
 * config.install_vector returned.
 */
int tprof_start_cpu(void);

/* Takes the calling core out again; its gate stays, its timer is free.
 * Returns TPROF_OK, TPROF_ERR_NOT_INIT, or TPROF_ERR_STATE: it has not joined.
 */
int tprof_stop_cpu(void);

/*
 * Drains, and listens to the host. For kernels that rather drain from their
 * idle loop, and the only drain of a channel that is not
 * TPROF_CHANNEL_IRQ_SAFE. Any core, any time, never inside a tick. Interrupts
 * are off meanwhile.
 */
void tprof_poll(void);

/*
 * The kernel's own timer interrupt on this core took (regs):
 * TPROF_TIMER_KERNEL, TPROF_TIMER_SHARED. Interrupts off or on, any stack with
 * 256 bytes left.
 */
void tprof_tick(const struct tprof_regs *regs);

/*
 * TPROF_TIMER_SHARED: when the calling core's timer shall fire at the latest,
 * TSC. Whenever a kernel without a fixed tick programs its one-shot timer, it
 * takes the earlier one of its own deadline and this; its handler calls
 * tprof_tick(), and programs the timer again. It may be over by then: the timer
 * fires at once, since nothing but tprof_tick() moves it on. Intervals are
 * drawn at random, as with TPROF_TIMER_APIC. A core that does not sample is
 * wanted some times a second; one that has not joined, never: UINT64_MAX.
 * Interrupts are off.
 */
uint64_t tprof_deadline(void);

/*
 * Sends what the rings hold, for a guest about to exit: at most (frames)
 * frames of 1.5 KiB. Returns 0 when all is sent, else 1.
 */
int tprof_flush(uint32_t frames);

/* Cumulative since tprof_init(). deadlines = ticks + missed;
 * ticks = samples + ring_full + reentered. */
struct tprof_stats {
    uint64_t ticks, samples, missed, ring_full, reentered;
    uint64_t cost_tsc, cost_max_tsc; /* spent in the profiler's interrupt */
    uint64_t by_division;            /* ticks so late that drawing gave up */
    uint64_t stacks;                 /* dictionary definitions */
    uint64_t foreign;                /* interrupts that were no tick */
    uint64_t repaired; /* times that its timer was taken back: ticks had stayed
                          away for long, or others had used it */
    uint32_t apic_id;
    uint32_t started;
};

/*
 * A further image, say an application that the kernel has loaded: where its
 * code lies, and how the host knows its ELF file.
 */
struct tprof_mapping {
    const char *name;       /* as its file is named; as long as it is there */
    const void *build_id;   /* the id's bytes, likewise. NULL: it has none */
    uint32_t build_id_size; /* at most 64 */
    uint64_t start, size;   /* its code: run-time address, bytes */
    uint64_t link_start;    /* (start) as its ELF file has it */
};
#define TPROF_MAPPINGS 16

/*
 * Tells of (mapping), which is copied; its code is mapped by now, and read
 * where there is no build_id. Its functions have names then, and frames in it
 * are accepted. Mappings that it overlaps are gone from now on: of applications
 * that have ended. A collector that is attached meanwhile has told the range's
 * first one only, and says so. Any core, after tprof_init(), never inside a
 * tick.
 *
 * Returns TPROF_OK; TPROF_ERR_NOT_INIT; TPROF_ERR_CONFIG if it makes no sense,
 * or overlaps text; TPROF_ERR_MEMORY_SMALL if there are TPROF_MAPPINGS others.
 */
int tprof_map(const struct tprof_mapping *mapping);

/* Reads (core)'s counters. Returns TPROF_OK or TPROF_ERR_CPU. */
int tprof_get_stats(uint32_t core, struct tprof_stats *stats);

/* What an error means and what to do, one line. Never NULL. */
const char *tprof_strerror(int error);

/* TPROF_VERSION of the library that is linked. */
uint32_t tprof_version(void);

/* Where this image was loaded: its address, less the ELF's, is the slide. */
extern const char tprof_anchor[];

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
