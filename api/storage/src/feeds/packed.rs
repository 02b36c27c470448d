//! Pieces as bytes: a quarter of an hour takes three or four, so that a year of revisions stays small.
//!
//! For each piece a byte of flags (bits 0 and 1: quality; bit 2: starts where the one before ended;
//! bit 3: lasts as long), then numbers of 7 bits a byte, the lowest first: the gap unless bit 2, the
//! length unless bit 3, the value less the one before. Before the first piece stand the end 0, the
//! length 0 and the value 0. Signed numbers alternate: 0, -1, 1, -2, ...

use planner::agenda::{Piece, Quality};
use planner::time::{Span, Timestamp};

use crate::feeds::FeedValue;

const QUALITY: u8 = 0b11;
const TOUCHES: u8 = 0b100;
const AS_LONG: u8 = 0b1000;

/// The pieces, which are in time order, as bytes.
pub(crate) fn pack(pieces: &[Piece<FeedValue>]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(pieces.len() * 4);
    let (mut end, mut length, mut value) = (0_i64, 0_i64, 0_i64);
    for piece in pieces {
        let start = piece.span.start().as_unix_seconds();
        let lasts = piece.span.length().get();
        let (touches, as_long) = (start == end, lasts == length);
        let flags = code(piece.value.quality)
            | if touches { TOUCHES } else { 0 }
            | if as_long { AS_LONG } else { 0 };
        bytes.push(flags);
        if !touches {
            push(&mut bytes, start.wrapping_sub(end));
        }
        if !as_long {
            push(&mut bytes, lasts);
        }
        push(&mut bytes, piece.value.value.wrapping_sub(value));
        (end, length, value) = (start + lasts, lasts, piece.value.value);
    }
    bytes
}

/// The pieces of bytes; `None` where these were not packed here.
pub(crate) fn unpack(mut bytes: &[u8]) -> Option<Vec<Piece<FeedValue>>> {
    let mut pieces = Vec::new();
    let (mut end, mut length, mut value) = (0_i64, 0_i64, 0_i64);
    while let Some((&flags, rest)) = bytes.split_first() {
        bytes = rest;
        let gap = if flags & TOUCHES == 0 { pull(&mut bytes)? } else { 0 };
        if flags & AS_LONG == 0 {
            length = pull(&mut bytes)?;
        }
        value = value.wrapping_add(pull(&mut bytes)?);
        let start = end.checked_add(gap)?;
        end = start.checked_add(length)?;
        let instant = Timestamp::from_unix_seconds;
        let span = Span::new(instant(start), instant(end))?;
        pieces.push(Piece { span, value: FeedValue { value, quality: quality(flags & QUALITY)? } });
    }
    Some(pieces)
}

const fn code(quality: Quality) -> u8 {
    match quality {
        Quality::Estimated => 0,
        Quality::Forecast => 1,
        Quality::Measured => 2,
    }
}

const fn quality(code: u8) -> Option<Quality> {
    Some(match code {
        0 => Quality::Estimated,
        1 => Quality::Forecast,
        2 => Quality::Measured,
        _ => return None,
    })
}

fn push(bytes: &mut Vec<u8>, number: i64) {
    let mut rest = (number.cast_unsigned() << 1) ^ (number >> 63).cast_unsigned();
    loop {
        let low = (rest & 0x7f) as u8;
        rest >>= 7;
        if rest == 0 {
            bytes.push(low);
            return;
        }
        bytes.push(low | 0x80);
    }
}

fn pull(bytes: &mut &[u8]) -> Option<i64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(start: i64, end: i64, value: i64, quality: Quality) -> Piece<FeedValue> {
        let at = Timestamp::from_unix_seconds;
        Piece { span: Span::new(at(start), at(end)).unwrap(), value: FeedValue { value, quality } }
    }

    #[test]
    fn pieces_come_back_as_they_were() {
        let pieces = [
            piece(1_700_000_000, 1_700_000_900, 50_000_000, Quality::Measured),
            piece(1_700_000_900, 1_700_001_800, -1, Quality::Estimated),
            piece(1_700_005_000, 1_700_005_001, i64::MAX, Quality::Forecast),
            piece(1_700_005_001, 1_700_009_000, i64::MIN, Quality::Forecast),
        ];
        assert_eq!(unpack(&pack(&pieces)).unwrap(), pieces);
        assert_eq!(unpack(&[]).unwrap(), []);
    }

    /// A day of quarter-hours whose prices differ by up to 8 EUR/MWh: a byte of flags and at most
    /// four for the value.
    #[test]
    fn a_day_of_quarter_hours_takes_less_than_500_bytes() {
        let price = |n: i64| 50_000_000 + n * 7_919_000 % 8_000_000;
        let day: Vec<_> =
            (0..96).map(|n| piece(n * 900, (n + 1) * 900, price(n), Quality::Measured)).collect();
        let bytes = pack(&day);
        assert!(bytes.len() < 500, "{}", bytes.len());
        assert_eq!(unpack(&bytes).unwrap(), day);
    }

    #[test]
    fn what_was_cut_short_is_refused() {
        let whole = pack(&[piece(0, 900, 50_000_000, Quality::Measured)]);
        for length in 1..whole.len() {
            assert_eq!(unpack(&whole[..length]), None, "{length} bytes");
        }
    }
}
