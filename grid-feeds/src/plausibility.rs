//! Is this what a supplier can mean? Range, step and jump checks, and what is known too early.
//!
//! What cannot be becomes a gap; what is odd stays and is reported, a day of nothing but zeros among
//! it. Values that are larger or smaller than before by a factor, but for the largest few, refuse the
//! whole series, unless it is of caps: a unit has changed.

use std::fmt;

use planner::agenda::{Agenda, Piece};
use planner::decimal::format_millionths;
use planner::quantity::{MAX_POWER_MICROWATTS, MILLION};
use planner::time::{Seconds, Span, Timestamp};

use crate::feed::{FeedError, Kind, KnownValue, Quality, Series};

/// Clocks of suppliers may be ahead of ours by this much without being reported.
const SKEW: Seconds = Seconds::new(300);

/// Means that differ by this factor from those before are of another unit.
const UNIT_FACTOR: i128 = 50;

/// Values that are zero for so long are odd: a day of 23 hours.
const ALL_ZERO: Seconds = Seconds::new(23 * 3600);

/// Of so many values one may be absurd without the others being of another unit.
const ONE_IN: usize = 10;

/// Of each kind of oddity, this many are listed.
const LISTED: usize = 10;

/// What is usual of a kind, in its exact unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Values below cannot be.
    pub lowest: i64,
    /// Values above cannot be.
    pub highest: i64,
    /// Neighbours that differ by more are odd; `None` where any jump is usual.
    pub largest_jump: Option<i64>,
    /// Pieces that are shorter are odd.
    pub shortest_piece: Seconds,
    /// Pieces that are longer are odd.
    pub longest_piece: Seconds,
}

/// What is odd about a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suspicion {
    /// The value cannot be; it has become a gap.
    OutOfRange {
        /// The span of the value.
        span: Span,
        /// What was said, exact.
        value: i64,
    },
    /// Neighbours differ by more than usual.
    Jump {
        /// The instant between the neighbours.
        at: Timestamp,
        /// The exact value before.
        from: i64,
        /// The exact value after.
        to: i64,
    },
    /// A piece is shorter or longer than usual.
    Length {
        /// The piece.
        span: Span,
    },
    /// Nothing but zeros, which suppliers also say where they know nothing.
    AllZero {
        /// From the first to the last.
        span: Span,
    },
    /// Said to be measured, but yet to come; it counts as a forecast.
    MeasuredAhead {
        /// The first such piece.
        span: Span,
    },
    /// Issued later than now; it counts as issued now.
    IssuedAhead {
        /// By so much.
        by: Seconds,
    },
}

/// A series that passed, and what is odd about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Without what cannot be.
    pub series: Series,
    /// The first few of each kind.
    pub suspicions: Vec<Suspicion>,
}

impl Limits {
    /// Wide limits: prices between -1,000 and 10,000 EUR/MWh (European auctions are capped at -500
    /// and 4,000 to 5,000), ten times that in other currencies but pounds, francs and dollars, a hundred
    /// times in yen; CO2 up to 2,000 g/kWh, beyond the worst power station.
    pub fn usual(kind: Kind) -> Self {
        let minute = Seconds::new(60);
        let days = |days: i64| Seconds::new(days * 86_400);
        match kind {
            Kind::Price { currency } => {
                let unit = MILLION
                    * match currency.code() {
                        "EUR" | "GBP" | "CHF" | "USD" => 1,
                        "JPY" => 100,
                        _ => 10,
                    };
                Self {
                    lowest: -1_000 * unit,
                    highest: 10_000 * unit,
                    largest_jump: Some(1_000 * unit),
                    shortest_piece: minute,
                    longest_piece: days(366),
                }
            }
            Kind::Co2 { .. } => Self {
                lowest: 0,
                highest: 2_000 * MILLION,
                largest_jump: Some(500 * MILLION),
                shortest_piece: minute,
                longest_piece: days(1),
            },
            Kind::PowerCap => Self {
                lowest: 0,
                highest: MAX_POWER_MICROWATTS,
                largest_jump: None,
                shortest_piece: minute,
                longest_piece: days(366),
            },
        }
    }
}

