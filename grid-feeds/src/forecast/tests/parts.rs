//! The parts that a forecast is made of.

use super::super::band::Bands;
use super::super::corrections::{Corrections, trust};
use super::super::guess::Sources;
use super::super::inputs::INPUTS;
use super::super::lead::first_weight;
use super::super::mixture::Mixture;
use super::super::regression::{Regression, Weights};

/// Two inputs vary, the others are zero: `came = 3 a - 2 b`.
#[test]
fn a_regression_finds_what_follows_on_what() {
    let mut regression = Regression::of(INPUTS);
    for (a, b) in [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (2.0, -1.0)] {
        let mut inputs = [0.0; INPUTS];
        (inputs[0], inputs[7]) = (a, b);
        regression.learn(&inputs, 3.0 * a - 2.0 * b, 1.0);
    }
    let weights = regression.coefficients(0.0, None).unwrap();
    assert!((weights[0] - 3.0).abs() < 1e-6 && (weights[7] + 2.0).abs() < 1e-6, "{weights}");
    assert!(Regression::of(INPUTS).coefficients(0.3, None).is_none(), "nothing is learnt");
}

/// One input, whose sum of squares is 2 and whose moment is 6: 6 / (2 + 0.5 * 2) = 2, where without restraint it is 3.
#[test]
fn restraint_draws_coefficients_to_zero() {
    let mut regression = Regression::of(INPUTS);
    let mut inputs = [0.0; INPUTS];
    inputs[0] = 1.0;
    regression.learn(&inputs, 3.0, 2.0);
    let weight = |shrink: f64| regression.coefficients(shrink, None).unwrap()[0];
    assert!((weight(0.5) - 2.0).abs() < 1e-6 && (weight(0.0) - 3.0).abs() < 1e-6);
}

/// As above, drawn to 1 instead of zero: (6 + 0.5 * 2 * 1) / (2 + 0.5 * 2) = 7 / 3.
#[test]
fn restraint_draws_coefficients_to_a_centre() {
    let mut regression = Regression::of(2);
    regression.learn(&[1.0, 0.0], 3.0, 2.0);
    let centre = Weights::from_element(2, 1.0);
    let weights = regression.coefficients(0.5, Some(&centre)).unwrap();
    assert!((weights[0] - 7.0 / 3.0).abs() < 1e-6, "{weights}");
    assert!((weights[1] - 1.0).abs() < 1e-6, "what never varied is as the centre: {weights}");
}

/// Of one input, 23 hours of 40 days are missed by twice as much, and hour 0 once by four times. All together: moments of
/// 23 * 40 * 2 + 4 = 1844 by squares of 921, drawn to zero by 0.2 * (1 + 60 / 40) = 0.5 of them: 1844 / 1381.5 = 1.335. Hours are drawn to
/// that by 0.15 * 2.5 = 0.375: hour 0 has (4 + 0.375 * 1.335) / 1.375 = 3.273, hour 5 (80 + 15 * 1.335) / 55 = 1.819. Scales are so great that
/// no miss weighs less than another.
#[test]
fn hours_differ_from_all_as_far_as_they_have_shown() {
    let mut corrections = Corrections::new(1);
    for day in 0..40 {
        for hour in 1..24 {
            corrections.learn(hour, &[1.0], 2.0, 0, 1e6);
        }
        if day == 0 {
            corrections.learn(0, &[1.0], 4.0, 0, 1e6);
        }
        corrections.end_day();
    }
    corrections.solve(1, true);
    let weight = |hour| corrections.correction(hour, 0, [1.0].iter()).unwrap();
    assert!((weight(0) - 3.273).abs() < 0.001, "{}", weight(0));
    assert!((weight(5) - 1.819).abs() < 0.001, "{}", weight(5));
}

/// One day ahead after four weeks, and three days later for each day further ahead up to the third.
#[test]
fn regressions_take_part_once_enough_days_are_learnt() {
    let first_day = |lead| {
        let mut corrections = Corrections::new(1);
        (1..=50).find(|_| {
            corrections.learn(0, &[1.0], 2.0, 0, 1.0);
            corrections.end_day();
            corrections.solve(lead, false);
            corrections.are_solved()
        })
    };
    assert_eq!([1, 2, 3, 7].map(first_day), [28, 31, 34, 34].map(Some));
}

/// On a day of scale 10 a miss of 30, three scales, weighs half: 3 / (3 + 3). One of 90 weighs 3 / (3 + 9), a quarter.
#[test]
fn great_misses_weigh_less() {
    for (missed, weight) in [(0.0, 1.0), (30.0, 0.5), (-90.0, 0.25)] {
        assert!((trust(missed, 10.0) - weight).abs() < 1e-12, "{missed}");
    }
}

/// Two slots. Means: yesterday 20, last week 20, two weeks ago 40 in a week of 30, seven days 20, four weeks 30.
/// The first day has the level 0.80 * 20 + 0.12 * 20 + 0.06 * (40 - 30) + 0.02 * 20 + 0.06 * 30 = 21.2, and in the first slot the shape
/// 0.23 * -10 + 0.25 * -5 + 0.33 * -10 = -6.85. The ninth has 0.19 * 20 + 0.21 * 20 + 0.12 * 10 + 0.18 * 20 + 0.42 * 30 = 25.4
/// and 0.07 * -10 + 0.22 * -5 + 0.45 * -10 = -6.3.
#[test]
fn a_guess_is_a_level_and_a_shape() {
    let sources = Sources {
        yesterday: &[10.0, 30.0],
        last_week: &[20.0, 20.0],
        two_weeks_ago: &[40.0, 40.0],
        week: &[15.0, 25.0],
        month: &[20.0, 40.0],
        level_before: 30.0,
    };
    for (lead, level, shape) in [(1, 21.2, 6.85), (9, 25.4, 6.3)] {
        let guess = sources.guess(lead);
        let off = (guess[0] - (level - shape)).abs() + (guess[1] - (level + shape)).abs();
        assert!(off < 1e-9, "{guess:?}");
    }
}

