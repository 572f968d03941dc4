// SPDX-License-Identifier: BSD-2-Clause
//! A kernel in Rust without its standard library: what is called here, by whom, and
//! how often, is in the code; tests/guest/rust/CMakeLists.txt says who looks.
//!
//! Options: rounds=N, rate=HZ, seed=N; panic=1 panics.
#![no_std]

use core::fmt::Write;

mod kit;
mod profiler;
#[path = "../../../agent/rust/tprof.rs"]
mod tprof;
mod work;

use work::{crypt, Circle, Random, Shape, Square};

const WORDS: usize = 64;

struct Core {
    words: [u64; WORDS],
    random: Random,
}

impl Core {
    fn new(number: u32) -> Core {
        let mut core = Core {
            words: [0; WORDS],
            random: Random::new(number as u64 + 1),
        };

        for word in core.words.iter_mut() {
            *word = core.random.next().unwrap_or(0) as u64;
        }
        core
    }

    #[inline(never)]
    fn hashes(&self, rounds: u32) {
        keep(crypt::hash::<u64, 13>(&self.words, 1, rounds));
    }

    #[inline(never)]
    fn shapes(&self, rounds: u32) {
        const ALL: [&dyn Shape; 2] = [&Circle { radius: 7 }, &Square { side: 3 }];

        for shape in ALL {
            keep(shape.area(rounds));
        }
    }

    #[inline(never)]
    fn chains(&self, rounds: u32) {
        keep(work::chain(&self.words, rounds));
    }

    #[inline(never)]
    fn sorts(&mut self, rounds: u32) {
        work::repeat(rounds, |round| {
            let mut list = [0u32; 40];

            for item in list.iter_mut() {
                *item = self.random.next().unwrap_or(round);
            }
            list.sort_unstable_by(|a, b| b.cmp(a));
            keep(list[0] as u64);
        });
    }
}

/// For the optimizer somebody needs it.
fn keep(value: u64) {
    unsafe { core::arch::asm!("/* {0} */", in(reg) value, options(nostack)) };
}

#[inline(never)]
fn work(number: u32, rounds: u32) {
    let mut core = Core::new(number);

    for _ in 0..rounds {
        core.hashes(20);
        core.shapes(120);
        core.chains(8);
        core.sorts(1);
    }
}

extern "C" fn run_core() {
    profiler::during(|| work(kit::core_index(), kit::option("rounds\0", 100) as u32));
}

#[no_mangle]
pub extern "C" fn guest_main() -> i32 {
    if kit::option("panic\0", 0) != 0 {
        panic!("as asked");
    }
    profiler::init();
    kit::run_all(run_core);
    profiler::drain();
    0
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    let _ = writeln!(kit::Console, "failed: {}", info);
    kit::exit(1)
}
