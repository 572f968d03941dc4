// SPDX-License-Identifier: BSD-2-Clause
//! Calls of libtprof that any process may make; prints what tests/guest/pascal/calls.c
//! prints.
#[path = "TPROF_RS"]
mod tprof;

/// An error's number, as C has it.
fn number<T>(result: Result<T, tprof::Error>) -> i32 {
    match result {
        Ok(_) => tprof::OK,
        Err(error) => error.0,
    }
}

fn main() {
    let mut config = tprof::Config::new();

    println!("version {}", tprof::version());
    for error in (tprof::ERR_CLOCK - 1..=tprof::OK).rev() {
        println!("{} {}", error, tprof::Error(error).message());
    }
    config.version = 0;
    println!("no version: {}", tprof::mem_size(&config));
    // links without the fragments, whose symbols then are 0
    let refused = unsafe { tprof::init(&config) };
    assert_eq!(refused, Err(tprof::Error(tprof::ERR_VERSION)));
    config.version = tprof::CONFIG_VERSION;
    println!("defaults: {}", tprof::mem_size(&config));
    config.cpus = 7;
    config.ring_bytes = 16384;
    config.dict_slots = 256;
    println!("7 cores: {}", tprof::mem_size(&config));
    config.cpu_source = tprof::CPU_HOOK;
    println!("no hook: {}", tprof::mem_size(&config));
    println!(
        "before init: {} {} {}",
        number(tprof::start_cpu()),
        number(tprof::stop_cpu()),
        number(tprof::stats(0))
    );
}
