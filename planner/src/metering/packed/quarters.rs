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

use std::collections::BTreeMap;

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

/// The quarter-hours of the day that starts at `start_ms` as bytes; others are left out, and those in which nothing was
/// measured.
pub fn pack_quarters(start_ms: i64, quarters: &BTreeMap<QuarterHour, QuarterSum>) -> Vec<u8> {
    let first = start_ms.div_euclid(QUARTER_MS);
    let of_day: Vec<(usize, QuarterSum)> = (0..QUARTERS)
        .zip(first..)
        .filter_map(|(index, number)| {
            Some((index, *quarters.get(&QuarterHour::from_number(number))?))
        })
        .filter(|(_, sum)| sum.covered_ms > 0)
        .collect();
    let (mut there, mut whole) = (Bits::default(), Bits::default());
    for (index, sum) in &of_day {
        there[index / 8] |= 1 << (index % 8);
        if sum.covered_ms == QUARTER_MS {
            whole[index / 8] |= 1 << (index % 8);
        }
    }
    let mut bytes = Vec::with_capacity(32 + of_day.len() * 6);
    bytes.extend(there);
    bytes.extend(whole);
    let exponent = common_exponent(of_day.iter().map(|(_, sum)| sum.energy_uj));
    bytes.push(exponent);
    let scale = 10_i64.pow(exponent.into());
    let mut before = 0;
    for (_, sum) in of_day {
        if sum.covered_ms != QUARTER_MS {
            push(&mut bytes, sum.covered_ms.cast_unsigned());
        }
        let energy = sum.energy_uj / scale;
        push_signed(&mut bytes, energy - before);
        before = energy;
    }
    bytes
}

/// The quarter-hours of a block of the day that starts at `start_ms`.
///
/// # Errors
/// Bytes that were not packed here.
pub fn unpack_quarters(
    start_ms: i64,
    bytes: &[u8],
) -> Result<BTreeMap<QuarterHour, QuarterSum>, PackedError> {
    let mut bytes = bytes;
    let there = pull_bits(&mut bytes)?;
    let whole = pull_bits(&mut bytes)?;
    let scale = scale(pull_byte(&mut bytes)?)?;
    let first = start_ms.div_euclid(QUARTER_MS);
    let mut before = 0_i64;
    let mut quarters = BTreeMap::new();
    for (index, number) in (0..QUARTERS).zip(first..) {
        let bit = |bits: &Bits| bits[index / 8] >> (index % 8) & 1 == 1;
        if !bit(&there) {
            continue;
        }
        let covered_ms = if bit(&whole) { QUARTER_MS } else { pull_covered(&mut bytes)? };
        let energy = before.checked_add(pull_signed(&mut bytes)?);
        before = energy.filter(|it| *it >= 0).ok_or(PackedError("an energy is out of range"))?;
        let sum = QuarterSum { energy_uj: scaled(before, scale)?, covered_ms };
        quarters.insert(QuarterHour::from_number(number), sum);
    }
    if bytes.is_empty() { Ok(quarters) } else { Err(PackedError("it is longer than it says")) }
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
