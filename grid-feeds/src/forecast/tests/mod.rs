//! Forecasts of series whose next days are known by their rule.

mod ahead;
mod backtests;
mod holidays;
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

/// Values of the hour from 03:00 never arrive. The others are learnt all the same: days alternate between 0 and 20.
#[test]
fn an_hour_that_is_never_known_hides_no_others() {
    let whole =
        hours("2026-04-05T22:00:00Z", 24 * 84, |hour, day| i64::from(hour) + 20 * (day % 2));
    let never = |piece: &&Piece<i64>| piece.span.start().as_unix_seconds() / HOUR % 24 != 1;
    let others = Agenda::new(whole.pieces().iter().filter(never).copied().collect()).unwrap();
    let next = continued(&others, "2026-06-28T22:00:00Z", 1);
    let noon = next.pieces()[12].value.value as f64 / 1e6;
    assert!((noon - 12.0).abs() < 3.0, "day 84 is an even one: {noon}");
}

/// For forty days nothing arrived. The band is as wide after it as before, though filled days do not change.
#[test]
fn a_gap_is_no_sign_of_calm() {
    let value =
        |hour: i8, day: i64| i64::from(hour) + drawn(day) + drawn(day * 24 + i64::from(hour));
    let whole = hours("2026-01-04T23:00:00Z", 24 * 150, value);
    let gap = Span::new(at("2026-04-20T22:00:00Z"), at("2026-05-30T22:00:00Z")).unwrap();
    let known = whole.pieces().iter().filter(|piece| !piece.span.overlaps(gap)).copied();
    let incomplete = Agenda::new(known.collect()).unwrap();
    let width = |start: &str| {
        let next = continued(&incomplete, start, 1);
        next.pieces().iter().map(|it| it.value.high - it.value.low).sum::<i64>() as f64
    };
    let (before, after) = (width("2026-04-20T22:00:00Z"), width("2026-06-01T22:00:00Z"));
    assert!(after > 0.7 * before, "{after} after {before}");
}

/// Origins at 03:00 on the day when the clock skips from 02:00 to 03:00: the last slot of the day before is no hour of this day.
#[test]
fn nothing_after_the_origin_counts_where_the_clock_skips_an_hour() {
    let value =
        |hour: i8, day: i64| i64::from(hour) + drawn(day) + drawn(day * 24 + i64::from(hour));
    let one = hours("2026-01-04T23:00:00Z", 24 * 95, value);
    let origin = at("2026-03-29T01:00:00Z");
    let other = one.pieces().iter().map(|piece| {
        let later = if piece.span.start() >= origin { 500 * MILLION } else { 0 };
        Piece { value: piece.value + later, ..*piece }
    });
    let other = Agenda::new(other.collect()).unwrap();
    let forecasts = |history: &Agenda<i64>| {
        let options = BacktestOptions {
            kind: EUR,
            span: Span::new(at("2026-03-25T02:00:00Z"), at("2026-04-04T01:00:00Z")).unwrap(),
            horizons_h: vec![24, 48],
            by_hour: false,
            lists_forecasts: true,
        };
        let mut forecasts = backtest(&model(), history, &[], &options).forecasts;
        forecasts.retain(|it| it.made_at == origin);
        forecasts
    };
    let said = forecasts(&one);
    // The two slots that show the hour that was skipped are not known of this day.
    assert_eq!(said.len(), 46);
    assert_eq!(said, forecasts(&other));
}

/// The clock is set back from 03:00 to 02:00 half an hour after the origin: what comes shows an earlier time.
#[test]
fn a_forecast_begins_in_the_hour_that_comes_twice() {
    let start = at("2026-08-01T22:00:00Z");
    let half = |index: i64| Piece {
        span: Span::starting(start + Seconds::new(index * 1800), Seconds::new(1800)).unwrap(),
        value: drawn(index) * MILLION,
    };
    let origin = at("2026-10-25T00:30:00Z");
    let count = (origin - start).get() / 1800;
    let history = Agenda::new((0..count).map(half).collect()).unwrap();
    let model = Model::new("Europe/Paris", Seconds::new(1800), 26).unwrap();
    let span = Span::starting(origin, Seconds::new(3 * 86_400)).unwrap();
    let next = model.continuation(EUR, &history, span).unwrap();
    assert!(next.covers(span), "{} pieces", next.pieces().len());
}

/// The least: two weeks, of which the first day is not whole.
#[test]
fn two_weeks_are_enough_at_any_time_of_day() {
    let history = hours("2026-04-05T22:00:00Z", 24 * 20 + 13, |hour, _| i64::from(hour));
    let model = Model::new("Europe/Paris", Seconds::new(HOUR), 2).unwrap();
    let known = Span::new(at("2026-04-11T12:00:00Z"), at("2026-04-26T11:00:00Z")).unwrap();
    let pieces = history.pieces().iter().filter(|piece| piece.span.overlaps(known)).copied();
    let history = Agenda::new(pieces.collect()).unwrap();
    let span = Span::starting(at("2026-04-26T11:00:00Z"), Seconds::new(86_400)).unwrap();
    assert_eq!(model.continuation(EUR, &history, span).unwrap().pieces().len(), 24);
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
    let day = lead::DayForecast {
        values: vec![-5.0],
        low: vec![-4.0],
        high: vec![3.0],
        by_inputs: [false; 24],
    };
    assert_eq!(day.at(co2, 0).map(in_millionths), [0, 0, 3 * MILLION]);
    let priced = [-5 * MILLION, -5 * MILLION, 3 * MILLION];
    assert_eq!(day.at(EUR, 0).map(in_millionths), priced, "the value lies in its band");
    assert_eq!(
        Model::new("Mars/Olympus", Seconds::new(3600), 4).unwrap_err(),
        ModelError::Zone("Mars/Olympus".to_owned())
    );
    for step in [7, 30, 86_400] {
        let error = Model::new("UTC", Seconds::new(step), 4).unwrap_err();
        assert_eq!(error, ModelError::Step(step));
    }
    assert_eq!(Model::new("UTC", Seconds::new(900), 1).unwrap_err(), ModelError::TooShort);
}
