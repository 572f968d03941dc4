// SPDX-License-Identifier: BSD-2-Clause
//! libtprof for kernels in Rust: the whole of tprof.h, which is the contract and
//! says more of each call. Needs `core` alone, and a target without a red zone, as
//! x86_64-unknown-none is; a module of the kernel's, or a crate (edition 2018, 2021).
//!
//! ```ignore
//! let mut config = tprof::Config::new(); // 0 is every field's good default
//! config.readable[0] = tprof::Range { start: 0x80_0000, size: 0x400_0000 };
//! unsafe { tprof::init(&config) }?; // on the boot core
//! tprof::start_cpu()?; // on every core
//! ```
//!
//! For a profile that shows more: `-C force-frame-pointers=yes` for callers, for
//! `core` and `alloc`, too (`-Z build-std`), and `-C debuginfo=1` or more for lines and
//! inlined functions. Link with `--gc-sections`, as rustc does by itself.
#![allow(dead_code, unused_unsafe)] // addr_of! of a static was unsafe before 1.83

use core::ffi::c_void;
use core::ptr::null;

/// Version of this interface's source: major << 16 | minor << 8 | patch.
pub const VERSION: u32 = 0x000100;
pub const VERSION_STRING: &str = "0.1.0";

/// Value of `Config::version`; grows when the struct's layout changes.
pub const CONFIG_VERSION: u32 = 3;

pub const OK: i32 = 0;
pub const ERR_VERSION: i32 = -1; // config.version is not CONFIG_VERSION
pub const ERR_CONFIG: i32 = -2; // a field is out of its range
pub const ERR_TEXT: i32 = -3; // text bounds empty: link tprof_bounds.ld
pub const ERR_MEMORY: i32 = -4; // no memory: link tprof_memory.ld, or give some
pub const ERR_STATE: i32 = -5; // not now: twice, or a core that has not joined
pub const ERR_CPU: i32 = -6; // more cores than config.cpus or memory allow
pub const ERR_VECTOR: i32 = -7; // every interrupt gate is in use
pub const ERR_APIC: i32 = -8; // the CPU has no local APIC
pub const ERR_DEVICE: i32 = -9; // no device of ours, or it misbehaves
pub const ERR_CLOSED: i32 = -10; // channel: the host went away
pub const ERR_NOT_INIT: i32 = -11; // before init() has succeeded
pub const ERR_TEXT_UNMAPPED: i32 = -12; // config.text is not mapped
pub const ERR_MEMORY_SMALL: i32 = -13; // memory too small for config.cpus
pub const ERR_MEMORY_UNMAPPED: i32 = -14; // memory not mapped, or not writable
pub const ERR_APIC_OFF: i32 = -15; // the local APIC is disabled
pub const ERR_APIC_UNMAPPED: i32 = -16; // the local APIC's page is not mapped
pub const ERR_TIMER: i32 = -17; // the APIC's timer does not count
pub const ERR_VECTOR_TAKEN: i32 = -18; // config.vector has another handler
pub const ERR_IDT: i32 = -19; // the IDT is too short, or read-only

/// `Channel::flags`
pub const CHANNEL_ONE_WAY: u32 = 1 << 0; // the host cannot speak
pub const CHANNEL_IRQ_SAFE: u32 = 1 << 1; // may be called inside any interrupt
/// The host's coming interrupts a core; set and cleared by vsock()
pub const CHANNEL_NOTICE: u32 = 1 << 2;

/// `Device::bus`
pub const BUS_AUTO: u32 = 0; // by address or command line or scan, else PCI
pub const BUS_MMIO: u32 = 1; // virtio-mmio at address, or found
pub const BUS_PCI: u32 = 2; // virtio-pci at address = bus << 8 | dev << 3 | fn
pub const BUS_NONE: u32 = 3; // no device of ours: config.channel

/// `Device::flags`
pub const DEVICE_NO_SCAN: u32 = 1 << 0; // never probe addresses

/// `Config::notice`: how an idle agent learns that a host has come.
pub const NOTICE_AUTO: u32 = 0; // by interrupt if that is possible, else by looks
pub const NOTICE_LOOK: u32 = 1; // one core looks four times a second
pub const NOTICE_POLL: u32 = 2; // the kernel calls poll(): of these, four a second look

/// `Config::timer`
pub const TIMER_APIC: u32 = 0; // the agent owns each core's local APIC timer
pub const TIMER_KERNEL: u32 = 1; // the kernel calls tick(): kernel_hz
pub const TIMER_SHARED: u32 = 2; // ... and its timer is one-shot: deadline()

