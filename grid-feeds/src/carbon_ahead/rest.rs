//! What the rest of a zone's generation emits, learnt from the past: by how much of it is needed, by the hour, and by how
//! clean it was lately. Power stations run in the order of their costs, so that its emissions follow its level.

use nalgebra::{DMatrix, DVector};
use planner::time::Timestamp;

use super::hourly::HOUR;
use super::zone::{ExpectedHour, Lesson, ZoneRecord};

/// With fewer hours to learn from there is no estimate: a week.
const FEWEST_HOURS: usize = 7 * 24;

const INPUTS: usize = 9;

/// Coefficients are drawn to zero by this part of what each input varies.
const SHRINK: f64 = 1e-3;

/// What came may be so many times what was expected: who counts which power stations differs.
const RATIOS: std::ops::RangeInclusive<f64> = 0.0..=5.0;

/// What was learnt of a zone.
#[derive(Clone, Debug)]
pub(super) struct ZoneModel {
    /// By how much what came exceeds what was expected: wind, solar power, the rest.
    ratios: [f64; 3],
    coefficients: [f64; INPUTS],
    /// The usual level of the rest in MW, and what it usually emits in kg/h.
    usual: (f64, f64),
    /// The least and the most that a kWh of the rest emitted, in grams.
    intensities: (f64, f64),
    /// The intensity of the rest lately, in g/kWh.
    lately: f64,
    weather_g_per_kwh: (f64, f64),
}

impl ZoneModel {
    /// What the hours before `known_until` teach; `None` where they are too few.
    pub fn learnt(zone: &ZoneRecord, known_until: Timestamp) -> Option<Self> {
        let count = zone.lessons.partition_point(|lesson| lesson.hour + HOUR <= known_until);
        let lessons = &zone.lessons[..count];
        if count < FEWEST_HOURS {
            return None;
        }
        let mean = |of: fn(&Lesson) -> f64| lessons.iter().map(of).sum::<f64>() / count as f64;
        let scale = |came: fn(&Lesson) -> f64, expected: fn(&Lesson) -> f64| {
            let ratio = mean(came) / mean(expected);
            if ratio.is_finite() { ratio.clamp(*RATIOS.start(), *RATIOS.end()) } else { 1.0 }
        };
        let ratios = [
            scale(|it| it.came.wind, |it| it.expected.wind),
            scale(|it| it.came.solar, |it| it.expected.solar),
            scale(|it| it.came.rest, |it| it.expected.rest),
        ];
        let usual = (mean(|it| it.expected.rest) * ratios[2], mean(|it| it.came.rest_emitted));
        let with_rest = lessons.iter().map(|lesson| &lesson.came).filter(|came| came.rest > 0.0);
        let (least, most) = with_rest
            .map(|came| came.rest_emitted / came.rest)
            .fold((f64::INFINITY, 0.0_f64), |(least, most), intensity| {
                (least.min(intensity), most.max(intensity))
            });
        let lately = zone.lately(known_until).or(lessons.last().map(|lesson| lesson.lately))?;
        let mut model = Self {
            ratios,
            coefficients: [0.0; INPUTS],
            usual,
            intensities: (least.min(most), most),
            lately,
            weather_g_per_kwh: zone.weather_g_per_kwh,
        };
        model.coefficients = model.coefficients_of(lessons)?;
        Some(model)
    }

    /// What the zone is expected to generate in an hour, in MW, and what that emits, in kg/h.
    pub fn estimate(&self, hour: Timestamp, expected: &ExpectedHour) -> (f64, f64) {
        let [wind, solar, rest] = [expected.wind, expected.solar, expected.rest];
        let (wind, solar, rest) =
            (wind * self.ratios[0], solar * self.ratios[1], rest * self.ratios[2]);
        let inputs = self.inputs(hour, expected.rest, self.lately);
        let relative: f64 =
            inputs.iter().zip(&self.coefficients).map(|(input, weight)| input * weight).sum();
        let (least, most) = self.intensities;
        let rest_emitted = (relative * self.usual.1).clamp(least * rest, most * rest);
        let weather = wind * self.weather_g_per_kwh.0 + solar * self.weather_g_per_kwh.1;
        (wind + solar + rest, weather + rest_emitted)
    }

    /// Of which the emissions of the rest are made, each about one.
    fn inputs(&self, hour: Timestamp, expected_rest: f64, lately: f64) -> [f64; INPUTS] {
        let level = ratio(expected_rest * self.ratios[2], self.usual.0);
        let above = level - 1.0;
        let since_midnight = hour.as_unix_seconds().rem_euclid(86_400) as f64 / 86_400.0;
        let angle = since_midnight * std::f64::consts::TAU;
        // 1970-01-01 was a Thursday.
        let weekday = (hour.as_unix_seconds().div_euclid(86_400) + 3).rem_euclid(7);
        let is_weekend = if weekday >= 5 { 1.0 } else { 0.0 };
        let usual_intensity = ratio(self.usual.1, self.usual.0);
        [
            1.0,
            above,
            above * above,
            level * ratio(lately, usual_intensity),
            angle.sin(),
            angle.cos(),
            (2.0 * angle).sin(),
            (2.0 * angle).cos(),
            is_weekend,
        ]
    }

    fn coefficients_of(&self, lessons: &[Lesson]) -> Option<[f64; INPUTS]> {
        let mut products = DMatrix::<f64>::zeros(INPUTS, INPUTS);
        let mut moments = DVector::<f64>::zeros(INPUTS);
        for lesson in lessons {
            let inputs = self.inputs(lesson.hour, lesson.expected.rest, lesson.lately);
            let inputs = DVector::from_column_slice(&inputs);
            products.ger(1.0, &inputs, &inputs, 1.0);
            moments.axpy(ratio(lesson.came.rest_emitted, self.usual.1), &inputs, 1.0);
        }
        let least = 1e-9 * products.trace();
        // The first input is always one: its coefficient is the usual, which nothing draws to zero.
        for index in 1..INPUTS {
            products[(index, index)] += SHRINK * products[(index, index)] + least;
        }
        let solved = products.cholesky()?.solve(&moments);
        solved.as_slice().try_into().ok()
    }
}

/// Zero where nothing is to be divided by.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
