// SPDX-License-Identifier: BSD-2-Clause
//! Stands for the crate that every crate without `std` depends on: the functions that
//! compilers call unasked are the kit's (mem.c).
#![no_std]
#![feature(compiler_builtins)]
#![compiler_builtins]
