// SPDX-License-Identifier: BSD-2-Clause
// Code whose stacks are walked while it runs, as walked.c.
#![no_std]
#![no_main]

use core::hint::black_box;

core::arch::global_asm!(
    ".globl _start",
    ".type _start, @function",
    "_start:",
    ".cfi_startproc",
    ".cfi_undefined rip",
    "xor ebp, ebp",
    "call {run}",
    "hlt",
    ".cfi_endproc",
    ".size _start, . - _start",
    run = sym run,
);

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}

trait Shape {
    fn area(&self, n: u64) -> u64;
}

struct Square(u64);
struct Circle(u64, u64);

impl Shape for Square {
    #[inline(never)]
    fn area(&self, n: u64) -> u64 {
        black_box(self.0 * self.0 + n)
    }
}

impl Shape for Circle {
    #[inline(never)]
    fn area(&self, n: u64) -> u64 {
        deep(black_box(n % 6)) + self.0 * self.1
    }
}

#[inline(never)]
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[inline(never)]
fn deep(n: u64) -> u64 {
    if n == 0 {
        black_box(1)
    } else {
        black_box(deep(n - 1)) * 3 + n
    }
}

#[inline(never)]
fn sums(state: &mut u64) -> u64 {
    let mut values = [0u64; 24];

    for v in values.iter_mut() {
        *v = next(state);
    }
    values.sort_unstable_by_key(|v| black_box(*v) % 1000);
    values.iter().filter(|v| *v % 3 == 0).fold(0u64, |a, b| a.wrapping_add(*b))
}

#[inline(never)]
fn text(n: u64) -> u64 {
    use core::fmt::Write;
    struct Count(u64);
    impl Write for Count {
        fn write_str(&mut self, s: &str) -> core::fmt::Result {
            self.0 += s.len() as u64;
            Ok(())
        }
    }
    let mut c = Count(0);
    let _ = write!(c, "{:>8} {:x} {:?}", n, n, Some(n as u16));
    c.0
}

#[inline(never)]
extern "C" fn run() -> u64 {
    let mut state = 88172645463325252u64;
    let mut sum = 0u64;

    loop {
        let n = next(&mut state);
        let shape: &dyn Shape = if n % 2 == 0 { &Square(3) } else { &Circle(2, 5) };

        sum = sum.wrapping_add(black_box(shape).area(n % 8));
        match n % 5 {
            0 => sum = sum.wrapping_add(sums(&mut state)),
            1 => sum = sum.wrapping_add(text(n)),
            _ => sum = sum.wrapping_add(deep(n >> 8 & 7)),
        }
        black_box(sum);
    }
}

// what the compiler calls where there is no library
#[no_mangle]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, n: usize) -> *mut u8 {
    for i in 0..n {
        core::ptr::write_volatile(to.add(i), *from.add(i));
    }
    to
}

#[no_mangle]
unsafe extern "C" fn memset(to: *mut u8, byte: i32, n: usize) -> *mut u8 {
    for i in 0..n {
        core::ptr::write_volatile(to.add(i), byte as u8);
    }
    to
}

#[no_mangle]
unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, n: usize) -> i32 {
    for i in 0..n {
        let d = core::ptr::read_volatile(a.add(i)) as i32 - *b.add(i) as i32;
        if d != 0 {
            return d;
        }
    }
    0
}

#[no_mangle]
extern "C" fn rust_eh_personality() {}
