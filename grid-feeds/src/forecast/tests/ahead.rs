//! What is known ahead of time: it counts from when it was known, helps where it tells something and does no harm elsewhere.

use jiff::civil::time;
use proptest::prelude::*;

use super::*;

const DAY: Seconds = Seconds::new(86_400);

/// The midnight of Paris at which the drawn series begin.
const START: &str = "2026-01-04T23:00:00Z";

/// An input whose values are known a day ahead.
fn input(values: Agenda<i64>) -> ForecastInput {
    ForecastInput { name: "load".into(), values: vec![ahead(1, values)] }
}

fn ahead(days: i64, values: Agenda<i64>) -> ValuesAhead {
    ValuesAhead { known: KnownFrom::Before(Seconds::new(days * 86_400)), values }
}

fn options(from: &str, to: &str, horizons_h: &[usize]) -> BacktestOptions {
    BacktestOptions {
        kind: EUR,
        span: Span::new(at(from), at(to)).unwrap(),
        horizons_h: horizons_h.to_vec(),
        by_hour: false,
        lists_forecasts: true,
    }
}

/// The mean error of the first day over nine months, after two to learn.
fn error(history: &Agenda<i64>, inputs: &[ForecastInput]) -> f64 {
    let options = options("2026-03-04T23:00:00Z", "2026-11-30T23:00:00Z", &[24]);
    backtest(&model(), history, inputs, &options).horizons[0].mae
}

/// Hours that rise over the day, with a level for each day and noise: nobody knows the level who does not know the load.
fn load(seed: i64) -> impl Fn(i8, i64) -> i64 {
    move |hour, day| {
        i64::from(hour) + drawn(seed + day) + drawn(seed + day * 24 + i64::from(hour)) / 5
    }
}

fn changed_from(agenda: &Agenda<i64>, instant: Timestamp, by: i64) -> Agenda<i64> {
    let pieces = agenda.pieces().iter().map(|piece| {
        let later = if piece.span.start() >= instant { by } else { 0 };
        Piece { value: piece.value + later, ..*piece }
    });
    Agenda::new(pieces.collect()).unwrap()
}

/// The price is half the load and noise from 0 to 9. Who does not know the load errs by 12 or more, as levels are drawn from 100
/// numbers; the noise errs by 2.5, and what is drawn for each hour of the load is known.
#[test]
fn an_input_that_tells_something_lowers_the_error() {
    let history = hours(START, 24 * 330, |hour, day| {
        load(0)(hour, day) / 2 + drawn(50_000 + day * 24 + i64::from(hour)) / 10
    });
    let without = error(&history, &[]);
    let with = error(&history, &[input(hours(START, 24 * 331, load(0)))]);
    assert!(without > 10.0 && with < 0.4 * without, "{with} of {without}");
}

/// Five other series, none of which has anything to do with it.
#[test]
fn inputs_that_tell_nothing_do_not_hurt() {
    let history = hours(START, 24 * 330, load(0));
    let without = error(&history, &[]);
    for seed in 1..=5 {
        let other = input(hours(START, 24 * 331, load(seed * 100_000)));
        let with = error(&history, &[other]);
        assert!(with < 1.02 * without, "{with} after {without}");
    }
}

/// One is always the same, one is not there, and one has ended before anything is learnt: the forecast is that without them.
#[test]
fn inputs_without_any_news_change_nothing() {
    let history = hours(START, 24 * 120, load(0));
    let options = options("2026-03-04T23:00:00Z", "2026-05-01T22:00:00Z", &[24, 72]);
    let plain = backtest(&model(), &history, &[], &options);
    let same = input(hours(START, 24 * 130, |_, _| 7));
    let never = input(Agenda::new(Vec::new()).unwrap());
    let ended = input(hours(START, 24 * 5, load(3)));
    for useless in
        [vec![same.clone()], vec![never.clone()], vec![ended.clone()], vec![same, never, ended]]
    {
        assert_eq!(backtest(&model(), &history, &useless, &options), plain);
    }
}

