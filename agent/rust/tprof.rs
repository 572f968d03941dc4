// SPDX-License-Identifier: BSD-2-Clause
//! libtprof for kernels in Rust. This module declares everything of tprof.h, which is the
//! contract and says more about each call. It needs only `core`, and a target without a red
//! zone, as x86_64-unknown-none is. It is a module of the kernel's, or a crate (edition 2018
//! or 2021).
//!
//! ```ignore
//! let config = tprof::Config::new(); // the good default of every field
//! unsafe { tprof::init(&config) }?; // on the boot core
//! tprof::start_cpu()?; // on every core
//! ```
//!
//! `-C force-frame-pointers=yes` makes a profile show callers; compile `core` and `alloc` with
//! it, too (`-Z build-std`). `-C debuginfo=1` or more gives lines and inlined functions. Link
//! with `--gc-sections`, as rustc does by itself.
#![allow(dead_code, unused_unsafe)] // addr_of! of a static was unsafe before 1.83

use core::ffi::c_void;
use core::mem::size_of;

/// Version of this interface's source: major << 16 | minor << 8 | patch.
pub const VERSION: u32 = 0x000100;
pub const VERSION_STRING: &str = "0.1.0";

/// Value of `Config::version`. It grows when the struct's layout changes.
pub const CONFIG_VERSION: u32 = 7;

pub const OK: i32 = 0;
pub const ERR_VERSION: i32 = -1; // config.version is not this module's
pub const ERR_CONFIG: i32 = -2; // a field is out of its range
pub const ERR_TEXT: i32 = -3; // no text bounds: link tprof_bounds.ld
pub const ERR_MEMORY: i32 = -4; // no memory: link tprof_memory.ld
pub const ERR_STATE: i32 = -5; // a second call, or a core not joined
pub const ERR_CPU: i32 = -6; // more cores than config.cpus or memory allow
pub const ERR_VECTOR: i32 = -7; // every gate from 32 to 239 is in use
pub const ERR_APIC: i32 = -8; // the CPU has no local APIC
pub const ERR_DEVICE: i32 = -9; // no such device, or it misbehaves
pub const ERR_CLOSED: i32 = -10; // from a channel: the host went away
pub const ERR_NOT_INIT: i32 = -11; // init() has not succeeded yet
pub const ERR_TEXT_UNMAPPED: i32 = -12; // text is not mapped
pub const ERR_MEMORY_SMALL: i32 = -13; // too little memory for config.cpus
pub const ERR_MEMORY_UNMAPPED: i32 = -14; // memory not mapped, or read-only
pub const ERR_APIC_OFF: i32 = -15; // the local APIC is disabled
pub const ERR_APIC_UNMAPPED: i32 = -16; // the local APIC's page is not mapped
pub const ERR_TIMER: i32 = -17; // the APIC's timer does not count
pub const ERR_VECTOR_TAKEN: i32 = -18; // config.vector has another handler
pub const ERR_IDT: i32 = -19; // no IDT, or too short, or read-only
pub const ERR_DEVICE_TAKEN: i32 = -20; // a driver has the device that is there
pub const ERR_DEVICE_PORT: i32 = -21; // virtio-serial without our port
pub const ERR_DEVICE_UNMAPPED: i32 = -22; // its registers are not mapped
pub const ERR_DEVICE_PLATFORM: i32 = -23; // it wants VIRTIO_F_ACCESS_PLATFORM
pub const ERR_IO_PORT: i32 = -24; // no UART, or debug port, at the port
pub const ERR_IMAGE: i32 = -25; // the agent is not loaded whole
pub const ERR_TIMER_TAKEN: i32 = -26; // the kernel uses the local APIC's timer
pub const ERR_CLOCK: i32 = -27; // the TSC's rate is not known

/// `Channel::flags`
pub const CHANNEL_ONE_WAY: u32 = 1 << 0; // the host cannot speak
pub const CHANNEL_IRQ_SAFE: u32 = 1 << 1; // may be called inside any interrupt
pub const CHANNEL_NOTICE: u32 = 1 << 2; // an interrupt announces a host; vsock() sets and clears it
pub const CHANNEL_SOON: u32 = 1 << 3;

