//! A day of quarter-hours of a series.
//!
//! A block has, in this order:
//!
//! 1. twelve bytes, whose bits say of which of the day's 96 quarter-hours there is something, the lowest bit first;
//! 2. twelve bytes, whose bits say which of them were measured throughout;
//! 3. the exponent of the power of ten that divides all energies;
//! 4. for each that there is: the milliseconds that were measured, unless these are all, and the energy divided by that
//!    power of ten, less that before.
//!
//! Around 400 W told in milliwatts a quarter-hour has 3.6e11 microjoules, and differs by up to 3.4e10 where it takes
//! five bytes: six with its share of what stands before.

use super::PackedError;
use super::numbers::{
    common_exponent, pull, pull_byte, pull_signed, push, push_signed, scale, scaled,
};
use crate::metering::{QUARTER_MS, QuarterHour, QuarterSum};

/// The length of a block, in milliseconds: a day of UTC.
pub const DAY_MS: i64 = 86_400_000;

/// Quarter-hours in a day.
const QUARTERS: usize = 96;

/// A set of the quarter-hours of a day.
type Bits = [u8; QUARTERS / 8];

/// The quarter-hours of a day of UTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayQuarters {
    /// The number of the first.
    first: i64,
    /// Of each; zero where nothing was measured.
    sums: [QuarterSum; QUARTERS],
}

impl DayQuarters {
    /// A day that starts at `start_ms`, in which nothing was measured.
    pub fn new(start_ms: i64) -> Self {
        let sums = [QuarterSum { energy_uj: 0, covered_ms: 0 }; QUARTERS];
        Self { first: start_ms.div_euclid(QUARTER_MS), sums }
    }

    /// What was measured in a quarter-hour of this day; `None` of another.
    pub fn sum_mut(&mut self, quarter: QuarterHour) -> Option<&mut QuarterSum> {
        let index = usize::try_from(quarter.number() - self.first).ok()?;
        self.sums.get_mut(index)
    }

    /// The quarter-hours in which something was measured, in order.
    pub fn measured(&self) -> impl Iterator<Item = (QuarterHour, QuarterSum)> {
        let measured = self.sums.iter().zip(self.first..).filter(|(sum, _)| sum.covered_ms > 0);
        measured.map(|(sum, number)| (QuarterHour::from_number(number), *sum))
    }

    /// The day as bytes.
    pub fn pack(&self) -> Vec<u8> {
        let (mut there, mut whole) = (Bits::default(), Bits::default());
        let mut count = 0;
        for (index, sum) in self.sums.iter().enumerate() {
            there[index / 8] |= u8::from(sum.covered_ms > 0) << (index % 8);
            whole[index / 8] |= u8::from(sum.covered_ms == QUARTER_MS) << (index % 8);
            count += usize::from(sum.covered_ms > 0);
        }
        let mut bytes = Vec::with_capacity(32 + count * 6);
        bytes.extend(there);
        bytes.extend(whole);
        let measured = self.sums.iter().filter(|sum| sum.covered_ms > 0);
        let exponent = common_exponent(measured.clone().map(|sum| sum.energy_uj));
        bytes.push(exponent);
        let scale = 10_i64.pow(exponent.into());
        let mut before = 0;
        for sum in measured {
            if sum.covered_ms != QUARTER_MS {
                push(&mut bytes, sum.covered_ms.cast_unsigned());
            }
            let energy = sum.energy_uj / scale;
            push_signed(&mut bytes, energy - before);
            before = energy;
        }
        bytes
    }

    /// The day of a block that starts at `start_ms`.
    ///
    /// # Errors
    /// Bytes that were not packed here.
    pub fn unpack(start_ms: i64, bytes: &[u8]) -> Result<Self, PackedError> {
        let mut bytes = bytes;
        let there = pull_bits(&mut bytes)?;
        let whole = pull_bits(&mut bytes)?;
        let scale = scale(pull_byte(&mut bytes)?)?;
        let mut before = 0_i64;
        let mut day = Self::new(start_ms);
        for (index, sum) in day.sums.iter_mut().enumerate() {
            let bit = |bits: &Bits| bits[index / 8] >> (index % 8) & 1 == 1;
            if !bit(&there) {
                continue;
            }
            sum.covered_ms = if bit(&whole) { QUARTER_MS } else { pull_covered(&mut bytes)? };
            let energy = before.checked_add(pull_signed(&mut bytes)?);
            before =
                energy.filter(|it| *it >= 0).ok_or(PackedError("an energy is out of range"))?;
            sum.energy_uj = scaled(before, scale)?;
        }
        if bytes.is_empty() { Ok(day) } else { Err(PackedError("it is longer than it says")) }
    }
}

fn pull_covered(bytes: &mut &[u8]) -> Result<i64, PackedError> {
    let covered = i64::try_from(pull(bytes)?).ok().filter(|it| (1..QUARTER_MS).contains(it));
    covered.ok_or(PackedError("a quarter-hour is longer than one"))
}

fn pull_bits(bytes: &mut &[u8]) -> Result<Bits, PackedError> {
    let mut bits = Bits::default();
    for byte in &mut bits {
        *byte = pull_byte(bytes)?;
    }
    Ok(bits)
}
