//! Holidays are forecast as days that differ nearly as Sundays do, and mislead no day after them.

use super::*;

/// Days of 100, Sundays and holidays of 60, from 2026-03-01; the 14th of July is a Tuesday.
fn history() -> Agenda<i64> {
    // 2026-03-01 is a Sunday.
    let free = |day: i64| {
        // The 6th of April, the 1st, 8th, 14th and 25th of May, the 14th of July.
        day % 7 == 0 || [36, 61, 68, 74, 85, 135].contains(&day)
    };
    hours("2026-02-28T23:00:00Z", 24 * 150, |hour, day| {
        i64::from(hour) + if free(day) { 60 } else { 100 } + drawn(day * 24 + i64::from(hour)) / 50
    })
}

/// The mean of the days from an instant on, without that of the hours: 11.5.
fn levels(model: &Model, start: &str, days: i64) -> Vec<f64> {
    let span = Span::starting(at(start), Seconds::new(days * 86_400)).unwrap();
    let next = model.continuation(EUR, &history(), span).unwrap();
    let mean = |day: &[Piece<Estimate>]| {
        day.iter().map(|piece| piece.value.value as f64).sum::<f64>() / 24e6 - 11.5
    };
    next.pieces().chunks(24).map(mean).collect()
}

/// A Sunday lies 40 lower than another day, and a holiday is expected to lie four fifths of that lower: at 68.
#[test]
fn a_holiday_is_like_a_sunday() {
    let french = model().with_holidays("france").unwrap();
    let eve = levels(&french, "2026-07-12T22:00:00Z", 3);
    for (level, expected) in eve.iter().zip([100.0, 68.0, 100.0]) {
        assert!((level - expected).abs() < 8.0, "{eve:?}");
    }
    let plain = levels(&model(), "2026-07-12T22:00:00Z", 2);
    assert!(plain[1] > 85.0, "nobody knows of it without a calendar: {plain:?}");
}

/// Known until the end of the holiday: the next day is an ordinary one, and so is the same day of the next week, but for what is left of
/// the holiday, a fifth of 40: 8.
#[test]
fn a_holiday_misleads_neither_the_next_day_nor_the_next_week() {
    let french = model().with_holidays("france").unwrap();
    let after = levels(&french, "2026-07-14T22:00:00Z", 7);
    assert!((after[0] - 100.0).abs() < 6.0 && (after[6] - 100.0).abs() < 9.0, "{after:?}");
    let plain = levels(&model(), "2026-07-14T22:00:00Z", 7);
    let off = |levels: &[f64]| (levels[0] - 100.0).abs() + (levels[6] - 100.0).abs();
    assert!(off(&after) < off(&plain), "{after:?} {plain:?}");
}

/// Of the day after the 14th of July nothing is known: it is as that day would have been, not as the holiday was.
#[test]
fn gaps_after_a_holiday_are_filled_as_if_there_was_none() {
    let known = history();
    let is_known = |it: &&Piece<i64>| it.span.end() <= at("2026-07-14T22:00:00Z");
    let known = Agenda::new(known.pieces().iter().filter(is_known).copied().collect()).unwrap();
    let local = LocalTime::paris().unwrap();
    let french = crate::forecast::holidays::PublicHolidays::named("france").unwrap();
    let (step, origin) = (Seconds::new(3600), at("2026-07-15T22:00:00Z"));
    let days = crate::forecast::days::ClockDays::before(
        (&local, Some(&french)),
        step,
        &known,
        origin,
        100,
    );
    let days = days.unwrap().days;
    let [.., holiday, after] = days.as_slice() else { panic!("there are a hundred days") };
    assert!(after.known.iter().all(|known| !known), "nothing is known of it");
    assert_eq!(after.values, holiday.values);
    assert!(after.mean > 100.0, "holidays have 71.5, ordinary days 111.5: {}", after.mean);
}

/// What came on a holiday is compared as it was, whatever is learnt of it.
#[test]
fn simple_rules_of_a_back_test_do_not_change_with_holidays() {
    let options = BacktestOptions {
        kind: EUR,
        span: Span::new(at("2026-05-01T22:00:00Z"), at("2026-07-25T22:00:00Z")).unwrap(),
        horizons_h: vec![24, 72],
        by_hour: false,
        lists_forecasts: false,
    };
    let of = |model: &Model| backtest(model, &history(), &[], &options).horizons;
    let (plain, french) = (of(&model()), of(&model().with_holidays("france").unwrap()));
    for (plain, french) in plain.iter().zip(&french) {
        let simple = |it: &HorizonReport| [it.mae_yesterday, it.mae_last_week, it.mae_mean_of_both];
        for (one, other) in simple(plain).into_iter().zip(simple(french)) {
            assert!((one - other).abs() < 1e-9, "{plain:?} {french:?}");
        }
        assert!(french.mae < plain.mae, "{french:?} {plain:?}");
    }
}

#[test]
fn unknown_calendars_are_refused_by_name() {
    let error = model().with_holidays("atlantis").unwrap_err();
    assert_eq!(error, ModelError::Holidays("atlantis".to_owned()));
    assert!(error.to_string().contains("france, "), "{error}");
    assert!(model().with_holidays("none").is_ok());
}