/// `Device::bus`
pub const BUS_AUTO: u32 = 0; // by address, command line or scan, else PCI
pub const BUS_MMIO: u32 = 1; // virtio-mmio at address; 0: by command line or scan
pub const BUS_PCI: u32 = 2; // virtio-pci at bus << 8 | dev << 3 | fn; 0: by a search
pub const BUS_NONE: u32 = 3; // no virtio device: config.channel is used

/// `Device::flags`
pub const DEVICE_NO_SCAN: u32 = 1 << 0; // never probe addresses
pub const DEVICE_ANY_CID: u32 = 1 << 1; // vsock(): callers other than the host may attach, too
pub const DEVICE_PRIVILEGED: u32 = 1 << 2; // vsock(): only callers with a port below 1024 may

/// `Config::notice`: the way in which an idle agent notices a host.
pub const NOTICE_AUTO: u32 = 0; // by interrupt if possible, else as NOTICE_LOOK
pub const NOTICE_LOOK: u32 = 1; // one core looks four times a second
pub const NOTICE_POLL: u32 = 2; // the kernel calls poll(); at most four calls a second look

/// `Config::timer`: the source of ticks.
pub const TIMER_APIC: u32 = 0; // the agent owns each core's local APIC timer
pub const TIMER_KERNEL: u32 = 1; // the kernel has a fixed tick: tick(), kernel_hz
pub const TIMER_SHARED: u32 = 2; // the kernel's timer is one-shot: tick(), deadline()

/// `Config::boot`: samples that a ring keeps if it cannot keep all of boot.
pub const BOOT_OLDEST: u32 = 1;
pub const BOOT_NEWEST: u32 = 2; // the newest, in nearly half a ring at least

/// `Config::cpu_source`: ways for an interrupt to find its core.
pub const CPU_APIC: u32 = 0; // the APIC id: always right, but may be a VM exit
pub const CPU_GS: u32 = 1; // u32 at gs:[gs_cpu_offset], counted from 0
pub const CPU_TSC_AUX: u32 = 2; // RDTSCP: the agent owns TSC_AUX
pub const CPU_HOOK: u32 = 3; // cpu_index()

/// `Config::control`: decisions of the host, in addition to begin and end.
pub const CONTROL_LIMITED: u32 = 0; // rate and frames, within the limits
pub const CONTROL_FIXED: u32 = 1; // no more: rate_hz and max_frames hold

pub const RANGES: usize = 4;
pub const MAPPINGS: usize = 16; // greatest number at a time
pub const COUNTERS: usize = 8; // the limit of add_counter()

// Why a thread runs no longer
pub const BLOCKED: u32 = 0; // it waits until wake()
pub const READY: u32 = 1; // it waits for a core: preempted, or it has yielded
pub const ENDED: u32 = 2; // as thread_end()
pub const STEAL_UNKNOWN: u64 = u64::MAX; // Hypervisor::steal_ns

/// An error: one of ERR_*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error(pub i32);

impl Error {
    /// One line: what the error means and what to do.
    pub fn message(self) -> &'static str {
        // the text is never NULL, is never freed, and is ASCII
        unsafe {
            let text = ffi::tprof_strerror(self.0);
            let mut len = 0;
            while *text.add(len) != 0 {
                len += 1;
            }
            core::str::from_utf8_unchecked(core::slice::from_raw_parts(text, len))
        }
    }
}

/// The interrupted registers, for `tick()`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Regs {
    pub rip: u64,
    pub rsp: u64,
    pub rbp: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Range {
    pub start: u64, // address
    pub size: u64,  // bytes; 0: unused entry
}

/// A byte stream to the host that the kernel provides. `init()` copies it. One core at a time calls
/// these functions, with interrupts off. Each does bounded work, never waits, and never panics.
/// Inside an interrupt it uses general registers only, as every hook must.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Channel {
    pub flags: u32,           // CHANNEL_*
    pub context: *mut c_void, // passed to each function
    /// Is a host attached? 1: yes. 0: not now. Negative: the channel is dead.
    pub open: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
    /// Takes up to so many bytes and returns their number. 0: busy, try later. ERR_CLOSED: the host
    /// went away. Other negative values: the channel is dead.
    pub send: Option<unsafe extern "C" fn(*mut c_void, *const c_void, u32) -> i32>,
    /// Returns the bytes that send took and the channel still reads. None: send copies.
    pub pending: Option<unsafe extern "C" fn(*mut c_void) -> u32>,
    /// Copies up to so many received bytes, returns their number. None: nothing ever arrives.
    pub receive: Option<unsafe extern "C" fn(*mut c_void, *mut c_void, u32) -> i32>,
}
unsafe impl Sync for Channel {}