/// `Config::cpu_source`: who am I, in an interrupt.
pub const CPU_APIC: u32 = 0; // the APIC id: right everywhere, maybe a VM exit
pub const CPU_GS: u32 = 1; // u32 at gs:[gs_cpu_offset], from 0 up
pub const CPU_TSC_AUX: u32 = 2; // RDTSCP: TSC_AUX becomes the agent's
pub const CPU_HOOK: u32 = 3; // cpu_index()

pub const RANGES: usize = 4;
pub const MAPPINGS: usize = 16; // map(): at most so many
pub const STEAL_UNKNOWN: u64 = u64::MAX; // Hypervisor::steal_ns

/// What went wrong: one of ERR_*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error(pub i32);

impl Error {
    /// What it means and what to do, one line.
    pub fn message(self) -> &'static str {
        // it never is NULL, lives for good, and is ASCII
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

/// A byte stream of the kernel's own to the host. Every call comes from one core
/// at a time, with interrupts off, on the profiler's stack. Bounded work; never waits,
/// never panics. In interrupts, as all hooks, with general registers only.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Channel {
    pub flags: u32,           // CHANNEL_*
    pub context: *mut c_void, // handed to each function
    /// 1: a host is attached, 0: none now, negative: dead for good.
    pub open: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
    /// Takes up to so many bytes and returns how many; 0: busy, try later.
    pub send: Option<unsafe extern "C" fn(*mut c_void, *const c_void, u32) -> i32>,
    /// Bytes taken by send and still in use. None: send copies.
    pub pending: Option<unsafe extern "C" fn(*mut c_void) -> u32>,
    /// Copies up to so many received bytes. None on a one-way channel.
    pub receive: Option<unsafe extern "C" fn(*mut c_void, *mut c_void, u32) -> i32>,
    /// Lets the host see the end, where the transport can.
    pub close: Option<unsafe extern "C" fn(*mut c_void)>,
}
unsafe impl Sync for Channel {}

/// A way to the host other than virtio-serial; of `vsock()` and the like.
#[repr(C)]
pub struct Transport {
    opaque: [u8; 0],
}

/// Of lend_timer(): opaque.
#[repr(C)]
pub struct Lending {
    opaque: [u8; 0],
}

/// Where the device is: of virtio-serial, the one that has a port named
/// "tprof.0"; of vsock, the one that no driver has claimed.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Device {
    pub bus: u32,                // BUS_*
    pub flags: u32,              // DEVICE_*
    pub address: u64,            // 0: find it
    pub command_line: *const u8, // with virtio_mmio.device= entries, or null
    /// IO-APIC pin of an MMIO device, for notice by interrupt; 0: as the command line says
    pub irq: u32,
}

/// What a hypervisor tells its guests; see tprof.h.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Hypervisor {
    /// TSC ticks a second; 0: unknown. In init(); memory is only lent.
    pub tsc_hz: Option<unsafe extern "C" fn(*const Config, *mut c_void) -> u64>,
    /// The calling core joins, or leaves; memory is its own.
    pub start_cpu: Option<unsafe extern "C" fn(*const Config, *mut c_void)>,
    pub stop_cpu: Option<unsafe extern "C" fn(*const Config, *mut c_void)>,
    /// Time that the host took from the core with memory, ns, cumulative, or
    /// STEAL_UNKNOWN. From any core.
    pub steal_ns: Option<unsafe extern "C" fn(*const c_void) -> u64>,
}

