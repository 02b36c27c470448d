//! Forecasts of series whose next days are known by their rule.

mod backtests;
mod parts;

use planner::quantity::{Currency, MILLION};

use super::*;

const EUR: Kind = Kind::Price { currency: Currency::EUR };
const HOUR: i64 = 3600;

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// Hours from `start`, valued by their local hour and the number of days since `start`.
fn hours(start: &str, count: i64, value: impl Fn(i8, i64) -> i64) -> Agenda<i64> {
    let (start, paris) = (at(start), LocalTime::paris().unwrap());
    let piece = |hour: i64| {
        let from = start + Seconds::new(hour * HOUR);
        let local = paris.civil(from).unwrap();
        let value = value(local.hour(), hour / 24) * MILLION;
        Piece { span: Span::starting(from, Seconds::new(HOUR)).unwrap(), value }
    };
    Agenda::new((0..count).map(piece).collect()).unwrap()
}

/// Numbers from 0 to 99 that look drawn, one for each index.
fn drawn(index: i64) -> i64 {
    let mixed = (index + 1).wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_041);
    (mixed ^ (mixed >> 29)).wrapping_mul(0x2545_F491_4F6C_DD1D).rotate_left(23).rem_euclid(100)
}

fn model() -> Model {
    Model::new("Europe/Paris", Seconds::new(HOUR), 26).unwrap()
}

fn continued(history: &Agenda<i64>, start: &str, days: i64) -> Agenda<Estimate> {
    let span = Span::starting(at(start), Seconds::new(days * 86_400)).unwrap();
    model().continuation(EUR, history, span).unwrap()
}

/// Summer time begins on 2026-03-29: what was at 08:00 in winter is at 08:00 in summer.
#[test]
fn the_same_hour_of_the_clock_comes_again_across_the_change_of_the_clock() {
    let history = hours("2026-01-31T23:00:00Z", 24 * 56, |hour, _| i64::from(hour));
    let next = continued(&history, "2026-03-28T23:00:00Z", 3);
    let paris = LocalTime::paris().unwrap();
    assert_eq!(next.pieces().len(), 72);
    for piece in next.pieces() {
        let hour = i64::from(paris.civil(piece.span.start()).unwrap().hour());
        let off = (piece.value.value - hour * MILLION).abs();
        assert!(off < 10, "{}: {:?}", piece.span, piece.value);
    }
}

/// Values do not change from day to day: the band has no width worth speaking of.
#[test]
fn what_always_comes_again_is_certain() {
    let history = hours("2026-04-05T22:00:00Z", 24 * 70, |hour, _| i64::from(hour));
    let next = continued(&history, "2026-06-14T22:00:00Z", 7);
    assert!(next.pieces().iter().all(|piece| piece.value.high - piece.value.low < 100));
}

/// Sundays lie 40 below other days. Yesterday says nothing of that on a Sunday, and half of it on the Monday after.
#[test]
fn weekdays_are_learnt() {
    // 2026-04-05 is a Sunday, and its local midnight is 22:00 UTC of the day before.
    let history = hours("2026-04-04T22:00:00Z", 24 * 70, |hour, day| {
        i64::from(hour) + 100 - if day % 7 == 0 { 40 } else { 0 }
    });
    let next = continued(&history, "2026-06-13T22:00:00Z", 2);
    let mean = |day: usize| {
        let pieces = &next.pieces()[day * 24..][..24];
        pieces.iter().map(|piece| piece.value.value as f64).sum::<f64>() / 24e6
    };
    // The mean of a Sunday is 100 - 40 + 11.5.
    assert!((mean(0) - 71.5).abs() < 5.0, "{}", mean(0));
    assert!((mean(1) - 111.5).abs() < 5.0, "{}", mean(1));
}

/// Nobody knows what comes: what does come changes no forecast that was made before.
#[test]
fn nothing_after_the_origin_counts() {
    let value =
        |hour: i8, day: i64| i64::from(hour) + drawn(day) + drawn(day * 24 + i64::from(hour));
    let until = |days: i64| hours("2026-01-04T23:00:00Z", 24 * days, value);
    // 100 days after the fifth of January in Paris; summer time has begun.
    let (short, long) = (until(100), until(130));
    let span = Span::starting(at("2026-04-14T22:00:00Z"), Seconds::new(86_400)).unwrap();
    assert_eq!(
        model().continuation(EUR, &short, span).unwrap(),
        model().continuation(EUR, &long, span).unwrap()
    );
}