/// A way to the host other than virtio-serial: the result of `vsock()`, for example.
#[repr(C)]
pub struct Transport {
    opaque: [u8; 0],
}

/// The result of `nmi()`. Opaque.
#[repr(C)]
pub struct Nmi {
    opaque: [u8; 0],
}

/// The result of `lend_timer()`. Opaque.
#[repr(C)]
pub struct Lending {
    opaque: [u8; 0],
}

/// The place of the device. Without an address the agent finds a virtio-serial device that has
/// a port named "tprof.0", or a vsock device. It skips a device that a driver is using.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Device {
    pub bus: u32,                // BUS_*
    pub flags: u32,              // DEVICE_*
    pub address: u64,            // 0: find the device
    pub command_line: *const u8, // with virtio_mmio.device= entries; null: none
    /// IO-APIC pin of an MMIO device, for notice by interrupt; 0: as the command line says
    pub irq: u32,
}

/// Facts that a hypervisor reports to its guests; see tprof.h.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Hypervisor {
    /// The TSC's rate in Hz; 0: unknown. memory may be used during this call.
    pub tsc_hz: Option<unsafe extern "C" fn(*const Config, *mut c_void) -> u64>,
    /// Called when the calling core joins, or leaves. memory is that core's own.
    pub start_cpu: Option<unsafe extern "C" fn(*const Config, *mut c_void)>,
    pub stop_cpu: Option<unsafe extern "C" fn(*const Config, *mut c_void)>,
    /// Time that the host took from the core with memory, in ns, cumulative, or STEAL_UNKNOWN.
    pub steal_ns: Option<unsafe extern "C" fn(*const c_void) -> u64>,
}

/// Begin with `Config::new()`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Config {
    pub version: u32, // CONFIG_VERSION

    // Rate and depth, unless the host asks for others.
    pub rate_hz: u32,    // samples a second and core, 1 to 100000; 0: 997
    pub max_frames: u32, // callers that are recorded, 1 to 127; 0: 64

    // Limits for the host's choice.
    pub rate_max_hz: u32, // 1 to 100000; 0: 100000
    pub frames_max: u32,  // 1 to 127; 0: 127
    pub control: u32,     // CONTROL_*

    // Memory, which the kernel gives until exit(). The first 24 KiB are physically contiguous,
    // because a device reads them.
    pub memory: *mut c_void, // null: the memory of tprof_memory.ld, for 4 cores
    pub memory_size: usize,  // bytes; mem_size() returns the necessary number
    pub cpus: u32,           // cores that may join, 1 to 256; 0: as memory allows
    pub ring_bytes: u32,     // of each core; power of two, 4 KiB to 16 MiB; 0: 64 KiB
    pub dict_slots: u32,     // stacks that each core remembers; power of two, 64 to 8192; 0: 4096
    pub always: u32,         // 1: a flight recorder: cores sample without a host, too
    pub boot: u32,           // BOOT_*, or 0: the first collector gets samples from boot on

    // The machine.
    pub tsc_hz: u64,        // 0: the agent or the host measures it
    pub lapic: u64,         // virtual address of its registers; 0: the physical one
    pub vector: u32,        // 32 to 239; 0: the highest whose gate is not present
    pub cpu_source: u32,    // CPU_*
    pub gs_cpu_offset: u32, // CPU_GS: bytes from the base of GS
    pub timer: u32,         // TIMER_*
    pub kernel_hz: u32,     // TIMER_KERNEL: calls of tick() a second and core
    /// TIMER_APIC, 1: take a timer that the kernel or its firmware uses, instead of
    /// ERR_TIMER_TAKEN. The other use ends.
    pub take_timer: u32,
    pub seed: u64,          // of the random intervals; 0: another in each boot
    pub lending: *const Lending, // lend_timer(); null: the kernel leaves the timer alone
    pub nmi: *const Nmi, // nmi(); null: code with interrupts off is not seen where it runs

    // The way to the host.
    pub device: Device,
    pub channel: *const Channel,     // used instead of the device
    pub transport: *const Transport, // null: virtio-serial
    pub notice: u32,                 // NOTICE_*

    // Facts from the hypervisor. null: none.
    pub hypervisor: *const Hypervisor,

    // Hooks; None: the default.
    pub context: *mut c_void, // passed to each hook
    pub cpu_index: Option<unsafe extern "C" fn(*mut c_void) -> u32>, // CPU_HOOK
    /// None: the agent writes the IDT of the calling core
    pub install_vector:
        Option<unsafe extern "C" fn(*mut c_void, u32, Option<unsafe extern "C" fn()>) -> i32>,
    /// Returns the physical address. None: they are equal
    pub physical: Option<unsafe extern "C" fn(*mut c_void, *const c_void) -> u64>,
    /// Returns the virtual address of device registers at a physical address. None: they are equal
    pub map: Option<unsafe extern "C" fn(*mut c_void, u64, usize) -> *mut c_void>,
    /// Makes the device's interrupt arrive as (vector) on the core with (apic_id).
    pub route_irq: Option<unsafe extern "C" fn(*mut c_void, u32, u32) -> i32>,
    /// vsock(): may the caller with (cid) and (port) attach? Returns 1 or 0. None: all may.
    pub accept: Option<unsafe extern "C" fn(*mut c_void, u64, u32) -> i32>,

    pub text: Range, // where return addresses are valid; size 0: the image's text
    /// The memory of stacks outside the image; a read there never faults. Ascending, unused
    /// entries last. If an entry overlaps the image, only entries count.
    pub readable: [Range; RANGES],
}

