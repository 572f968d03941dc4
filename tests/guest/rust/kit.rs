// SPDX-License-Identifier: BSD-2-Clause
//! What this kernel uses of the guest kit (tests/guest/common).
use core::arch::asm;

extern "C" {
    fn guest_exit(status: i32) -> !;
    fn con_write(text: *const u8, len: usize);
    fn core_run_all(work: extern "C" fn());
    fn opt_u64(name: *const u8, absent: u64) -> u64;
    fn truth_begin();
    fn truth_end();
}

pub fn exit(status: i32) -> ! {
    unsafe { guest_exit(status) }
}

pub fn run_all(work: extern "C" fn()) {
    unsafe { core_run_all(work) }
}

/// `name` ends in "\0".
pub fn option(name: &'static str, absent: u64) -> u64 {
    unsafe { opt_u64(name.as_ptr(), absent) }
}

/// Where the plugin's counts begin, and where they end.
pub fn counted(work: impl FnOnce()) {
    unsafe { truth_begin() };
    work();
    unsafe { truth_end() };
}

pub struct Console;

impl core::fmt::Write for Console {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        unsafe { con_write(text.as_ptr(), text.len()) };
        Ok(())
    }
}

pub fn core_index() -> u32 {
    let index: u32;

    unsafe { asm!("mov {0:e}, gs:[0]", out(reg) index) };
    index
}

pub fn interrupts_on() {
    unsafe { asm!("sti") };
}

pub fn interrupts_off() {
    unsafe { asm!("cli") };
}

pub fn sleep() {
    unsafe { asm!("sti", "hlt", "cli") };
}

/// Does `code`, and makes a symbol line_of_NAME whose value is this line.
#[macro_export]
macro_rules! here {
    ($name:literal, $code:expr) => {{
        unsafe {
            core::arch::asm!(
                concat!(".globl line_of_", $name),
                concat!(".set line_of_", $name, ", ", line!()),
                options(nomem, nostack, preserves_flags)
            )
        }
        $code
    }};
}