#[test]
fn a_short_history_is_no_forecast() {
    let history = hours("2026-04-05T22:00:00Z", 24 * 13, |hour, _| i64::from(hour));
    assert!(continued(&history, "2026-04-18T22:00:00Z", 1).pieces().is_empty());
    let history = hours("2026-04-05T22:00:00Z", 24 * 14, |hour, _| i64::from(hour));
    assert_eq!(continued(&history, "2026-04-19T22:00:00Z", 10).pieces().len(), 240);
}

/// A day is missing: it counts as the day before it, and is neither learnt nor compared.
#[test]
fn a_hole_in_history_hides_no_pattern() {
    let whole = hours("2026-04-05T22:00:00Z", 24 * 42, |hour, _| i64::from(hour));
    let hole = Span::new(at("2026-05-10T22:00:00Z"), at("2026-05-11T22:00:00Z")).unwrap();
    let others = whole.pieces().iter().filter(|piece| !piece.span.overlaps(hole)).copied();
    let incomplete = Agenda::new(others.collect()).unwrap();
    let next = continued(&incomplete, "2026-05-17T22:00:00Z", 3);
    assert_eq!(next.pieces().len(), 72);
    let eight = next.pieces().iter().find(|it| it.span.start() == at("2026-05-18T06:00:00Z"));
    assert!((eight.unwrap().value.value - 8 * MILLION).abs() < 10);
}

/// Quarter-hours rise within each hour; hours alone could not tell.
#[test]
fn quarter_hours_have_values_of_their_own() {
    let start = at("2026-04-05T22:00:00Z");
    let quarter = |index: i64| Piece {
        span: Span::starting(start + Seconds::new(index * 900), Seconds::new(900)).unwrap(),
        value: (index % 4 * 10 + drawn(index / 96) / 10) * MILLION,
    };
    let history = Agenda::new((0..96 * 42).map(quarter).collect()).unwrap();
    let model = Model::new("Europe/Paris", Seconds::new(900), 26).unwrap();
    let span = Span::starting(at("2026-05-17T22:00:00Z"), Seconds::new(86_400)).unwrap();
    let next = model.continuation(EUR, &history, span).unwrap();
    assert_eq!(next.pieces().len(), 96);
    for hour in next.pieces().chunks(4) {
        let rises = hour.windows(2).map(|pair| pair[1].value.value - pair[0].value.value);
        assert!(rises.map(|rise| (rise - 10 * MILLION).abs()).all(|off| off < MILLION / 2));
    }
}

/// The span begins within a step and ends within one: so do the pieces.
#[test]
fn pieces_keep_to_the_span() {
    let history = hours("2026-04-05T22:00:00Z", 24 * 42, |hour, _| i64::from(hour));
    let span = Span::new(at("2026-05-17T22:30:00Z"), at("2026-05-18T00:10:00Z")).unwrap();
    let next = model().continuation(EUR, &history, span).unwrap();
    assert_eq!(next.pieces().len(), 3);
    assert_eq!(next.pieces()[0].span.start(), span.start());
    assert_eq!(next.pieces()[2].span.end(), span.end());
}

#[test]
fn emissions_are_never_negative_and_parameters_are_checked() {
    let co2 = Kind::Co2 {
        accounting: crate::feed::Accounting::Average,
        factors: crate::feed::Factors::Direct,
    };
    assert_eq!((possible(co2, -5), possible(EUR, -5)), (0, -5));
    assert_eq!(
        Model::new("Mars/Olympus", Seconds::new(3600), 4).unwrap_err(),
        ModelError::Zone("Mars/Olympus".to_owned())
    );
    assert_eq!(Model::new("UTC", Seconds::new(7), 4).unwrap_err(), ModelError::Step(7));
    assert_eq!(Model::new("UTC", Seconds::new(900), 1).unwrap_err(), ModelError::TooShort);
}