/// Begin with `Config::new()`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Config {
    pub version: u32, // CONFIG_VERSION

    // What to sample. The host may change both while running.
    pub rate_hz: u32,    // 1 to 50000 a core; 0: 997
    pub max_frames: u32, // 1 to 127 callers; 0: 64

    // Memory, all of it the caller's and for good. A device reads its first
    // 24 KiB: those are physically contiguous.
    pub memory: *mut c_void, // null: tprof_memory.ld's
    pub memory_size: usize,  // bytes
    pub cpus: u32,           // most cores, 1 to 64; 0: as memory allows
    pub ring_bytes: u32,     // a core's; power of two, 4 KiB to 16 MiB; 0: 64 KiB
    /// Stacks a core remembers; power of two, 64 to 8192;
    /// 8 bytes each; 0: 4096
    pub dict_slots: u32,

    // The machine.
    pub tsc_hz: u64,        // 0: found out, or measured by the host
    pub lapic: u64,         // virtual address of its registers; 0: physical
    pub vector: u32,        // 32 to 239; 0: the highest absent gate there
    pub cpu_source: u32,    // CPU_*
    pub gs_cpu_offset: u32, // CPU_GS
    pub timer: u32,         // TIMER_*
    pub kernel_hz: u32,     // TIMER_KERNEL: how often it ticks
    pub seed: u64,          // of the random intervals; 0: from the TSC
    /// Null: the kernel leaves our timer
    pub lending: *const Lending,

    // The way to the host.
    pub device: Device,
    pub channel: *const Channel,     // instead of the device
    pub transport: *const Transport, // null: virtio-serial
    pub notice: u32,                 // NOTICE_*

    // What the hypervisor tells its guests. null: nothing.
    pub hypervisor: *const Hypervisor,

    // Hooks; None each is the default. Context is handed to each.
    pub context: *mut c_void,
    pub cpu_index: Option<unsafe extern "C" fn(*mut c_void) -> u32>, // CPU_HOOK
    /// None: writes this core's IDT
    pub install_vector:
        Option<unsafe extern "C" fn(*mut c_void, u32, Option<unsafe extern "C" fn()>) -> i32>,
    /// None: identity
    pub physical: Option<unsafe extern "C" fn(*mut c_void, *const c_void) -> u64>,
    /// The device's interrupt shall arrive as (vector) on the core with (apic_id).
    pub route_irq: Option<unsafe extern "C" fn(*mut c_void, u32, u32) -> i32>,

    // What may be looked at.
    pub text: Range, // valid return addresses; size 0: the fragment's
    /// Stacks lie here, and it never faults; all 0: the image. Ascending.
    pub readable: [Range; RANGES],
}

impl Config {
    /// Every field's good default.
    pub const fn new() -> Config {
        const NONE: Range = Range { start: 0, size: 0 };

        Config {
            version: CONFIG_VERSION,
            rate_hz: 0,
            max_frames: 0,
            memory: null::<c_void>() as *mut c_void,
            memory_size: 0,
            cpus: 0,
            ring_bytes: 0,
            dict_slots: 0,
            tsc_hz: 0,
            lapic: 0,
            vector: 0,
            cpu_source: CPU_APIC,
            gs_cpu_offset: 0,
            timer: TIMER_APIC,
            kernel_hz: 0,
            seed: 0,
            lending: null(),
            device: Device {
                bus: BUS_AUTO,
                flags: 0,
                address: 0,
                command_line: null(),
                irq: 0,
            },
            channel: null(),
            transport: null(),
            notice: NOTICE_AUTO,
            hypervisor: null(),
            context: null::<c_void>() as *mut c_void,
            cpu_index: None,
            install_vector: None,
            physical: None,
            route_irq: None,
            text: NONE,
            readable: [NONE; RANGES],
        }
    }
}

/// What the image says of itself.
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

/// Cumulative since init(). deadlines = ticks + missed;
/// ticks = samples + ring_full + reentered.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Stats {
    pub ticks: u64,
    pub samples: u64,
    pub missed: u64,
    pub ring_full: u64,
    pub reentered: u64,
    pub cost_tsc: u64, // spent in the profiler's interrupt
    pub cost_max_tsc: u64,
    pub by_division: u64, // ticks so late that drawing gave up
    pub stacks: u64,      // dictionary definitions
    pub foreign: u64,     // interrupts that were no tick
    /// Times that its timer was taken back: ticks had stayed away for long, or others had used
    /// it
    pub repaired: u64,
    pub apic_id: u32,
    pub started: u32,
}

/// A further image, say an application that the kernel has loaded: where its code
/// lies, and how the host knows its ELF file.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Mapping {
    pub name: *const u8,         // as its file is named; as long as it is there
    pub build_id: *const c_void, // the id's bytes, likewise. null: it has none
    pub build_id_size: u32,      // at most 64
    pub start: u64,              // its code: run-time address, bytes
    pub size: u64,
    pub link_start: u64, // start as its ELF file has it
}

/// The calls as C has them.
mod ffi {
    use super::*;

    extern "C" {
        pub fn tprof_init_image(config: *const Config, image: *const Image) -> i32;
        pub fn tprof_mem_size(config: *const Config) -> usize;
        pub fn tprof_start_cpu() -> i32;
        pub fn tprof_stop_cpu() -> i32;
        pub fn tprof_poll();
        pub fn tprof_tick(regs: *const Regs);
        pub fn tprof_deadline() -> u64;
        pub fn tprof_flush(frames: u32) -> i32;
        pub fn tprof_map(mapping: *const Mapping) -> i32;
        pub fn tprof_get_stats(core: u32, stats: *mut Stats) -> i32;
        pub fn tprof_strerror(error: i32) -> *const u8;
        pub fn tprof_version() -> u32;

        pub static tprof_vsock: Transport;
        pub static tprof_debugcon: Transport;
        pub static tprof_uart: Transport;
        pub static tprof_kvm: Hypervisor;
        pub static tprof_lend_timer: Lending;
        pub static tprof_anchor: u8;
        pub static tprof_rust_image: Image;
    }
}