/// Judges a series as it is received at `now`, against the limits and what was said before.
///
/// # Errors
/// Where nothing is left, and where the values are of another unit than those of `previous`.
pub fn judge(
    series: Series,
    limits: &Limits,
    previous: Option<&Agenda<KnownValue>>,
    now: Timestamp,
) -> Result<Judged, FeedError> {
    let Series { kind, issued_at, agenda, notes } = series;
    let mut suspicions = Vec::new();
    let issued_at = issued_at.map(|issued| {
        if issued - now > SKEW {
            suspicions.push(Suspicion::IssuedAhead { by: issued - now });
        }
        issued.min(now)
    });
    let (possible, impossible): (Vec<Piece<KnownValue>>, Vec<Piece<KnownValue>>) = agenda
        .pieces()
        .iter()
        .partition(|piece| (limits.lowest..=limits.highest).contains(&piece.value.value));
    let out = |piece: &Piece<KnownValue>| Suspicion::OutOfRange {
        span: piece.span,
        value: piece.value.value,
    };
    suspicions.extend(impossible.iter().take(LISTED).map(out));
    if possible.is_empty() && !impossible.is_empty() {
        let place = impossible.first().map(|piece| piece.span.to_string()).unwrap_or_default();
        return Err(FeedError::payload(place, format!("no value is a possible {kind}")));
    }
    // An emergency may cut a cap to any part of what it was, and its end multiplies it.
    if let Some(previous) = previous.filter(|_| kind != Kind::PowerCap) {
        refuse_another_unit(&possible, previous)?;
    }
    let pieces = not_measured_ahead(kind, possible, now, &mut suspicions);
    suspicions.extend(odd_lengths(&pieces, limits).take(LISTED));
    suspicions.extend(jumps(&pieces, limits).take(LISTED));
    suspicions.extend(zeros(kind, &pieces).into_iter().take(LISTED));
    let agenda = Agenda::new(pieces).map_err(|error| FeedError::payload("the agenda", error))?;
    Ok(Judged { series: Series { kind, issued_at, agenda, notes }, suspicions })
}

/// CO2 cannot be measured before it is emitted; prices and caps are binding ahead.
fn not_measured_ahead(
    kind: Kind,
    mut pieces: Vec<Piece<KnownValue>>,
    now: Timestamp,
    suspicions: &mut Vec<Suspicion>,
) -> Vec<Piece<KnownValue>> {
    let Kind::Co2 { .. } = kind else { return pieces };
    let ahead = |piece: &Piece<KnownValue>| {
        piece.span.start() - now > SKEW && piece.value.quality == Quality::Measured
    };
    if let Some(first) = pieces.iter().find(|piece| ahead(piece)) {
        suspicions.push(Suspicion::MeasuredAhead { span: first.span });
    }
    for piece in pieces.iter_mut().filter(|piece| ahead(piece)) {
        piece.value.quality = Quality::Forecast;
    }
    pieces
}

fn odd_lengths(pieces: &[Piece<KnownValue>], limits: &Limits) -> impl Iterator<Item = Suspicion> {
    let usual = limits.shortest_piece..=limits.longest_piece;
    let odd = pieces.iter().filter(move |piece| !usual.contains(&piece.span.length()));
    odd.map(|piece| Suspicion::Length { span: piece.span })
}

fn jumps(pieces: &[Piece<KnownValue>], limits: &Limits) -> impl Iterator<Item = Suspicion> {
    let largest = limits.largest_jump.unwrap_or(i64::MAX);
    pieces.iter().zip(pieces.iter().skip(1)).filter_map(move |(one, next)| {
        let (from, to) = (one.value.value, next.value.value);
        let touching = one.span.end() == next.span.start();
        let jump = touching && from.abs_diff(to) > largest.unsigned_abs();
        jump.then_some(Suspicion::Jump { at: next.span.start(), from, to })
    })
}

/// Where prices or intensities are zero for a day and longer.
fn zeros(kind: Kind, pieces: &[Piece<KnownValue>]) -> Vec<Suspicion> {
    let mut runs: Vec<Span> = Vec::new();
    for piece in pieces.iter().filter(|piece| piece.value.value == 0 && kind != Kind::PowerCap) {
        match runs.last_mut() {
            Some(run) if run.end() == piece.span.start() => {
                *run = Span::new(run.start(), piece.span.end()).unwrap_or(*run);
            }
            _ => runs.push(piece.span),
        }
    }
    runs.retain(|run| run.length() >= ALL_ZERO);
    runs.into_iter().map(|span| Suspicion::AllZero { span }).collect()
}

