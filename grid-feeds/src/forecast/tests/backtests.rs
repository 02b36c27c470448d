//! Back-tests against what can be worked out by hand.

use super::*;

fn options(from: &str, to: &str, horizons_h: &[usize]) -> BacktestOptions {
    BacktestOptions {
        kind: EUR,
        span: Span::new(at(from), at(to)).unwrap(),
        horizons_h: horizons_h.to_vec(),
        by_hour: false,
        lists_forecasts: true,
    }
}

/// Day `d` has the value `d * d` throughout. On day 40 yesterday says 39 * 39, so it errs by 79, and last week 33 * 33, by 511:
/// their mean errs by 295. Three days ahead, as known on day 40, day 42 is like day 39, an error of 243, and like day 35,
/// 539: 391 in the mean.
#[test]
fn the_simplest_rules_are_those_of_the_last_day_and_of_the_last_week_known() {
    let history = hours("2026-01-04T23:00:00Z", 24 * 43, |_, day| day * day);
    let found = backtest(
        &model(),
        &history,
        &[],
        &options("2026-02-13T23:00:00Z", "2026-02-14T23:00:00Z", &[24, 72]),
    );
    assert_eq!((found.origins, found.horizons.len()), (1, 2));
    for (report, expected) in
        found.horizons.iter().zip([[79.0, 511.0, 295.0], [243.0, 539.0, 391.0]])
    {
        let of = [report.mae_yesterday, report.mae_last_week, report.mae_mean_of_both];
        assert!(of.iter().zip(expected).all(|(mean, it)| (mean - it).abs() < 1e-6), "{report:?}");
    }
    assert_eq!(found.horizons[0].samples, 24);
    assert_eq!((found.horizons[1].horizon_h, found.horizons[1].samples), (72, 24));
}

/// Each day begins where the last one ended, some steps up or down: yesterday is the best of the simple rules by far. Half a month tells
/// that, long before regressions do.
#[test]
fn weeks_that_go_their_own_way_are_like_yesterday() {
    let level = |day: i64| (0..=day).map(|it| drawn(it) - 50).sum::<i64>();
    let history = hours("2026-01-04T23:00:00Z", 24 * 28, |_, day| level(day));
    let from_third_week = options("2026-01-18T23:00:00Z", "2026-01-31T23:00:00Z", &[24]);
    let found = backtest(&model(), &history, &[], &from_third_week);
    let report = &found.horizons[0];
    assert_eq!(found.origins, 13);
    assert!(report.mae_yesterday * 1.5 < report.mae_mean_of_both, "{report:?}");
    assert!(report.mae < report.mae_yesterday * 1.1, "{report:?}");
}

/// What a back-test says of an instant is what a forecast said then.
#[test]
fn forecasts_are_those_that_were_made_then() {
    let history = hours("2026-01-04T23:00:00Z", 24 * 120, |hour, day| {
        i64::from(hour) + drawn(day) + drawn(day * 24 + i64::from(hour)) / 4
    });
    let made_at = "2026-04-20T22:00:00Z";
    let found =
        backtest(&model(), &history, &[], &options(made_at, "2026-04-21T22:00:00Z", &[24, 48]));
    assert_eq!((found.origins, found.forecasts.len()), (1, 48));
    let next = continued(&history, made_at, 2);
    for (tested, piece) in found.forecasts.iter().zip(next.pieces()) {
        assert_eq!((tested.made_at, tested.span), (at(made_at), piece.span));
        let Estimate { value, low, high } = piece.value;
        for (tested, said) in [(tested.value, value), (tested.p10, low), (tested.p90, high)] {
            assert!((tested - said as f64 / 1e6).abs() < 1e-6, "{tested} {said}");
        }
    }
}

/// The day on which summer time begins has 23 hours, and the one on which it ends 25: each has its forecast, and the hour that comes twice
/// the same at both times.
#[test]
fn days_of_23_and_25_hours_are_forecast_whole() {
    for (begin, made_at, end, count) in [
        ("2026-01-04T23:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", 23),
        ("2026-08-02T22:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", 25),
    ] {
        let history = hours(begin, 24 * 90, |hour, day| i64::from(hour) + drawn(day));
        let found = backtest(&model(), &history, &[], &options(made_at, end, &[24]));
        assert_eq!((found.origins, found.horizons[0].samples), (1, count), "{made_at}");
        let spans: Vec<Span> = found.forecasts.iter().map(|it| it.span).collect();
        assert_eq!((spans[0].start(), spans[count - 1].end()), (at(made_at), at(end)));
        assert!(spans.windows(2).all(|pair| pair[0].end() == pair[1].start()), "{spans:?}");
        let next = continued(&history, made_at, 2);
        for (tested, piece) in found.forecasts.iter().zip(next.pieces()) {
            assert_eq!(tested.span, piece.span);
            assert!((tested.value - piece.value.value as f64 / 1e6).abs() < 1e-6, "{tested:?}");
        }
    }
}