impl Config {
    /// The good default of every field.
    pub const fn new() -> Config {
        // zero is null and None, too
        let zeroed: Config = unsafe { core::mem::transmute([0u8; size_of::<Config>()]) };

        Config { version: CONFIG_VERSION, ..zeroed }
    }
}

/// The parts of the image. Equal pointers: that part is missing.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Image {
    pub text_start: *const c_void,
    pub text_end: *const c_void,
    pub image_start: *const c_void,
    pub image_end: *const c_void,
    pub build_id: *const c_void, // the ELF note
    pub build_id_end: *const c_void,
    pub memory: *mut c_void,
    pub memory_end: *mut c_void,
}

/// One core's counters since init(). Deadlines are ticks + missed, and
/// ticks = samples + ring_full + reentered.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Stats {
    pub ticks: u64,        // interrupts that were due to take a sample
    pub samples: u64,      // samples that were written into the ring
    pub missed: u64,       // deadlines that had no tick of their own
    pub ring_full: u64,    // ticks without a sample: the ring was full
    pub reentered: u64,    // ticks without a sample: inside a hook
    pub cost_tsc: u64,     // TSC ticks spent in ticks and in sending
    pub cost_max_tsc: u64, // TSC ticks spent in the longest of these
    pub by_division: u64,  // ticks that cover too many deadlines to draw all
    pub stacks: u64,       // stacks that were described to the host
    pub foreign: u64,      // interrupts at the vector: neither tick nor work
    pub repaired: u64,     // times that the agent took this core's timer back
    pub faults: u64,       // faults of the walk that fixup() has mended
    pub apic_id: u32,
    pub started: u32, // 1: the core has joined, 0: it has left
}

/// A further image, for example an application that the kernel has loaded: the place of its
/// code, and the marks by which the host recognizes its ELF file.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Mapping {
    pub name: *const u8,         // of the image's file; copied, up to 255 bytes
    pub build_id: *const c_void, // the bytes, copied as well; null: it has none
    pub build_id_size: u32,      // at most 64
    pub start: u64,              // run-time address of the code, not 0
    pub size: u64,               // bytes of the code, not 0
    pub link_start: u64,         // address of start in the image's ELF file
}

/// Memory for the times of threads.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ThreadsConfig {
    pub memory: *mut c_void, // aligned to 64 bytes, given for ever
    pub size: usize,         // bytes: threads_memory()
    pub threads: u32,        // that live or have just ended, 16 to 65536; 0: 64
    pub waits: u32,          // stacks at which threads wait or are woken; 0: 256
    pub frames: u32,         // callers of such a stack, 1 to 16; 0: 16
}