/// Compares the sums of absolute values where both have some, without the largest few of each.
fn refuse_another_unit(
    pieces: &[Piece<KnownValue>],
    previous: &Agenda<KnownValue>,
) -> Result<(), FeedError> {
    let size = |known: KnownValue| i128::from(known.value.unsigned_abs());
    let both = pieces
        .iter()
        .filter_map(|piece| Some((size(piece.value), size(previous.at(piece.span.start())?))));
    let (new, old): (Vec<i128>, Vec<i128>) = both.unzip();
    let (new, old) = (usual_sum(new), usual_sum(old));
    let unlike = new > 0 && old > 0 && (new > UNIT_FACTOR * old || old > UNIT_FACTOR * new);
    if !unlike {
        return Ok(());
    }
    let place = pieces.first().map(|piece| piece.span.to_string()).unwrap_or_default();
    let message = "values differ from those before by a factor: has the unit changed?";
    Err(FeedError::payload(place, message))
}

/// The sum without the largest tenth of three values and more, at least one.
fn usual_sum(mut sizes: Vec<i128>) -> i128 {
    sizes.sort_unstable();
    let odd = if sizes.len() < 3 { 0 } else { sizes.len().div_ceil(ONE_IN) };
    sizes.iter().take(sizes.len() - odd).sum()
}

