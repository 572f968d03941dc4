// SPDX-License-Identifier: BSD-2-Clause
//! Work in the shapes that Rust gives to code, each with a known number of rounds.
use crate::here;

/// Generic code that is inlined three deep.
pub mod crypt {
    pub trait Word: Copy {
        fn mixed(self, word: Self, turn: u32) -> Self;
    }

    impl Word for u64 {
        fn mixed(self, word: u64, turn: u32) -> u64 {
            self.rotate_left(turn).wrapping_add(word ^ 0x9e3779b97f4a7c15)
        }
    }

    struct Mixer<W, const TURN: u32> {
        state: W,
    }

    impl<W: Word, const TURN: u32> Mixer<W, TURN> {
        fn feed(&mut self, word: W) {
            self.step(word);
        }

        fn step(&mut self, word: W) {
            self.state = self.state.mixed(word, TURN);
        }
    }

    #[inline(never)]
    pub fn hash<W: Word, const TURN: u32>(words: &[W], seed: W, rounds: u32) -> W {
        let mut mixer = Mixer::<W, TURN> { state: seed };

        for _ in 0..rounds {
            for word in words {
                mixer.feed(*word);
            }
        }
        mixer.state
    }
}

/// Functions that are found at run time.
pub trait Shape: Sync {
    fn area(&self, rounds: u32) -> u64;
}

pub struct Square {
    pub side: u64,
}

impl Shape for Square {
    #[inline(never)]
    fn area(&self, rounds: u32) -> u64 {
        let mut sum = 1u64;

        for i in 0..rounds as u64 {
            here!("square", sum = (sum ^ sum >> 9 ^ sum >> 17) * self.side % 0x1234567 + i);
        }
        sum
    }
}

pub struct Circle {
    pub radius: u64,
}

impl Shape for Circle {
    #[inline(never)]
    fn area(&self, rounds: u32) -> u64 {
        (0..rounds).fold(1u64, |sum, _| {
            ((sum ^ sum >> 7) % 100003) * 355 / 113 + self.radius
        })
    }
}

/// Iterators, which are nothing but inlined functions.
#[inline(never)]
pub fn chain(words: &[u64], rounds: u32) -> u64 {
    let mut sum = 0u64;

    for round in 0..rounds as u64 {
        sum ^= words
            .iter()
            .zip(words.iter().rev())
            .filter(|(a, _)| **a & 1 == 0)
            .map(|(a, b)| a.wrapping_mul(*b) >> 3)
            .fold(round, |all, one| all.wrapping_add(one));
    }
    sum
}

/// Closures that are called, not inlined.
#[inline(never)]
pub fn repeat(times: u32, mut function: impl FnMut(u32)) {
    for i in 0..times {
        function(i);
    }
}

pub struct Random {
    state: u64,
}

impl Random {
    pub const fn new(seed: u64) -> Random {
        Random { state: seed }
    }
}

impl Iterator for Random {
    type Item = u32;

    #[inline(never)]
    fn next(&mut self) -> Option<u32> {
        for _ in 0..4 {
            here!("random", self.state ^= self.state << 13 ^ self.state >> 7 ^ self.state << 41 ^ self.state >> 29);
        }
        Some((self.state >> 33) as u32)
    }
}