// What the linker's fragments provide; one that is not linked is at address 0,
// for which Rust itself has no word.
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

/// Prepares the agent, with what the linker's fragments say of the image. Once, on
/// the boot core, before any other function.
///
/// An error: nothing was changed or claimed, and it may be called again. A kernel
/// may well go on without a device: ERR_DEVICE.
///
/// # Safety
/// What `config` points to is as tprof.h demands, and so is the machine.
#[inline]
pub unsafe fn init(config: &Config) -> Result<(), Error> {
    init_image(config, &*core::ptr::addr_of!(ffi::tprof_rust_image))
}

/// As `init()`, for a kernel that is linked without the fragments.
///
/// # Safety
/// As of `init()`, and what `image` says is true.
#[inline]
pub unsafe fn init_image(config: &Config, image: &Image) -> Result<(), Error> {
    check(ffi::tprof_init_image(config, image))
}

/// Bytes of memory that `config` needs with config.cpus cores (0: 1 core).
#[inline]
pub fn mem_size(config: &Config) -> usize {
    unsafe { ffi::tprof_mem_size(config) }
}

/// Joins the calling core, once each, after its IDT is loaded and its local APIC
/// is enabled.
#[inline]
pub fn start_cpu() -> Result<(), Error> {
    check(unsafe { ffi::tprof_start_cpu() })
}

/// Takes the calling core out again; its gate stays, its timer is free.
#[inline]
pub fn stop_cpu() -> Result<(), Error> {
    check(unsafe { ffi::tprof_stop_cpu() })
}

/// Drains, and listens to the host: for an idle loop, and the only drain of a
/// channel that is not CHANNEL_IRQ_SAFE. Any core, never inside a tick.
#[inline]
pub fn poll() {
    unsafe { ffi::tprof_poll() }
}

/// The kernel's own timer interrupt on this core took `regs`: TIMER_KERNEL, or
/// TIMER_SHARED.
#[inline]
pub fn tick(regs: &Regs) {
    unsafe { ffi::tprof_tick(regs) }
}

/// TIMER_SHARED: when the calling core's timer shall fire at the latest, TSC. A kernel
/// without a fixed tick programs its one-shot timer for this, if its own deadline is
/// not earlier. It may be over by then: the timer fires at once. Interrupts are off.
#[inline]
pub fn deadline() -> u64 {
    unsafe { ffi::tprof_deadline() }
}

/// Sends what the rings hold, at most so many frames of 1.5 KiB, for a guest about
/// to exit. Is all of it sent?
#[inline]
pub fn flush(frames: u32) -> bool {
    unsafe { ffi::tprof_flush(frames) == 0 }
}

/// Tells of `mapping`, which is copied. Those that it overlaps are gone from now on;
/// ERR_CONFIG if it overlaps the kernel's text.
///
/// # Safety
/// Its code is mapped by now; its name and build-id are there as long as it is.
#[inline]
pub unsafe fn map(mapping: &Mapping) -> Result<(), Error> {
    check(ffi::tprof_map(mapping))
}

/// The counters of `core`.
#[inline]
pub fn stats(core: u32) -> Result<Stats, Error> {
    let mut stats = Stats::default();

    check(unsafe { ffi::tprof_get_stats(core, &mut stats) }).map(|()| stats)
}

/// VERSION of the library that is linked.
#[inline]
pub fn version() -> u32 {
    unsafe { ffi::tprof_version() }
}

/// Where something of the library is; what is not asked for is not linked.
macro_rules! address {
    ($(#[$doc:meta])* $name:ident: $type:ty = $symbol:ident) => {
        $(#[$doc])*
        #[inline]
        pub fn $name() -> *const $type {
            unsafe { core::ptr::addr_of!(ffi::$symbol) }
        }
    };
}

address! { /// For `Config::transport`: virtio-vsock.
vsock: Transport = tprof_vsock }
address! { /// Likewise QEMU's debug port, one way.
debugcon: Transport = tprof_debugcon }
address! { /// Likewise a UART that the kernel leaves alone, one way.
uart: Transport = tprof_uart }
address! { /// For `Config::hypervisor`: KVM.
kvm: Hypervisor = tprof_kvm }
address! { /// For `Config::lending`: a timer of TIMER_APIC by which the kernel waits, too.
lend_timer: Lending = tprof_lend_timer }
address! { /// Where this image was loaded: this, less what the ELF says, is the slide.
anchor: u8 = tprof_anchor }