/// Returns the bytes of memory for `Config::cpus` cores and the two tables.
pub const fn threads_memory(cores: usize, threads: usize, waits: usize) -> usize {
    640 * cores + 128 * threads + 192 * waits
}

/// Memory for the sums of locks.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LocksConfig {
    pub memory: *mut c_void, // aligned to 64 bytes, given for ever
    pub size: usize,         // bytes: locks_memory()
    pub locks: u32,          // 16 to 65536; 0: 64
    pub waits: u32, // stacks at which threads wait or acquire, and threads that wait; 0: 256
}

/// Returns the bytes of memory for the two tables.
pub const fn locks_memory(locks: usize, waits: usize) -> usize {
    384 * locks + 320 * waits
}

/// Memory for the times of requests.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RequestsConfig {
    pub memory: *mut c_void, // aligned to 64 bytes, given for ever
    pub size: usize,         // bytes: requests_memory()
    pub kinds: u32,          // kinds of requests, 1 to 32; 0: 1
    pub open: u32,           // open requests, 16 to 65536; 0: 256
    pub slow: u32,           // slow requests of a kind that are told, 1 to 1024; 0: 32
}

/// Returns the bytes of memory for the histograms and the tables of requests.
pub const fn requests_memory(kinds: usize, open: usize, slow: usize) -> usize {
    20480 * kinds + 128 * open + 64 * kinds * slow
}

/// A counter of the kernel's work, for example of the requests that it has answered.
#[repr(C)]
pub struct Counter {
    name: *const u8, // of the units; at most 63 bytes are used
    units: core::sync::atomic::AtomicU64,
}

unsafe impl Sync for Counter {} // (name) is never written

impl Counter {
    /// `name` is the name of the units and ends in a zero byte: "requests\0" for example.
    pub const fn new(name: &'static str) -> Counter {
        assert!(name.as_bytes()[name.len() - 1] == 0);
        Counter { name: name.as_ptr(), units: core::sync::atomic::AtomicU64::new(0) }
    }

    /// Counts `units` more. One instruction, on any core.
    #[inline]
    pub fn progress(&self, units: u64) {
        self.units.fetch_add(units, core::sync::atomic::Ordering::Relaxed);
    }
}

/// The functions as C declares them.
mod ffi {
    use super::*;
    extern "C" {
        pub fn tprof_init_image(config: *const Config, image: *const Image) -> i32;
        pub fn tprof_mem_size(config: *const Config) -> usize;
        pub fn tprof_start_cpu() -> i32;
        pub fn tprof_stop_cpu() -> i32;
        pub fn tprof_exit() -> i32;
        pub fn tprof_poll();
        pub fn tprof_tick(regs: *const Regs);
        pub fn tprof_fixup(regs: *mut Regs) -> i32;
        pub fn tprof_deadline() -> u64;
        pub fn tprof_flush(frames: u32) -> i32;
        pub fn tprof_map(mapping: *const Mapping) -> i32;
        pub fn tprof_unmap(start: u64) -> i32;
        pub fn tprof_add_counter(counter: *const Counter) -> i32;
        pub fn tprof_mark(name: *const u8) -> i32;
        pub fn tprof_threads(config: *const ThreadsConfig) -> i32;
        pub fn tprof_name(id: u64, name: *const u8) -> i32;
        pub fn tprof_name_idle(id: u64, name: *const u8) -> i32;
        pub fn tprof_thread_end(id: u64);
        pub fn tprof_thread(id: u64);
        pub fn tprof_thread_slot(index: u32) -> *mut u64;
        pub fn tprof_switch(from: u64, to: u64, why: u32);
        pub fn tprof_wake(id: u64);
        pub fn tprof_requests(config: *const RequestsConfig) -> i32;
        pub fn tprof_kind(kind: u32, name: *const u8) -> i32;
        pub fn tprof_begin(kind: u32, number: u64);
        pub fn tprof_queue(kind: u32, number: u64);
        pub fn tprof_request(kind: u32, number: u64);
        pub fn tprof_end(kind: u32, number: u64);
        pub fn tprof_locks(config: *const LocksConfig) -> i32;
        pub fn tprof_lock_name(lock: *const c_void, name: *const u8) -> i32;
        pub fn tprof_wait(lock: *const c_void);
        pub fn tprof_got(lock: *const c_void);
        pub fn tprof_gave(lock: *const c_void);
        pub fn tprof_get_stats(core: u32, stats: *mut Stats) -> i32;
        pub fn tprof_strerror(error: i32) -> *const u8;
        pub fn tprof_version() -> u32;

        pub static tprof_vsock: Transport;
        pub static tprof_debugcon: Transport;
        pub static tprof_uart: Transport;
        pub static tprof_kvm: Hypervisor;
        pub static tprof_lend_timer: Lending;
        pub static tprof_nmi: Nmi;
        pub static tprof_anchor: u8;
        pub static tprof_rust_image: Image;
    }
}

