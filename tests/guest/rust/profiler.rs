// SPDX-License-Identifier: BSD-2-Clause
//! libtprof from Rust, with a channel of the kernel's own.
use core::arch::asm;
use core::ffi::c_void;
use core::ptr::null_mut;

use crate::{kit, tprof};

const WIRE_PORT: u16 = 0xe9;
const FLUSH_FRAMES: u32 = 100000;

unsafe extern "C" fn open(_: *mut c_void) -> i32 {
    1
}

unsafe extern "C" fn send(_: *mut c_void, data: *const c_void, size: u32) -> i32 {
    asm!("rep outsb", in("dx") WIRE_PORT, inout("rsi") data => _,
         inout("rcx") size as u64 => _, options(nostack));
    size as i32
}

static WIRE: tprof::Channel = tprof::Channel {
    flags: tprof::CHANNEL_ONE_WAY | tprof::CHANNEL_IRQ_SAFE,
    context: null_mut(),
    open: Some(open),
    send: Some(send),
    pending: None,
    receive: None,
};

fn must<T>(result: Result<T, tprof::Error>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{}", error.message()),
    }
}

pub fn init() {
    let mut config = tprof::Config::new();

    config.rate_hz = kit::option("rate\0", 0) as u32;
    config.seed = kit::option("seed\0", 0);
    config.cpu_source = tprof::CPU_GS; // the kit keeps it at gs:0
    config.channel = &WIRE;
    must(unsafe { tprof::init(&config) });
}

pub fn drain() {
    assert!(tprof::flush(FLUSH_FRAMES), "not everything was sent");
}

/// The calling core does `work`, profiled, with its interrupts on.
pub fn during(work: impl FnOnce()) {
    must(tprof::start_cpu());
    while must(tprof::stats(kit::core_index())).ticks == 0 {
        kit::sleep();
    }
    kit::interrupts_on();
    kit::counted(work);
    kit::interrupts_off();
    must(tprof::stop_cpu());
}