impl fmt::Display for Suspicion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfRange { span, value } => {
                write!(f, "{span}: {} cannot be and is a gap", format_millionths(*value))
            }
            Self::Jump { at, from, to } => {
                let (from, to) = (format_millionths(*from), format_millionths(*to));
                write!(f, "{at}: jumps from {from} to {to}")
            }
            Self::Length { span } => write!(f, "{span}: lasts {} s", span.length().get()),
            Self::AllZero { span } => {
                write!(f, "{span}: nothing but zeros; does the supplier know its values?")
            }
            Self::MeasuredAhead { span } => {
                write!(f, "{span}: said to be measured, yet to come; counts as a forecast")
            }
            Self::IssuedAhead { by } => {
                write!(f, "issued {} s from now; counts as issued now", by.get())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use planner::quantity::Currency;

    use super::*;
    use crate::feed::{Accounting, Factors};

    const CO2: Kind = Kind::Co2 { accounting: Accounting::Average, factors: Factors::Direct };

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_seconds(seconds)
    }

    /// Hours from the epoch with whole values; `None` is a gap.
    fn series(kind: Kind, values: &[Option<i64>]) -> Series {
        let piece = |(hour, value): (i64, &Option<i64>)| {
            let span = Span::starting(at(hour * 3600), Seconds::new(3600))?;
            let value = KnownValue { value: (*value)? * MILLION, quality: Quality::Measured };
            Some(Piece { span, value })
        };
        let pieces = (0..).zip(values).filter_map(piece).collect();
        Series { kind, issued_at: None, agenda: Agenda::new(pieces).unwrap(), notes: Vec::new() }
    }

    fn judged(series: Series, previous: Option<&Series>) -> Result<Judged, FeedError> {
        let limits = Limits::usual(series.kind);
        judge(series, &limits, previous.map(|series| &series.agenda), at(10 * 3600))
    }

    #[test]
    fn what_cannot_be_becomes_a_gap_and_is_reported() {
        let price = Kind::Price { currency: Currency::EUR };
        let judged = judged(series(price, &[Some(-400), Some(99_999), Some(50)]), None).unwrap();
        assert_eq!(judged.series.agenda.pieces().len(), 2);
        assert_eq!(judged.series.agenda.at(at(3600)), None);
        let words = judged.suspicions[0].to_string();
        assert!(words.ends_with("99999 cannot be and is a gap"), "{words}");
    }

    /// In January 2021 a kWh cost 251 yen in Japan, 251,000 a MWh.
    #[test]
    fn prices_in_yen_have_wider_limits() {
        let price = |code: &str| Kind::Price { currency: Currency::parse(code).unwrap() };
        let known = |code| judged(series(price(code), &[Some(9_000), Some(251_000)]), None);
        assert_eq!(known("JPY").unwrap().series.agenda.pieces().len(), 2);
        assert_eq!(known("AUD").unwrap().series.agenda.pieces().len(), 1);
    }

    #[test]
    fn a_series_of_nothing_possible_is_refused() {
        assert!(judged(series(CO2, &[Some(5000), Some(6000)]), None).is_err());
        assert!(judged(series(CO2, &[]), None).is_ok());
    }

    #[test]
    fn jumps_and_odd_lengths_stay_and_are_reported() {
        let judged = judged(series(CO2, &[Some(50), Some(700), None, Some(50)]), None).unwrap();
        assert_eq!(judged.series.agenda.pieces().len(), 3);
        let jump = Suspicion::Jump { at: at(3600), from: 50 * MILLION, to: 700 * MILLION };
        assert_eq!(judged.suspicions, [jump], "across a gap nothing jumps");
        let two_days = Span::new(at(0), at(2 * 86_400)).unwrap();
        let value = KnownValue { value: 1, quality: Quality::Forecast };
        let agenda = Agenda::new(vec![Piece { span: two_days, value }]).unwrap();
        let series = Series { kind: CO2, issued_at: None, agenda, notes: Vec::new() };
        let judged = super::tests::judged(series, None).unwrap();
        assert_eq!(judged.suspicions, [Suspicion::Length { span: two_days }]);
    }

    #[test]
    fn a_changed_unit_is_refused() {
        let before = series(CO2, &[Some(50), Some(60)]);
        let kilograms = series(CO2, &[Some(0), Some(1)]);
        assert!(judged(kilograms, Some(&before)).is_err());
        assert!(judged(series(CO2, &[Some(90), Some(40)]), Some(&before)).is_ok());
    }

    /// One absurd value makes a mean of a thousand times, but not another unit of the others.
    #[test]
    fn one_absurd_value_is_no_changed_unit() {
        let price = Kind::Price { currency: Currency::EUR };
        let before = series(price, &[Some(50), Some(60), Some(70), Some(80)]);
        for absurd in [900_000, 9_999] {
            let said = series(price, &[Some(50), Some(60), Some(absurd), Some(80)]);
            let judged = judged(said, Some(&before)).unwrap();
            assert_eq!(judged.series.agenda.at(at(0)).unwrap().value, 50 * MILLION);
        }
        let thousandfold = series(price, &[Some(5_000), Some(6_000), Some(7_000), Some(8_000)]);
        assert!(judged(thousandfold, Some(&before)).is_err());
    }

    #[test]
    fn a_day_of_nothing_but_zeros_is_reported() {
        let price = Kind::Price { currency: Currency::EUR };
        let judged_zeros = |kind, hours: usize| {
            let mut values = vec![Some(0); hours];
            values.push(Some(50));
            judged(series(kind, &values), None).unwrap().suspicions
        };
        let words = judged_zeros(price, 24)[0].to_string();
        assert!(words.contains("1970-01-02T00:00:00Z: nothing but zeros"), "{words}");
        assert_eq!(judged_zeros(price, 22), []);
        assert_eq!(judged_zeros(Kind::PowerCap, 24), []);
    }

    #[test]
    fn a_cap_may_be_cut_to_any_part_and_come_back() {
        let (usual, emergency) = ([Some(60_000); 4], [Some(200); 4]);
        let [usual, emergency] = [usual, emergency].map(|caps| series(Kind::PowerCap, &caps));
        assert_eq!(judged(emergency.clone(), Some(&usual)).unwrap().series, emergency);
        assert_eq!(judged(usual.clone(), Some(&emergency)).unwrap().series, usual);
    }

    #[test]
    fn co2_measured_ahead_is_a_forecast_and_a_skewed_clock_is_tolerated() {
        let mut ahead = series(CO2, &[Some(50); 12]);
        ahead.issued_at = Some(at(10 * 3600 + 200));
        let judged = judged(ahead.clone(), None).unwrap();
        let eleven = judged.series.agenda.at(at(11 * 3600)).unwrap();
        assert_eq!(eleven.quality, Quality::Forecast);
        assert_eq!(judged.series.agenda.at(at(9 * 3600)).unwrap().quality, Quality::Measured);
        assert_eq!(judged.series.issued_at, Some(at(10 * 3600)));
        assert_eq!(judged.suspicions.len(), 1, "{:?}", judged.suspicions);
        ahead.issued_at = Some(at(20 * 3600));
        let by = Seconds::new(10 * 3600);
        let judged = super::tests::judged(ahead, None).unwrap();
        assert!(judged.suspicions.contains(&Suspicion::IssuedAhead { by }));
    }
}