/// From the tenth of May on the input is missing in the afternoons: those hours are forecast without it, the others with it.
#[test]
fn hours_without_an_input_are_forecast_without_it() {
    let history = hours(START, 24 * 150, load(0));
    let whole = input(hours(START, 24 * 151, load(0)));
    let from = at("2026-05-09T22:00:00Z");
    let paris = LocalTime::paris().unwrap();
    let is_said = |piece: &&Piece<i64>| {
        piece.span.start() < from || paris.civil(piece.span.start()).unwrap().hour() < 12
    };
    let pieces = whole.values[0].values.pieces().iter().filter(is_said).copied();
    let some = input(Agenda::new(pieces.collect()).unwrap());
    let said = |inputs: &[ForecastInput]| {
        let span = Span::starting(from, DAY).unwrap();
        let inputs = KnownInputs { series: inputs, at: from };
        model().continuation_by(EUR, &history, inputs, span).unwrap()
    };
    let values = |agenda: &Agenda<Estimate>, hours: std::ops::Range<usize>| -> Vec<i64> {
        agenda.pieces()[hours].iter().map(|piece| piece.value.value).collect()
    };
    let (plain, with, partly) = (said(&[]), said(&[whole]), said(std::slice::from_ref(&some)));
    assert_eq!(values(&partly, 12..24), values(&plain, 12..24));
    assert_ne!(values(&partly, 0..12), values(&plain, 0..12));
    assert_ne!(values(&with, 12..24), values(&plain, 12..24));
    assert_eq!(some.unknown_hours(Span::starting(from, DAY).unwrap()), 12);
}

/// What is said seven days ahead errs, what is said one day ahead does not: three days ahead only the former is known.
#[test]
fn of_values_that_are_known_the_latest_counts() {
    let history = hours(START, 24 * 330, load(0));
    let true_hours = || hours(START, 24 * 331, load(0));
    let rough =
        || hours(START, 24 * 331, |hour, day| load(0)(hour, day) / 2 + drawn(day + 70_000) / 2);
    let both = ForecastInput {
        name: "load".into(),
        values: vec![ahead(1, true_hours()), ahead(7, rough())],
    };
    let options = options("2026-03-04T23:00:00Z", "2026-11-30T23:00:00Z", &[24, 72]);
    let errors = |inputs: &[ForecastInput]| {
        let found = backtest(&model(), &history, inputs, &options);
        [found.horizons[0].mae, found.horizons[1].mae]
    };
    let plain = errors(&[]);
    let [first, third] = errors(&[both]);
    assert!(first < 0.3 * plain[0], "{first} of {}", plain[0]);
    assert!(third < 0.9 * plain[1] && third > 2.0 * first, "{third} of {}", plain[1]);
}

/// A value of the 29th of March is known at 18:00 on the 28th in Brussels, where the clock still shows winter time: at 17:00 UTC.
#[test]
fn what_is_published_the_day_before_is_known_from_then() {
    let known = KnownFrom::day_before("Europe/Brussels", time(18, 0, 0, 0)).unwrap();
    for start in ["2026-03-28T23:00:00Z", "2026-03-29T21:00:00Z"] {
        assert_eq!(known.of(at(start)), Some(at("2026-03-28T17:00:00Z")));
    }
    assert_eq!(known.of(at("2026-03-29T22:00:00Z")), Some(at("2026-03-29T16:00:00Z")));
    assert!(KnownFrom::day_before("Mars/Olympus", time(18, 0, 0, 0)).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// Nobody knows what comes, neither of the series nor of its inputs: what is said later changes no forecast that was made
    /// before, at any time of day.
    #[test]
    fn no_value_that_was_not_known_counts(day in 40_i64..90, hour in 0_i64..24, by in 1_i64..500, weekly in any::<bool>()) {
        let origin = at(START) + Seconds::new((day * 24 + hour) * HOUR);
        let history = hours(START, 24 * 100, load(0));
        let values = hours(START, 24 * 110, load(200_000));
        let known = if weekly { ValuesAhead { known: KnownFrom::Before(DAY), values: values.clone() } } else {
            let known = KnownFrom::day_before("Europe/Brussels", time(18, 0, 0, 0)).unwrap();
            ValuesAhead { known, values: values.clone() }
        };
        let unknown = values.pieces().iter().find(|it| known.known.of(it.span.start()).unwrap() > origin);
        let changed = changed_from(&values, unknown.unwrap().span.start(), by * MILLION);
        let later = ForecastInput { name: "load".into(), values: vec![ValuesAhead { values: changed, ..known.clone() }] };
        let one = ForecastInput { name: "load".into(), values: vec![known] };
        let other = changed_from(&history, origin, by * MILLION);
        let options = BacktestOptions {
            kind: EUR,
            span: Span::new(origin - DAY - DAY, origin + Seconds::ONE).unwrap(),
            horizons_h: vec![24, 48, 72],
            by_hour: false,
            lists_forecasts: true,
        };
        let model = model().with_holidays("france").unwrap();
        let said = |history: &Agenda<i64>, input: ForecastInput| {
            backtest(&model, history, &[input], &options).forecasts
        };
        let forecasts = said(&history, one);
        prop_assert!(forecasts.len() > 150);
        prop_assert_eq!(forecasts, said(&other, later));
    }
}
