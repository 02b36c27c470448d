//! From readings in any order to an agenda.
//!
//! A value that cannot be one of its kind is a gap, and noted. Where one span is said twice, the better quality counts; at equal quality the more cautious
//! value: the dearer, the dirtier, the lower cap. The rule does not depend on the order of a
//! payload, so that two fetches of one state agree. Spans that overlap in part are refused.

use planner::agenda::{Agenda, Piece};
use planner::decimal::format_millionths;
use planner::time::Span;

use super::{FeedError, Kind, KnownValue, Quality};

/// Duplicates listed one by one; more are counted.
const LISTED: usize = 3;

/// A value of a span, as read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    pub span: Span,
    pub value: i64,
    pub quality: Quality,
}

/// An agenda of readings in any order; says in `notes` which conflicts it resolved, and which values
/// cannot be.
///
/// # Errors
/// Where no value can be one of its kind, and where spans overlap in part.
pub(crate) fn assemble(
    kind: Kind,
    mut readings: Vec<Reading>,
    notes: &mut Vec<String>,
) -> Result<Agenda<KnownValue>, FeedError> {
    readings.sort_by_key(|reading| reading.span);
    let impossible = without_impossible(kind, &mut readings, notes);
    if let Some(first) = impossible.filter(|_| readings.is_empty()) {
        return Err(FeedError::payload(first.span, format!("no value is a possible {kind}")));
    }
    let mut pieces: Vec<Piece<KnownValue>> = Vec::with_capacity(readings.len());
    let mut conflicts = 0;
    for Reading { span, value, quality } in readings {
        let known = KnownValue { value, quality };
        match pieces.last_mut() {
            Some(last) if last.span == span => {
                if last.value.value != value {
                    conflicts += 1;
                    if conflicts <= LISTED {
                        notes.push(format!("two values for {span}"));
                    }
                }
                last.value = better(kind, last.value, known);
            }
            Some(last) if last.span.overlaps(span) => {
                return Err(FeedError::payload(span, format!("overlaps {}", last.span)));
            }
            _ => pieces.push(Piece { span, value: known }),
        }
    }
    if conflicts > LISTED {
        notes.push(format!("two values for {} more spans", conflicts - LISTED));
    }
    Agenda::new(pieces).map_err(|error| FeedError::payload("the agenda", error))
}

/// Leaves out what cannot be, and notes it; the first of it.
fn without_impossible(
    kind: Kind,
    readings: &mut Vec<Reading>,
    notes: &mut Vec<String>,
) -> Option<Reading> {
    let (possible, impossible): (Vec<Reading>, Vec<Reading>) =
        readings.iter().partition(|reading| kind.admits(reading.value));
    *readings = possible;
    for Reading { span, value, .. } in impossible.iter().take(LISTED) {
        let value = match *value {
            i64::MIN => "a value far below zero".to_owned(),
            i64::MAX => "a value beyond all bounds".to_owned(),
            value => format_millionths(value),
        };
        notes.push(format!("{span}: {value} cannot be a {kind} and is a gap"));
    }
    if impossible.len() > LISTED {
        notes.push(format!("{} more values cannot be and are gaps", impossible.len() - LISTED));
    }
    impossible.first().copied()
}

fn better(kind: Kind, one: KnownValue, other: KnownValue) -> KnownValue {
    match one.quality.cmp(&other.quality) {
        std::cmp::Ordering::Greater => one,
        std::cmp::Ordering::Less => other,
        std::cmp::Ordering::Equal => {
            KnownValue { value: kind.cautious(one.value, other.value), quality: one.quality }
        }
    }
}

#[cfg(test)]
mod tests {
    use planner::time::Timestamp;

    use super::*;

    fn reading(start: i64, end: i64, value: i64, quality: Quality) -> Reading {
        let at = Timestamp::from_unix_seconds;
        Reading { span: Span::new(at(start), at(end)).unwrap(), value, quality }
    }

    fn values(kind: Kind, readings: &[Reading]) -> (Vec<i64>, usize) {
        let mut notes = Vec::new();
        let agenda = assemble(kind, readings.to_vec(), &mut notes).unwrap();
        (agenda.pieces().iter().map(|piece| piece.value.value).collect(), notes.len())
    }

    #[test]
    fn conflicts_do_not_depend_on_the_order_of_the_payload() {
        let kind = Kind::Price { currency: planner::quantity::Currency::EUR };
        let readings = [
            reading(900, 1800, 7, Quality::Forecast),
            reading(0, 900, 5, Quality::Forecast),
            reading(0, 900, 9, Quality::Estimated),
            reading(0, 900, 6, Quality::Forecast),
        ];
        let mut reversed = readings;
        reversed.reverse();
        assert_eq!(values(kind, &readings), (vec![6, 7], 2));
        assert_eq!(values(kind, &reversed).0, [6, 7]);
        assert_eq!(values(Kind::PowerCap, &readings).0, [5, 7]);
    }

    #[test]
    fn a_value_that_cannot_be_is_a_gap_and_noted() {
        let kind = Kind::Price { currency: planner::quantity::Currency::EUR };
        let mut readings = vec![
            reading(0, 900, 50_000_000, Quality::Measured),
            reading(900, 1800, 10_000_000_000_000, Quality::Measured),
        ];
        let mut notes = Vec::new();
        let agenda = assemble(kind, readings.clone(), &mut notes).unwrap();
        assert_eq!(agenda.pieces().len(), 1);
        assert!(
            notes[0].contains("10000000 cannot be a price in EUR/MWh and is a gap"),
            "{notes:?}"
        );
        let more =
            |index: i64| reading(index * 900, (index + 1) * 900, i64::MIN, Quality::Measured);
        readings.extend((2..9).map(more));
        notes.clear();
        assert_eq!(assemble(kind, readings, &mut notes).unwrap().pieces().len(), 1);
        assert_eq!((notes.len(), notes[3].as_str()), (4, "5 more values cannot be and are gaps"));
    }

    #[test]
    fn partial_overlaps_and_nothing_but_impossible_values_are_refused() {
        let overlap =
            [reading(0, 900, 5, Quality::Measured), reading(450, 900, 5, Quality::Measured)];
        assert!(assemble(Kind::PowerCap, overlap.to_vec(), &mut Vec::new()).is_err());
        let negative = [reading(0, 900, -1, Quality::Measured)];
        assert!(assemble(Kind::PowerCap, negative.to_vec(), &mut Vec::new()).is_err());
    }
}