/// All is 50: so is every guess, since shares sum to one.
#[test]
fn what_never_changes_is_guessed() {
    let same = [50.0; 24];
    let all = &same[..];
    let sources = Sources {
        yesterday: all,
        last_week: all,
        two_weeks_ago: all,
        week: all,
        month: all,
        level_before: 50.0,
    };
    for lead in 1..=8 {
        assert!(sources.guess(lead).iter().all(|it| (it - 50.0).abs() < 1e-9), "{lead}");
    }
}

/// Three days ahead yesterday and last week weigh a third of the means at first, the guess and what corrects it twice as much as they.
/// One day ahead all weigh alike.
#[test]
fn rules_weigh_by_how_good_they_are_elsewhere_at_first() {
    let weights = |lead| (0..8).map(|rule| first_weight(rule, lead)).collect::<Vec<_>>();
    let third = 1.0 / 3.0;
    assert_eq!(weights(3), [third, third, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
    assert_eq!(weights(1), vec![1.0; 8]);
    assert_eq!(Mixture::new(3).weights(&[1.0, 3.0]), [0.25, 0.75]);
}

/// The second rule errs by a tenth more. After a day the sharpness is 30 * 1 / (1 + 20), so that it weighs `exp(-0.1429)` = 0.867 of the
/// first, 0.867 / 1.867 = 0.464 of all; after 30 days 30 * 30 / (30 + 20), `exp(-1.8)` = 0.165 of it, 0.142 of all. Three days ahead
/// 30 days count as 30 * 30 / (30 + 9 * 20), `exp(-0.4286)` = 0.651 and 0.394.
#[test]
fn rules_that_erred_more_weigh_less() {
    let [mut mixture, mut third] = [1, 3].map(Mixture::new);
    assert_eq!(mixture.weights(&[1.0; 2]), [0.5, 0.5]);
    mixture.learn(&[10.0, 11.0]);
    let weights = mixture.weights(&[1.0; 2]);
    assert!((weights[1] - 0.464).abs() < 0.001, "{weights:?}");
    (1..30).for_each(|_| mixture.learn(&[10.0, 11.0]));
    (0..30).for_each(|_| third.learn(&[10.0, 11.0]));
    let weights = [&mixture, &third].map(|it| it.weights(&[1.0; 2])[1]);
    assert!(
        (weights[0] - 0.142).abs() < 0.001 && (weights[1] - 0.394).abs() < 0.001,
        "{weights:?}"
    );
    let new = mixture.weights(&[1.0; 3]);
    assert!((new[2] - new[0]).abs() < 1e-12, "a new rule weighs as much as the best: {new:?}");
}

/// Errors of -50 to 49 in each hour on 20 days: the ends are those beyond which a little less than a tenth lie. Then all lie
/// far above, and the upper end follows while the lower comes nearer.
#[test]
fn ends_of_bands_are_percentiles_at_first_and_then_follow() {
    let mut bands = Bands::default();
    assert_eq!(bands.ends().map(|it| it[5]), None);
    for day in 0..28 {
        let error = |slot: usize| Some(((day * 24 + slot) * 37 % 100) as f64 - 50.0);
        bands.learn(&(0..24).map(error).collect::<Vec<_>>());
    }
    let (low, high) = bands.ends().unwrap()[5];
    assert!((-46.0..-38.0).contains(&low) && (38.0..46.0).contains(&high), "{low} {high}");
    for _ in 0..30 {
        bands.learn(&[Some(1000.0); 24]);
    }
    let (later_low, later_high) = bands.ends().unwrap()[5];
    assert!(later_low > low && later_high > 2.0 * high, "{later_low} {later_high}");
}

/// Nothing ever erred for four weeks; then errors come. A share of no width would be no step.
#[test]
fn a_band_without_width_widens() {
    let mut bands = Bands::default();
    for _ in 0..28 {
        bands.learn(&[Some(0.0); 24]);
    }
    assert_eq!(bands.ends().map(|it| it[0]), Some((0.0, 0.0)));
    let mut inside = 0;
    for day in 0..120 {
        let error = if day % 2 == 0 { 1.0 } else { -1.0 };
        let (low, high) = bands.ends().unwrap()[0];
        inside += i32::from(day >= 60 && (low..=high).contains(&error));
        bands.learn(&[Some(error); 24]);
    }
    assert!(inside > 30, "{inside} of the last 60 days");
}

/// Only twelve hours of the day ever have values: the others have the band of all.
#[test]
fn hours_without_values_have_the_band_of_all() {
    let mut bands = Bands::default();
    let errors: Vec<Option<f64>> =
        (0..24).map(|hour| (hour >= 12).then_some(f64::from(hour))).collect();
    bands.learn(&errors);
    assert_eq!(bands.ends().map(|it| it[5]), Some((12.0, 23.0)));
}

/// Days without values teach nothing.
#[test]
fn missing_errors_do_not_move_bands() {
    let mut bands = Bands::default();
    bands.learn(&[Some(1.0); 24]);
    let before = bands.ends().map(|it| it[0]);
    bands.learn(&[None; 24]);
    assert_eq!(bands.ends().map(|it| it[0]), before);
}
