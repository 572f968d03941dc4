/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ways to the host: a channel that the kernel provides, or a device. A
 * kernel includes tprof.h, which includes this.
 */
#ifndef TPROF_CHANNEL_H
#define TPROF_CHANNEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default) /* the rest of the library is hidden */

/*
 * A byte stream to the host. tprof_init() copies this struct. Only one core at
 * a time calls these functions.
 *
 * Without TPROF_CHANNEL_IRQ_SAFE only tprof_poll() and tprof_flush() call these
 * functions, on the caller's stack and with the caller's interrupt flag. The
 * functions may take locks, switch interrupts on, and wait. The agent sends
 * nothing while a function waits.
 *
 * With TPROF_CHANNEL_IRQ_SAFE interrupts are off, and the functions run on the
 * profiler's stack. They run on the caller's stack in tprof_flush(), and in
 * tprof_poll() on a core that has not joined. Each function does bounded work
 * and never waits. Each function uses general registers only, as every hook
 * must, because the vector registers of the interrupted code have not been
 * saved.
 */
struct tprof_channel {
    uint32_t flags; /* TPROF_CHANNEL_* */
    void *context;  /* passed to each function */

    /* Is a host attached? Returns 1 if it is. Returns 0 if not; the agent asks
     * again. Negative: the channel is dead, and no function is called again. */
    int (*open)(void *context);
    /*
     * Takes up to (size) bytes. The channel may read the bytes until pending()
     * no longer counts them. They lie in the first 24 KiB of config.memory,
     * which are physically contiguous.
     *
     * Returns the number of bytes that it took;
     * 0: busy, try later;
     * TPROF_ERR_CLOSED: the host went away, and open() must find the next host;
     * another negative value: the channel is dead.
     */
    int (*send)(void *context, const void *data, uint32_t size);
    /* Returns the number of bytes that send() took and the channel still reads.
     * It finishes with the oldest bytes first. NULL: send() copies. */
    uint32_t (*pending)(void *context);
    /* Copies up to (size) received bytes, and returns their number. Negative:
     * as for send(). NULL: no bytes ever arrive, as on a one-way channel. */
    int (*receive)(void *context, void *data, uint32_t size);
};

/* The host cannot speak. Sampling begins by itself, at config.rate_hz. */
#define TPROF_CHANNEL_ONE_WAY  (1u << 0)
/* The channel may be called inside any interrupt. Without this flag only
 * tprof_poll() and tprof_flush() call it: the interrupted code may hold a lock
 * that the channel needs. */
#define TPROF_CHANNEL_IRQ_SAFE (1u << 1)
/* An interrupt at the agent's vector announces a host, so no core has to look
 * for one. The open() of tprof_vsock sets and clears this flag; a kernel's own
 * channel leaves it 0. */
#define TPROF_CHANNEL_NOTICE   (1u << 2)
/* open() has more to do before a host can attach, and is called again soon. The
 * open() of virtio-serial sets and clears this flag. */
#define TPROF_CHANNEL_SOON     (1u << 3)

/* A way to the host other than virtio-serial, linked only into a kernel that
 * names it in config.transport. Opaque. */
struct tprof_transport;

/* virtio-vsock: the agent listens on port 7077, for one host at a time. */
extern const struct tprof_transport tprof_vsock;

/* QEMU's debug port (device.address is its I/O port; 0: 0xe9), and a UART that
 * the kernel leaves alone (device.address is its first I/O port; 0: 0x3f8,
 * COM1). The host receives the guest's bytes and cannot send any. Samples for
 * which a slow line has no time are counted as lost. */
extern const struct tprof_transport tprof_debugcon, tprof_uart;

/* The place of the device. Its registers, also those behind a PCI BAR, must be
 * mapped at their physical address, or at the address from config.map.
 * Otherwise the device is not found. */
enum tprof_bus {
    /* With (address): virtio-mmio there. Without: virtio-mmio as the command
     * line says, then virtio-pci. Without a PCI host bridge, the scan
     * (TPROF_DEVICE_NO_SCAN) replaces virtio-pci. */
    TPROF_BUS_AUTO = 0,
    /* virtio-mmio at (address); 0: by the command line, then by the scan */
    TPROF_BUS_MMIO = 1,
    /* virtio-pci at (address) = bus << 8 | dev << 3 | fn; 0: by a search */
    TPROF_BUS_PCI = 2,
    TPROF_BUS_NONE = 3, /* no virtio device: config.channel is used */
};

/* The device of config.transport. Without an address the agent finds a
 * virtio-serial device that has a port named "tprof.0", or a vsock device. It
 * skips a device that a driver is already using. */
struct tprof_device {
    uint32_t bus;     /* enum tprof_bus */
    uint32_t flags;   /* TPROF_DEVICE_* */
    uint64_t address; /* as enum tprof_bus says; 0: find the device */
    /* the kernel's, with virtio_mmio.device= entries; NULL: none */
    const char *command_line;
    /* IO-APIC pin of an MMIO device, for notice by interrupt; 0: as the command
     * line says */
    uint32_t irq;
};

/* Do not scan: only (address) and (command_line) name virtio-mmio devices. The
 * scan looks from 0xfeb00000 to 0xfeb03000, where QEMU's microvm has its
 * devices. There is no scan either if the command line names a device. */
#define TPROF_DEVICE_NO_SCAN    (1u << 0)
/* tprof_vsock: callers other than the host, which is CID 2, may attach, too.
 * These are other guests, if the host forwards their packets. */
#define TPROF_DEVICE_ANY_CID    (1u << 1)
/* tprof_vsock: only callers with a port below 1024 may attach. Linux gives such
 * a port only to processes with CAP_NET_BIND_SERVICE, and the collector takes
 * one with --privileged. Leave this out if callers come through a Unix socket
 * (Firecracker, Cloud Hypervisor, `collector bridge`): there the socket's
 * permissions decide. */
#define TPROF_DEVICE_PRIVILEGED (1u << 2)

/* The way in which an idle agent notices a host. An interrupt is possible with
 * tprof_vsock and TPROF_TIMER_APIC: by MSI-X, or by the IO-APIC. The IO-APIC
 * must be mapped at its physical address, 0xfec00000, or at the address from
 * config.map. */
enum tprof_notice {
    TPROF_NOTICE_AUTO = 0, /* by interrupt if possible, else as _LOOK */
    TPROF_NOTICE_LOOK = 1, /* one core looks four times a second */
    /* The kernel calls tprof_poll() from time to time, and at most four calls a
     * second look. The agent causes no interrupt while no host is there. */
    TPROF_NOTICE_POLL = 2,
};

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