// Symbols of the linker's fragments. A symbol of a fragment that is not linked is at
// address 0; Rust itself has no weak symbols.
core::arch::global_asm!(
    ".weak __tprof_text_start, __tprof_text_end, __tprof_image_start, __tprof_image_end",
    ".weak __tprof_build_id, __tprof_build_id_end, __tprof_memory, __tprof_memory_end",
    ".pushsection .data.rel.ro.tprof_rust_image, \"aw\"",
    ".balign 8",
    ".weak tprof_rust_image",
    ".hidden tprof_rust_image",
    ".type tprof_rust_image, @object",
    ".size tprof_rust_image, 64",
    "tprof_rust_image:",
    ".quad __tprof_text_start, __tprof_text_end, __tprof_image_start, __tprof_image_end",
    ".quad __tprof_build_id, __tprof_build_id_end, __tprof_memory, __tprof_memory_end",
    ".popsection",
);

fn check(result: i32) -> Result<(), Error> {
    if result == OK {
        Ok(())
    } else {
        Err(Error(result))
    }
}

/// Prepares the agent, with the image that the linker's fragments describe. Call it once, on
/// the boot core, before any other function.
///
/// After an error nothing was changed or claimed, and the kernel may call it again or
/// continue without a profiler.
///
/// # Safety
/// Everything to which `config` points, and the machine, are as tprof.h requires.
#[inline]
pub unsafe fn init(config: &Config) -> Result<(), Error> {
    init_image(config, &*core::ptr::addr_of!(ffi::tprof_rust_image))
}

/// Prepares the agent as `init()` does, for a kernel that is linked without the fragments.
///
/// # Safety
/// As for `init()`, and `image` is right.
#[inline]
pub unsafe fn init_image(config: &Config, image: &Image) -> Result<(), Error> {
    check(ffi::tprof_init_image(config, image))
}

/// Returns the bytes of memory that `config` needs for config.cpus cores (0: for one).
#[inline]
pub fn mem_size(config: &Config) -> usize {
    unsafe { ffi::tprof_mem_size(config) }
}

/// Makes the calling core join. Call it once on each core, after the core's IDT is loaded and its
/// local APIC is enabled.
#[inline]
pub fn start_cpu() -> Result<(), Error> {
    check(unsafe { ffi::tprof_start_cpu() })
}

/// Makes the calling core leave. Its gate stays; its timer is the kernel's again.
#[inline]
pub fn stop_cpu() -> Result<(), Error> {
    check(unsafe { ffi::tprof_stop_cpu() })
}

/// Undoes init(): the device is reset, and config.memory is the kernel's again. Every other
/// core must have called stop_cpu().
pub fn exit() -> Result<(), Error> {
    check(unsafe { ffi::tprof_exit() })
}

/// Sends samples and reads the host's orders, for a kernel's idle loop. Necessary if the
/// channel is not CHANNEL_IRQ_SAFE. Any core may call it, but not inside a tick.
#[inline]
pub fn poll() {
    unsafe { ffi::tprof_poll() }
}

/// Has a load of the agent faulted? Call this first in the kernel's page-fault handler. `regs`
/// is the interrupted code. True: `regs.rip` is now the next instruction, and the handler
/// returns there. False: the fault is not the agent's.
#[inline]
pub fn fixup(regs: &mut Regs) -> bool {
    unsafe { ffi::tprof_fixup(regs) != 0 }
}

/// TIMER_KERNEL, TIMER_SHARED: call this when the timer's interrupt on this core has
/// interrupted `regs`.
#[inline]
pub fn tick(regs: &Regs) {
    unsafe { ffi::tprof_tick(regs) }
}