/// Days are drawn, and hours around them: eight of ten values stay in their bands.
#[test]
fn bands_hold_what_they_promise() {
    let history = hours("2026-01-04T23:00:00Z", 24 * 330, |hour, day| {
        i64::from(hour) + drawn(day) + drawn(day * 24 + i64::from(hour))
    });
    let found = backtest(
        &model(),
        &history,
        &[],
        &options("2026-03-04T23:00:00Z", "2026-11-30T23:00:00Z", &[24, 72]),
    );
    for report in &found.horizons {
        assert!((0.75..=0.85).contains(&report.coverage_80), "{report:?}");
    }
}

/// The level of a day is half that of the day before, and what is drawn of 100 numbers: who knows that errs by 25 in the mean,
/// and who expects yesterday again by half its level as well.
#[test]
fn what_returns_to_the_mean_is_forecast_better_than_by_the_simplest_rules() {
    let mut level = 0;
    let levels: Vec<i64> = (0..330)
        .map(|day| {
            level = level / 2 + drawn(day) - 50;
            level
        })
        .collect();
    let day = |day: i64| levels[usize::try_from(day).unwrap()];
    let history = hours("2026-01-04T23:00:00Z", 24 * 330, |hour, it| i64::from(hour) + day(it));
    let found = backtest(
        &model(),
        &history,
        &[],
        &options("2026-03-04T23:00:00Z", "2026-11-30T23:00:00Z", &[24, 72]),
    );
    for report in &found.horizons {
        assert!(report.skill() > 0.03, "{report:?}");
    }
}

/// By hour, the reports are of one hour each, and have the same values as the day.
#[test]
fn hours_ahead_are_parts_of_days_ahead() {
    let history = hours("2026-01-04T23:00:00Z", 24 * 60, |hour, day| i64::from(hour) + drawn(day));
    let mut options = options("2026-02-13T23:00:00Z", "2026-03-03T23:00:00Z", &[24]);
    let whole = backtest(&model(), &history, &[], &options).horizons[0];
    options.by_hour = true;
    let hours = backtest(&model(), &history, &[], &options).horizons;
    assert_eq!(hours.len(), 24);
    assert_eq!(
        hours.iter().map(|it| it.horizon_h).collect::<Vec<_>>(),
        (1..=24).collect::<Vec<_>>()
    );
    let mean = hours.iter().map(|it| it.mae).sum::<f64>() / 24.0;
    assert!((mean - whole.mae).abs() < 1e-9, "{mean} {whole:?}");
}

/// From half past nine on the 13th to half past nine on the 16th: at nine o'clock of each of these days, when the hour begins.
#[test]
fn a_span_that_begins_within_a_step_has_all_of_its_days() {
    let history = hours("2026-01-04T23:00:00Z", 24 * 60, |hour, day| i64::from(hour) + drawn(day));
    let options = options("2026-02-13T08:30:00Z", "2026-02-16T08:30:00Z", &[24]);
    let found = backtest(&model(), &history, &[], &options);
    assert_eq!((found.origins, found.forecasts.len()), (4, 96));
    assert_eq!(found.forecasts[0].made_at, at("2026-02-13T08:00:00Z"));
}

/// The day that ends 36 hours ahead shares twelve hours with the one that ends 24 hours ahead.
#[test]
fn a_forecast_of_two_horizons_is_listed_once() {
    let history = hours("2026-01-04T23:00:00Z", 24 * 60, |hour, day| i64::from(hour) + drawn(day));
    let options = options("2026-02-13T23:00:00Z", "2026-02-14T23:00:00Z", &[36, 24]);
    let found = backtest(&model(), &history, &[], &options);
    assert_eq!(found.horizons.iter().map(|it| it.samples).collect::<Vec<_>>(), [24, 24]);
    assert_eq!(found.forecasts.len(), 36);
    assert!(found.forecasts.is_sorted_by_key(|it| it.span.start()));
}

#[test]
fn where_nothing_can_be_compared_there_is_no_report() {
    let empty = Agenda::new(Vec::new()).unwrap();
    let options = options("2026-02-13T23:00:00Z", "2026-03-03T23:00:00Z", &[24]);
    assert!(backtest(&model(), &empty, &[], &options).horizons.is_empty());
    let short = hours("2026-02-13T23:00:00Z", 24 * 13, |hour, _| i64::from(hour));
    assert_eq!(backtest(&model(), &short, &[], &options).origins, 0);
}
