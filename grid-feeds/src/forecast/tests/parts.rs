//! The parts that a forecast is made of.

use super::super::band::Bands;
use super::super::inputs::INPUTS;
use super::super::mixture::Mixture;
use super::super::regression::Regression;

/// Two inputs vary, the others are zero: `came = 3 a - 2 b`.
#[test]
fn a_regression_finds_what_follows_on_what() {
    let mut regression = Regression::of(INPUTS);
    for (a, b) in [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (2.0, -1.0)] {
        let mut inputs = [0.0; INPUTS];
        (inputs[0], inputs[7]) = (a, b);
        regression.learn(&inputs, 3.0 * a - 2.0 * b, 1.0);
    }
    let weights = regression.coefficients(0.0).unwrap();
    assert!((weights[0] - 3.0).abs() < 1e-6 && (weights[7] + 2.0).abs() < 1e-6, "{weights}");
    assert!(Regression::of(INPUTS).coefficients(0.3).is_none(), "nothing is learnt");
}

/// One input, whose sum of squares is 2 and whose moment is 6: 6 / (2 + 0.5 * 2) = 2, where without restraint it is 3.
#[test]
fn restraint_draws_coefficients_to_zero() {
    let mut regression = Regression::of(INPUTS);
    let mut inputs = [0.0; INPUTS];
    inputs[0] = 1.0;
    regression.learn(&inputs, 3.0, 2.0);
    let weight = |shrink: f64| regression.coefficients(shrink).unwrap()[0];
    assert!((weight(0.5) - 2.0).abs() < 1e-6 && (weight(0.0) - 3.0).abs() < 1e-6);
}

/// The second rule errs by a tenth more. After a day the sharpness is 20 * 1 / (1 + 30), so that it weighs `exp(-0.0645)` = 0.938 of the
/// first, 0.938 / 1.938 = 0.484 of all; after 30 days 20 * 30 / (30 + 30), `exp(-1)` = 0.368 of it, 0.269 of all. Three days ahead
/// 30 days count as 20 * 30 / (30 + 90), `exp(-0.5)` = 0.607 and 0.378.
#[test]
fn rules_that_erred_more_weigh_less() {
    let [mut mixture, mut third] = [1, 3].map(Mixture::new);
    assert_eq!(mixture.weights(2), [0.5, 0.5]);
    mixture.learn(&[10.0, 11.0]);
    let weights = mixture.weights(2);
    assert!((weights[1] - 0.484).abs() < 0.001, "{weights:?}");
    (1..30).for_each(|_| mixture.learn(&[10.0, 11.0]));
    (0..30).for_each(|_| third.learn(&[10.0, 11.0]));
    let weights = [&mixture, &third].map(|it| it.weights(2)[1]);
    assert!(
        (weights[0] - 0.269).abs() < 0.001 && (weights[1] - 0.378).abs() < 0.001,
        "{weights:?}"
    );
    let new = mixture.weights(3);
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