/// TIMER_SHARED: returns the TSC at which the calling core's timer must fire at the latest. A
/// kernel programs its one-shot timer for the earlier of its own deadline and this one. If the deadline
/// has passed, the kernel makes the timer fire immediately. Interrupts must be off.
#[inline]
pub fn deadline() -> u64 {
    unsafe { ffi::tprof_deadline() }
}

/// Sends all samples in the rings, for a guest that is about to exit. It gives up after
/// 1,000 x `frames` tries. Returns whether everything is sent.
#[inline]
pub fn flush(frames: u32) -> bool {
    unsafe { ffi::tprof_flush(frames) == 0 }
}

/// Registers `mapping`, which is copied, with the agent and the host. Mappings that it overlaps
/// are removed. ERR_CONFIG: it overlaps the kernel's text, for example.
///
/// # Safety
/// The code is mapped.
#[inline]
pub unsafe fn map(mapping: &Mapping) -> Result<(), Error> {
    check(ffi::tprof_map(mapping))
}

/// Removes the mapping whose code begins at `start`, when its application has ended. ERR_CONFIG:
/// there is no such mapping.
///
/// # Safety
/// No core runs that code any more.
#[inline]
pub unsafe fn unmap(start: u64) -> Result<(), Error> {
    check(ffi::tprof_unmap(start))
}

/// Makes the collector show the cost of a unit of that work. On one core at a time.
/// ERR_MEMORY_SMALL: there are COUNTERS others.
#[inline]
pub fn add_counter(counter: &'static Counter) -> Result<(), Error> {
    check(unsafe { ffi::tprof_add_counter(counter) })
}

/// Marks this moment of the kernel's start. `name` ends in a zero byte. On one core at a time.
/// ERR_MEMORY_SMALL: as add_counter(), with which marks share the limit.
#[inline]
pub fn mark(name: &'static str) -> Result<(), Error> {
    assert!(name.as_bytes()[name.len() - 1] == 0);
    check(unsafe { ffi::tprof_mark(name.as_ptr()) })
}

/// Makes the agent keep names and times of threads. Once, after init().
///
/// # Safety
/// The memory is nobody else's.
#[inline]
pub unsafe fn threads(config: &ThreadsConfig) -> Result<(), Error> {
    check(ffi::tprof_threads(config))
}

/// Returns the beginning of `name`, as C wants it.
fn thread_name(name: &str) -> [u8; 32] {
    let mut text = [0; 32];
    let size = name.len().min(31);

    text[..size].copy_from_slice(&name.as_bytes()[..size]);
    text
}

/// Names the new thread `id`, which is not 0. If another thread had this `id`, that thread has
/// ended. 31 bytes of `name` are copied. ERR_MEMORY_SMALL: too many threads live.
#[inline]
pub fn name(id: u64, name: &str) -> Result<(), Error> {
    check(unsafe { ffi::tprof_name(id, thread_name(name).as_ptr()) })
}

/// Names a new idle thread, whose time counts as idle.
#[inline]
pub fn name_idle(id: u64, name: &str) -> Result<(), Error> {
    check(unsafe { ffi::tprof_name_idle(id, thread_name(name).as_ptr()) })
}

/// Reports that thread `id` has ended.
#[inline]
pub fn thread_end(id: u64) {
    unsafe { ffi::tprof_thread_end(id) }
}

/// Reports that this core runs thread `id` from now on; 0: no thread.
#[inline]
pub fn thread(id: u64) {
    unsafe { ffi::tprof_thread(id) }
}

/// Returns the word in which core `index` has the id of its thread; null: there is no such core.
#[inline]
pub fn thread_slot(index: u32) -> *mut u64 {
    unsafe { ffi::tprof_thread_slot(index) }
}

/// Reports that this core stops running thread `from`, and begins to run thread `to`. `why`:
/// BLOCKED, READY or ENDED. Must be called on the stack of `from`.
#[inline]
pub fn switch(from: u64, to: u64, why: u32) {
    unsafe { ffi::tprof_switch(from, to, why) }
}

/// Reports that the blocked thread `id` is ready to run from now on. The callers are recorded as
/// the code that ended the wait.
#[inline]
pub fn wake(id: u64) {
    unsafe { ffi::tprof_wake(id) }
}

