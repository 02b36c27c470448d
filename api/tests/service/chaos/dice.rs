//! Numbers that a seed gives.

/// A sequence of numbers, as random as faults and requests need.
#[derive(Clone)]
pub struct Dice(u64);

impl Dice {
    /// The sequence of a seed; `who` throws dice of its own.
    pub fn of(seed: u64, who: u64) -> Self {
        let mut dice = Self(seed ^ who.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        dice.next();
        dice
    }

    /// `SplitMix64`.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below another.
    pub fn below(&mut self, sides: u64) -> u64 {
        self.next() % sides
    }

    /// The position of one of so many.
    pub fn index(&mut self, count: usize) -> usize {
        usize::try_from(self.below(u64::try_from(count).unwrap())).unwrap()
    }

    /// A number from one to another, both included.
    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.below(most - least + 1)
    }

    /// Another order.
    pub fn shuffle<T>(&mut self, all: &mut [T]) {
        for last in (1..all.len()).rev() {
            all.swap(last, self.index(last + 1));
        }
    }
}
