//! Numbers as bytes.

use super::PackedError;

const CUT_SHORT: PackedError = PackedError("it is cut short");

/// No `i64` other than zero is divided by a larger power of ten.
pub(super) const LARGEST_EXPONENT: u8 = 18;

pub(super) fn push(bytes: &mut Vec<u8>, number: u64) {
    let mut rest = number;
    while rest >= 0x80 {
        bytes.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push((rest & 0x7f) as u8);
}

pub(super) fn push_signed(bytes: &mut Vec<u8>, number: i64) {
    push(bytes, (number.cast_unsigned() << 1) ^ (number >> 63).cast_unsigned());
}

pub(super) fn pull_byte(bytes: &mut &[u8]) -> Result<u8, PackedError> {
    let (&byte, rest) = bytes.split_first().ok_or(CUT_SHORT)?;
    *bytes = rest;
    Ok(byte)
}

pub(super) fn pull(bytes: &mut &[u8]) -> Result<u64, PackedError> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let byte = pull_byte(bytes)?;
        let part = u64::from(byte & 0x7f);
        if shift == 63 && part > 1 {
            break;
        }
        number |= part << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(PackedError("a number is too long"))
}

pub(super) fn pull_signed(bytes: &mut &[u8]) -> Result<i64, PackedError> {
    pull(bytes).map(|number| (number >> 1).cast_signed() ^ -(number & 1).cast_signed())
}

/// The largest power of ten that divides all values, as its exponent; 0 where all are zero.
pub(super) fn common_exponent(values: impl Iterator<Item = i64> + Clone) -> u8 {
    let mut exponent = LARGEST_EXPONENT;
    let mut power = 10_i64.pow(exponent.into());
    let mut any = false;
    for value in values.filter(|value| *value != 0) {
        any = true;
        while value % power != 0 {
            exponent -= 1;
            power /= 10;
        }
        if exponent == 0 {
            return 0;
        }
    }
    if any { exponent } else { 0 }
}

/// The power of ten of an exponent that was read.
pub(super) fn scale(exponent: u8) -> Result<i64, PackedError> {
    if exponent > LARGEST_EXPONENT {
        return Err(PackedError("its values have no such scale"));
    }
    Ok(10_i64.pow(exponent.into()))
}

/// A value that was divided by a scale.
pub(super) fn scaled(value: i64, scale: i64) -> Result<i64, PackedError> {
    value.checked_mul(scale).ok_or(PackedError("a value is too large"))
}