/// Makes the agent keep the sums of locks. Once, after threads().
///
/// # Safety
/// The memory is nobody else's.
#[inline]
pub unsafe fn locks(config: &LocksConfig) -> Result<(), Error> {
    check(ffi::tprof_locks(config))
}

/// Names the lock at the address `lock`. 31 bytes of `name` are copied. ERR_MEMORY_SMALL: there
/// are too many locks.
#[inline]
pub fn lock_name<T>(lock: *const T, name: &str) -> Result<(), Error> {
    check(unsafe { ffi::tprof_lock_name(lock.cast(), thread_name(name).as_ptr()) })
}

/// Reports that another thread holds `lock`, and that the caller begins to wait.
#[inline]
pub fn wait<T>(lock: *const T) {
    unsafe { ffi::tprof_wait(lock.cast()) }
}

/// Reports that the caller has acquired `lock`, with or without a wait.
#[inline]
pub fn got<T>(lock: *const T) {
    unsafe { ffi::tprof_got(lock.cast()) }
}

/// Reports that the caller releases `lock`, which it still holds; or, after wait() without got(),
/// that it waits no longer.
#[inline]
pub fn gave<T>(lock: *const T) {
    unsafe { ffi::tprof_gave(lock.cast()) }
}

/// Makes the agent keep the times of requests. Once, after threads().
///
/// # Safety
/// The memory is nobody else's.
#[inline]
pub unsafe fn requests(config: &RequestsConfig) -> Result<(), Error> {
    check(ffi::tprof_requests(config))
}

/// Names the requests of `kind`, which is below `RequestsConfig::kinds`. 31 bytes of `name` are
/// copied.
#[inline]
pub fn kind(kind: u32, name: &str) -> Result<(), Error> {
    check(unsafe { ffi::tprof_kind(kind, thread_name(name).as_ptr()) })
}

/// Reports that this thread begins request `number`, which is not 0 and not open.
#[inline]
pub fn begin(kind: u32, number: u64) {
    unsafe { ffi::tprof_begin(kind, number) }
}

/// Reports that request `number` has come, and that no thread works on the request yet.
#[inline]
pub fn queue(kind: u32, number: u64) {
    unsafe { ffi::tprof_queue(kind, number) }
}

/// Reports that this thread works on the open request `number` from now on. 0: the thread puts
/// its last request aside.
#[inline]
pub fn request(kind: u32, number: u64) {
    unsafe { ffi::tprof_request(kind, number) }
}

/// Reports that request `number` has ended.
#[inline]
pub fn end(kind: u32, number: u64) {
    unsafe { ffi::tprof_end(kind, number) }
}

/// Reads the counters of `core`.
#[inline]
pub fn stats(core: u32) -> Result<Stats, Error> {
    let mut stats = Stats::default();

    check(unsafe { ffi::tprof_get_stats(core, &mut stats) }).map(|()| stats)
}

/// Returns VERSION of the linked library.
#[inline]
pub fn version() -> u32 {
    unsafe { ffi::tprof_version() }
}

/// Returns the address of a part of the library, which is linked only if this is called.
macro_rules! part {
    ($name:ident: $type:ty = $symbol:ident, $doc:literal) => {
        #[doc = $doc]
        #[inline]
        pub fn $name() -> *const $type {
            unsafe { core::ptr::addr_of!(ffi::$symbol) }
        }
    };
}

part!(vsock: Transport = tprof_vsock, "For `Config::transport`: virtio-vsock.");
part!(debugcon: Transport = tprof_debugcon, "For `Config::transport`: QEMU's debug port, one-way.");
part!(uart: Transport = tprof_uart,
    "For `Config::transport`: a UART that the kernel leaves alone, one-way.");
part!(kvm: Hypervisor = tprof_kvm, "For `Config::hypervisor`: KVM.");
part!(lend_timer: Lending = tprof_lend_timer,
    "For `Config::lending`: the kernel waits by the timer of TIMER_APIC, too.");
part!(nmi: Nmi = tprof_nmi, "For `Config::nmi`: samples of code that has interrupts off.");
part!(anchor: u8 = tprof_anchor, "The image's slide: this address, less the one in the ELF file.");
