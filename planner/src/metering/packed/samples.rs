//! Some hours of samples of a series.
//!
//! A block has, in this order:
//!
//! 1. a byte: 0 where values are written as differences, 1 where as differences of differences, for counters;
//! 2. the number of samples;
//! 3. milliseconds from the block's start to the first sample, and from it to the second less one;
//! 4. of each further sample, how much longer it came after the one before than that one did: where it came after as
//!    long, how many in turn did (the number of such samples, which may be none), then a difference, and so on;
//! 5. the exponent of the power of ten that divides all values, and the values divided by it: the first, then
//!    differences.
//!
//! Samples once a minute on the minute whose power changes by less than 8.192 W, told in milliwatts, take two bytes
//! each; told in tenths of a watt or coarser, one.

use super::PackedError;
use super::numbers::{
    common_exponent, pull, pull_byte, pull_signed, push, push_signed, scale, scaled,
};
use crate::metering::{Sample, SampleTime, ValueKind};

/// The length of a block, in milliseconds: four hours.
pub const SAMPLES_MS: i64 = 4 * 3_600_000;

const DIFFERENCES: u8 = 0;
const CURVATURES: u8 = 1;

/// Samples as bytes. They are in time order, no two at an instant, and within [`SAMPLES_MS`] from `start_ms`.
pub fn pack_samples(kind: ValueKind, start_ms: i64, samples: &[Sample]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(16 + samples.len() * 3);
    let values = samples.iter().map(|sample| sample.value_milli);
    bytes.push(if kind == ValueKind::Counter { CURVATURES } else { DIFFERENCES });
    push(&mut bytes, samples.len() as u64);
    pack_times(&mut bytes, start_ms, samples);
    let exponent = common_exponent(values.clone());
    bytes.push(exponent);
    let scale = 10_i64.pow(exponent.into());
    let (mut before, mut slope) = (0_i64, 0_i64);
    for value in values.map(|value| value / scale) {
        let difference = value.wrapping_sub(before);
        push_signed(&mut bytes, difference.wrapping_sub(slope));
        // The first difference is from nothing, and says nothing of the second.
        if kind == ValueKind::Counter && before != 0 {
            slope = difference;
        }
        before = value;
    }
    bytes
}

fn pack_times(bytes: &mut Vec<u8>, start_ms: i64, samples: &[Sample]) {
    let mut times = samples.iter().map(|sample| sample.at.as_unix_milliseconds());
    let Some(first) = times.next() else { return };
    push(bytes, (first - start_ms).cast_unsigned());
    let Some(second) = times.next() else { return };
    let (mut before, mut length) = (second, second - first);
    push(bytes, (length - 1).cast_unsigned());
    let mut as_long = 0_u64;
    for time in times {
        let next = time - before;
        if next == length {
            as_long += 1;
        } else {
            push(bytes, as_long);
            push_signed(bytes, next - length);
            as_long = 0;
        }
        (before, length) = (time, next);
    }
    if as_long > 0 {
        push(bytes, as_long);
    }
}

/// The samples of a block that starts at `start_ms`.
///
/// # Errors
/// Bytes that were not packed here.
pub fn unpack_samples(start_ms: i64, bytes: &[u8]) -> Result<Vec<Sample>, PackedError> {
    let mut bytes = bytes;
    let curved = match pull_byte(&mut bytes)? {
        DIFFERENCES => false,
        CURVATURES => true,
        _ => return Err(PackedError("its kind is unknown")),
    };
    let count = pull(&mut bytes)?;
    // Each value takes a byte at least: nothing is made room for that cannot be there.
    let count = usize::try_from(count).ok().filter(|count| *count <= bytes.len());
    let count = count.ok_or(PackedError("it has fewer samples than it says"))?;
    let times = unpack_times(&mut bytes, count)?;
    let scale = scale(pull_byte(&mut bytes)?)?;
    let (mut before, mut slope) = (0_i64, 0_i64);
    let mut samples = Vec::with_capacity(count);
    for time in times {
        let difference = pull_signed(&mut bytes)?.wrapping_add(slope);
        let value = before.wrapping_add(difference);
        if curved && before != 0 {
            slope = difference;
        }
        before = value;
        let at = SampleTime::from_unix_milliseconds(start_ms + time);
        samples.push(Sample { at, value_milli: scaled(value, scale)? });
    }
    if bytes.is_empty() { Ok(samples) } else { Err(PackedError("it is longer than it says")) }
}

/// Milliseconds from the block's start, in order.
fn unpack_times(bytes: &mut &[u8], count: usize) -> Result<Vec<i64>, PackedError> {
    let mut times = Vec::with_capacity(count);
    let inside = |time: Option<i64>| {
        let inside = time.filter(|time| (0..SAMPLES_MS).contains(time));
        inside.ok_or(PackedError("a sample lies outside of it"))
    };
    if count == 0 {
        return Ok(times);
    }
    let mut before = inside(i64::try_from(pull(bytes)?).ok())?;
    times.push(before);
    if count == 1 {
        return Ok(times);
    }
    let mut length = inside(i64::try_from(pull(bytes)?).ok())? + 1;
    before = inside(before.checked_add(length))?;
    times.push(before);
    while times.len() < count {
        let as_long = pull(bytes)?;
        for _ in 0..as_long.min((count - times.len()) as u64) {
            before = inside(before.checked_add(length))?;
            times.push(before);
        }
        if times.len() < count {
            let other = length.checked_add(pull_signed(bytes)?).filter(|length| *length > 0);
            length = other.ok_or(PackedError("its samples are not in time order"))?;
            before = inside(before.checked_add(length))?;
            times.push(before);
        }
    }
    Ok(times)
}
