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

fn model() -> Model {
    Model::usual("Europe/Paris").unwrap()
}

fn continued(history: &Agenda<i64>, start: &str, days: i64) -> Agenda<Estimate> {
    let span = Span::starting(at(start), Seconds::new(days * 86_400)).unwrap();
    let report = backtest(&model(), history, 7, 28);
    model().continuation(EUR, history, span, &report).unwrap()
}

/// Summer time begins on 2026-03-29: what was at 08:00 in winter is at 08:00 in summer.
#[test]
fn the_same_weekday_and_hour_of_the_clock_comes_again_across_the_change_of_the_clock() {
    let history = hours("2026-01-31T23:00:00Z", 24 * 56, |hour, _| i64::from(hour));
    let next = continued(&history, "2026-03-28T23:00:00Z", 3);
    let paris = LocalTime::paris().unwrap();
    assert_eq!(next.pieces().len(), 72);
    for piece in next.pieces() {
        let hour = paris.civil(piece.span.start()).unwrap().hour();
        assert_eq!(piece.value.value, i64::from(hour) * MILLION, "{}", piece.span);
    }
}

/// The last days lie 30 above the weeks before: so does the first day of the forecast.
#[test]
fn the_level_of_the_last_days_corrects_the_pattern() {
    let history = hours("2026-04-05T22:00:00Z", 24 * 42, |hour, day| {
        i64::from(hour) + if day >= 39 { 30 } else { 0 }
    });
    let next = continued(&history, "2026-05-17T22:00:00Z", 1);
    assert_eq!(next.pieces()[5].value.value, 35 * MILLION);
}

/// Of a level of 30 there are 30 x 4 / (4 + 1) = 24 left after a day and 15 after four.
#[test]
fn the_level_fades_the_further_ahead() {
    let day = |days: i64| Seconds::new(days * 86_400);
    assert_eq!([0, 1, 4].map(|days| faded(30, day(days))), [30, 24, 15]);
    assert_eq!(faded(-30, day(1)), -24);
}

/// Days alternate between 0 and 10 above their hour, out of step with weeks: errors are up to 10,
/// and the band says so.
#[test]
fn the_band_is_that_of_the_errors_of_the_back_test() {
    let history = hours("2026-04-05T22:00:00Z", 24 * 70, |hour, day| {
        i64::from(hour) + 10 * ((day * day + day / 3) % 2)
    });
    let report = backtest(&model(), &history, 3, 28);
    assert_eq!((report.origins, report.days.len()), (28, 3));
    let day = &report.days[0];
    assert_eq!(day.samples, 28 * 24);
    assert!(day.low < 0 && day.high > 0 && day.mean_absolute_error > 0.0, "{day:?}");
    assert!(day.covered.is_some_and(|share| share > 0.5), "{day:?}");
    let next = continued(&history, "2026-06-14T22:00:00Z", 1);
    let Estimate { value, low, high } = next.pieces()[0].value;
    assert_eq!((low, high), (value + report.days[0].low, value + report.days[0].high));
}

#[test]
fn a_perfect_pattern_has_no_error() {
    let history = hours("2026-04-05T22:00:00Z", 24 * 70, |hour, _| i64::from(hour));
    let report = backtest(&model(), &history, 2, 14);
    assert_eq!((report.days[1].low, report.days[1].high), (0, 0));
    assert!(report.days[0].mean_absolute_error.abs() < 1e-12);
    assert_eq!(report.days[0].covered, Some(1.0));
}

#[test]
fn a_short_history_is_no_forecast_and_gaps_stay_gaps() {
    let history = hours("2026-04-05T22:00:00Z", 24 * 13, |hour, _| i64::from(hour));
    assert!(continued(&history, "2026-04-18T22:00:00Z", 1).pieces().is_empty());
    assert!(backtest(&model(), &Agenda::new(Vec::new()).unwrap(), 2, 14).days.is_empty());
    let whole = hours("2026-04-05T22:00:00Z", 24 * 42, |hour, _| i64::from(hour));
    let known = model().history(&whole, at("2026-05-17T22:00:00Z"));
    let hole = at("2026-04-06T22:00:00Z");
    let others = whole.pieces().iter().filter(|piece| piece.span.start() != hole).copied();
    let incomplete = Agenda::new(others.collect()).unwrap();
    let with_hole = model().history(&incomplete, at("2026-05-17T22:00:00Z"));
    assert_eq!(with_hole.values.len() + 1, known.values.len());
}

/// Forecast on Monday 2026-05-18 for a week from Thursday, two weeks ahead: the latest Thursdays
/// before Monday count, none that is yet to come.
#[test]
fn values_more_than_a_week_ahead_rest_on_weeks_that_are_known() {
    let history = hours("2026-04-05T22:00:00Z", 24 * 42, |hour, day| i64::from(hour) + day / 7);
    let next = continued(&history, "2026-05-17T22:00:00Z", 14);
    assert_eq!(next.pieces().len(), 14 * 24);
}

#[test]
fn quarter_hours_of_history_make_hours_by_their_mean() {
    let paris_midnight = at("2026-05-17T22:00:00Z");
    let quarter = |index: i64| Piece {
        span: Span::starting(paris_midnight + Seconds::new(index * 900), Seconds::new(900))
            .unwrap(),
        value: index * MILLION,
    };
    let agenda = Agenda::new((0..7).map(quarter).collect()).unwrap();
    let known = model().history(&agenda, Timestamp::MAX);
    assert_eq!(known.values.len(), 1, "the second hour lacks a quarter");
    assert_eq!(known.values[&paris_midnight.as_unix_seconds()], 1_500_000);
}

#[test]
fn emissions_are_never_negative_and_parameters_are_checked() {
    let co2 = Kind::Co2 {
        accounting: crate::feed::Accounting::Average,
        factors: crate::feed::Factors::Direct,
    };
    assert_eq!((possible(co2, -5), possible(EUR, -5)), (0, -5));
    assert!(Model::new("Mars/Olympus", Seconds::new(3600), 4, 3).is_err());
    assert!(Model::new("Europe/Paris", Seconds::new(7), 4, 3).is_err());
    assert!(Model::new("Europe/Paris", Seconds::new(900), 1, 3).is_err());
}
