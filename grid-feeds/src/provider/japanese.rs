//! What files of Japan have in common: encodings, spellings, half-hours of one clock without summer time.

use std::borrow::Cow;

use encoding_rs::SHIFT_JIS;
use jiff::civil::Date;
use planner::time::Seconds;

use crate::feed::FeedError;

/// Days are days of this zone.
pub const ZONE: &str = "Asia/Tokyo";

/// How long a value holds.
pub const HALF_HOUR: Seconds = Seconds::new(1800);

/// The text of a file: in UTF-8, or else in `Shift_JIS`. A supplier may use the one in one month and the other in the next.
///
/// # Errors
/// What is neither.
pub fn text(bytes: Vec<u8>) -> Result<String, FeedError> {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return Ok(text),
        Err(error) => error.into_bytes(),
    };
    let text = SHIFT_JIS.decode_without_bom_handling_and_without_replacement(&bytes);
    text.map(Cow::into_owned)
        .ok_or_else(|| FeedError::payload("the answer", "is neither UTF-8 nor Shift_JIS"))
}

/// A name with ASCII's letters, digits and brackets, which some files write wide.
pub fn narrow(name: &str) -> String {
    let narrow = |letter: char| match letter {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(letter) - 0xfee0).unwrap_or(letter),
        letter => letter,
    };
    name.trim().chars().map(narrow).collect()
}

/// Reads `2026/4/1`, `2026/04/01` and `20260401`.
pub fn date(text: &str) -> Option<Date> {
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = text.split('/');
    let (year, month, day) = match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(year), Some(month), Some(day), None) => (year, month, day),
        (Some(text), None, None, None) if text.len() == 8 && digits(text) => {
            (text.get(..4)?, text.get(4..6)?, text.get(6..)?)
        }
        _ => return None,
    };
    let is_whole = year.len() == 4 && [year, month, day].map(digits) == [true; 3];
    let date = Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    date.ok().filter(|_| is_whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mark of the order of bytes is no part of `Shift_JIS`, and stays what it is in UTF-8.
    #[test]
    fn both_encodings_are_read_and_nothing_else() {
        let (packed, _, _) = SHIFT_JIS.encode("受渡日,東京(円/kWh)");
        assert_ne!(&*packed, "受渡日,東京(円/kWh)".as_bytes());
        assert_eq!(text(packed.into_owned()).unwrap(), "受渡日,東京(円/kWh)");
        assert_eq!(text("受渡日".into()).unwrap(), "受渡日");
        let error = text(vec![0x82, 0xff, 0xff]).unwrap_err();
        assert!(error.to_string().contains("is neither UTF-8 nor Shift_JIS"), "{error}");
    }

    #[test]
    fn names_may_be_wide_and_dates_short() {
        assert_eq!(narrow(" 火力（ＬＮＧ）"), "火力(LNG)");
        assert_eq!(narrow("火力(石炭)"), "火力(石炭)");
        let read = |text| date(text).map(|date| date.to_string());
        for text in ["2026/4/1", "2026/04/01", "20260401"] {
            assert_eq!(read(text).unwrap(), "2026-04-01", "{text}");
        }
        for text in [
            "26/4/1",
            "2026/4",
            "2026/2/30",
            "2026-04-01",
            "2026/4/1/1",
            "+026/4/1",
            "202604",
            "２０２６",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
