// SPDX-License-Identifier: BSD-2-Clause
// What Rust does to names: a method and a generic function.
pub struct Meter {
    pub total: u64,
}

impl Meter {
    #[inline(never)]
    pub fn add(&mut self, n: u64) -> u64 {
        self.total = self.total.wrapping_mul(31).wrapping_add(n);
        self.total
    }
}

#[inline(never)]
pub fn twice<T: Into<u64> + Copy>(m: &mut Meter, n: T) -> u64 {
    m.add(n.into()) ^ m.add(n.into() + 1)
}

fn main() {
    let mut m = Meter { total: std::env::args().count() as u64 };
    println!("{}", twice(&mut m, 7u32));
}
