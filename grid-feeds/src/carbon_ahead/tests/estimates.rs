use planner::agenda::{Agenda, Piece};
use planner::time::{Seconds, Span, Timestamp};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::carbon_ahead::{
    BorderHours, Hourly, KindHours, PowerOrigin, TracedZone, ZoneBorder, ZoneSeries, hourly,
};

const HOUR: Seconds = Seconds::new(3600);

/// Four weeks and a day and a half.
const PAST: i64 = 24 * 28 + 36;

fn at(hour: i64) -> Timestamp {
    Timestamp::parse("2026-02-02T00:00:00Z").unwrap() + Seconds::new(hour * 3600)
}

fn hours(count: i64, value: impl Fn(i64) -> f64) -> Hourly {
    (0..count).map(|hour| (at(hour), value(hour))).collect()
}

fn wind(hour: i64) -> f64 {
    2000.0 + 1500.0 * (hour as f64 / 17.0).sin()
}

fn solar(hour: i64) -> f64 {
    let of_day = (hour.rem_euclid(24) - 12).abs() as f64;
    (3000.0 - 500.0 * of_day).max(0.0)
}

fn gas(hour: i64) -> f64 {
    3000.0 + 1000.0 * (hour as f64 / 5.0).cos() + if hour.rem_euclid(24) < 6 { -500.0 } else { 0.0 }
}

const NUCLEAR: f64 = 5000.0;

/// What a kWh of all that is generated emits.
fn intensity(hour: i64) -> f64 {
    let emitted = 11.0 * wind(hour) + 45.0 * solar(hour) + 490.0 * gas(hour) + 12.0 * NUCLEAR;
    emitted / (wind(hour) + solar(hour) + gas(hour) + NUCLEAR)
}

fn kind(origin: PowerOrigin, g_per_kwh: f64, hours: Hourly) -> KindHours {
    KindHours { origin, g_per_kwh, hours }
}

/// A zone whose forecasts of all hours are right, and whose generation is known for `past` hours.
fn zone(past: i64) -> ZoneSeries {
    let all = PAST + 72;
    ZoneSeries {
        generated: vec![
            kind(PowerOrigin::Wind, 11.0, hours(past, wind)),
            kind(PowerOrigin::Solar, 45.0, hours(past, solar)),
            kind(PowerOrigin::Plant, 490.0, hours(past, gas)),
            kind(PowerOrigin::Plant, 12.0, hours(past, |_| NUCLEAR)),
        ],
        wind: Some(hours(all, wind)),
        solar: Some(hours(all, solar)),
        level: hours(all, |hour| wind(hour) + solar(hour) + gas(hour) + NUCLEAR),
    }
}

/// Of an hour each quarter-hour has another power, in watts: (1 + 2 + 3 + 6) / 4 = 3 MW. The next hour lacks its end.
#[test]
fn hours_are_means_and_hours_with_gaps_are_not_there() {
    let powers = [1, 2, 3, 6, 5, 5, 5];
    let piece = |(index, power): (usize, i64)| {
        let start = at(0) + Seconds::new(900 * i64::try_from(index).unwrap());
        Piece { span: Span::starting(start, Seconds::new(900)).unwrap(), value: power * 1_000_000 }
    };
    let agenda = Agenda::new(powers.into_iter().enumerate().map(piece).collect()).unwrap();
    assert_eq!(hourly(&agenda), hours(1, |_| 3.0));
    let long = Agenda::constant(Span::new(at(1), at(3) + Seconds::new(1)).unwrap(), 7_000_000);
    assert_eq!(hourly(&long).into_iter().collect::<Vec<_>>(), [(at(1), 7.0), (at(2), 7.0)]);
}

/// What the rest emits is 12 g/kWh of 5,000 MW and 490 of all above: a straight line of its level.
#[test]
fn estimates_of_what_forecasts_say_rightly_are_right() {
    let zone = TracedZone::new(&zone(PAST), &[], Vec::new(), None);
    let estimates = zone.estimates(at(PAST), at(PAST + 36));
    assert_eq!(estimates.pieces.len(), 36);
    for (hour, piece) in (PAST..).zip(&estimates.pieces) {
        assert_eq!(piece.span, Span::starting(at(hour), HOUR).unwrap());
        let value = piece.value.value as f64 / 1e6;
        assert!((value - intensity(hour)).abs() < 2.0, "{value} for {}", intensity(hour));
        assert!(piece.value.low <= piece.value.value && piece.value.value <= piece.value.high);
    }
    // The first day tells how clean the rest was, and seven more are learnt from until 18:00 of the eve: so the tenth is the
    // first. The thirtieth is not over.
    assert_eq!(estimates.errors.days(), 20);
    assert!(estimates.errors.mean().unwrap() < 2.0);
    let measured = zone.measured(at(30)).unwrap();
    assert!((measured - intensity(30)).abs() < 1e-9, "{measured}");
}

/// 1,000 MW at 0 g/kWh.
fn clean_zone() -> ZoneSeries {
    ZoneSeries {
        generated: vec![kind(PowerOrigin::Plant, 0.0, hours(PAST, |_| 1000.0))],
        level: hours(PAST + 72, |_| 1000.0),
        ..ZoneSeries::default()
    }
}

/// 1,000 MW into the first of two zones.
fn border(between: (usize, usize)) -> ZoneBorder {
    let flow = |count| BorderHours {
        imports: hours(count, |_| 1000.0),
        exports: hours(count, |_| 0.0),
        ..BorderHours::default()
    };
    ZoneBorder { between, flowed: flow(PAST), scheduled: flow(PAST + 30) }
}

/// The neighbour imports from a zone beyond at 900 g/kWh: what is scheduled counts in estimates as what flowed does in hours that are over. Is
/// that zone expected to generate nothing, it is not known whose power it gives, and estimates are as without it.
#[test]
fn power_from_beyond_counts_where_it_is_known() {
    let beyond = |expected: f64| ZoneSeries {
        generated: vec![kind(PowerOrigin::Plant, 900.0, hours(PAST, |_| 500.0))],
        level: hours(PAST + 72, |hour| if hour < PAST { 500.0 } else { expected }),
        ..ZoneSeries::default()
    };
    let estimates = |expected: f64, borders: &[(usize, usize)]| {
        let others = [Some(zone(PAST)), Some(beyond(expected))];
        let borders = borders.iter().map(|it| border(*it)).collect();
        let traced = TracedZone::new(&clean_zone(), &others, borders, None);
        let pieces = traced.estimates(at(PAST), at(PAST + 36)).pieces;
        pieces.iter().map(|piece| piece.value.value).collect::<Vec<_>>()
    };
    let alone = estimates(500.0, &[(0, 1)]);
    let known = estimates(500.0, &[(0, 1), (1, 2)]);
    assert_eq!((alone.len(), known.len()), (30, 30));
    for (hour, (alone, known)) in (PAST..).zip(alone.iter().zip(&known)) {
        // Of what the neighbour has, 1,000 MW come from beyond, and half of that is ours.
        let own = wind(hour) + solar(hour) + gas(hour) + NUCLEAR;
        let mixed = (*alone as f64 * own + 450e6 * 1000.0) / (own + 1000.0);
        assert!((*known as f64 - mixed).abs() < 1e6, "{known} for {mixed}");
    }
    assert_eq!(estimates(0.0, &[(0, 1), (1, 2)]), alone);
}

/// Our zone generates 1,000 MW at 0 g/kWh, imports 1,000 MW and exports nothing: half of the neighbour's intensity.
#[test]
fn imports_count_with_the_intensity_of_where_they_come_from() {
    let own = clean_zone();
    let borders = || vec![border((0, 1))];
    let traced = TracedZone::new(&own, &[Some(zone(PAST))], borders(), None);
    let measured = traced.measured(at(50)).unwrap();
    assert!((measured - intensity(50) / 2.0).abs() < 1e-9, "{measured}");
    let estimates = traced.estimates(at(PAST), at(PAST + 36)).pieces;
    assert_eq!(estimates.len(), 30, "exchanges are known for 30 hours");
    for (hour, piece) in (PAST..).zip(&estimates) {
        let value = piece.value.value as f64 / 1e6;
        assert!((value - intensity(hour) / 2.0).abs() < 1.0, "{value}");
    }
    // Nothing is known of the neighbour: gaps, or 400 g/kWh for half of what is consumed.
    let unknown = TracedZone::new(&own, &[None], borders(), None);
    assert_eq!(unknown.measured(at(50)), None);
    assert_eq!(unknown.estimates(at(PAST), at(PAST + 36)).pieces, []);
    let otherwise = TracedZone::new(&own, &[None], borders(), Some(400.0));
    assert_eq!(otherwise.past(Span::new(at(50), at(51)).unwrap())[0].value, 200_000_000);
    // A border of which nothing is told does not count.
    let silent = vec![ZoneBorder { between: (0, 1), ..ZoneBorder::default() }];
    let unmixed = TracedZone::new(&own, &[Some(zone(PAST))], silent, None);
    assert_eq!(unmixed.measured(at(50)), Some(0.0));
}

/// Gas ends at hour 40. Hours with it need it, and so do the 25 after its last; from hour 65 on the zone is without it.
#[test]
fn a_kind_that_ends_blanks_a_day_and_no_more() {
    let mut ended = zone(PAST);
    ended.generated[2].hours = hours(40, gas);
    let zone = TracedZone::new(&ended, &[], Vec::new(), None);
    assert!((zone.measured(at(39)).unwrap() - intensity(39)).abs() < 1e-9);
    assert_eq!([zone.measured(at(40)), zone.measured(at(64))], [None, None]);
    let emitted = 11.0 * wind(65) + 45.0 * solar(65) + 12.0 * NUCLEAR;
    let without = emitted / (wind(65) + solar(65) + NUCLEAR);
    assert!((zone.measured(at(65)).unwrap() - without).abs() < 1e-9);
}

/// 7 MW are imported in the first four hours, and of exports nothing is told: none, but where nobody could be asked.
#[test]
fn a_direction_that_could_not_be_asked_is_not_known() {
    let told = BorderHours { imports: hours(4, |_| 7.0), ..BorderHours::default() };
    assert_eq!([3, 4].map(|hour| told.at(at(hour))), [Some((7.0, 0.0)), None]);
    let failed = BorderHours { exports_unknown_from: Some(at(2)), ..told };
    assert_eq!([1, 2].map(|hour| failed.at(at(hour))), [Some((7.0, 0.0)), None]);
    let never = BorderHours { imports_unknown_from: Some(at(2)), ..BorderHours::default() };
    assert_eq!([1, 2].map(|hour| never.at(at(hour))), [Some((0.0, 0.0)), None]);
}

/// What comes later changes no estimate: not a bit of it.
#[test]
fn nothing_that_comes_later_counts() {
    let known = PAST - 48;
    let mut later = zone(PAST);
    for kind in &mut later.generated {
        for (hour, power) in &mut kind.hours {
            *power += if *hour < at(known) { 0.0 } else { 777.0 };
        }
    }
    let before = TracedZone::new(&zone(known), &[], Vec::new(), None);
    let after = TracedZone::new(&later, &[], Vec::new(), None);
    let expected = |zone: &TracedZone| zone.expectations(at(known), (known..known + 36).map(at));
    assert_eq!(expected(&before).len(), 36);
    assert_eq!(expected(&before), expected(&after));
}

#[test]
fn too_little_past_is_no_estimate() {
    let few = TracedZone::new(&zone(24 * 7), &[], Vec::new(), None);
    assert_eq!(few.estimates(at(24 * 7), at(24 * 8)).pieces, []);
    assert_eq!(few.estimates(at(24 * 7), at(24 * 8)).errors.mean(), None);
}

/// Forecasts of the level are off by up to 1,000 MW of some 12,000, at random. Of the next days' values about eight in ten
/// lie in the band: each day of two weeks is estimated from the time before.
#[test]
fn bands_hold_eight_of_ten_values() {
    let mut chance = ChaCha8Rng::seed_from_u64(7);
    let mut series = zone(PAST + 48);
    for level in series.level.values_mut() {
        *level += (chance.next_u64() >> 32) as f64 / f64::from(u32::MAX) * 2000.0 - 1000.0;
    }
    let truth = TracedZone::new(&series, &[], Vec::new(), None);
    let (mut inside, mut all) = (0, 0);
    for day in 18..29 {
        let mut known = series.clone();
        for kind in &mut known.generated {
            kind.hours.retain(|hour, _| *hour < at(day * 24));
        }
        let zone = TracedZone::new(&known, &[], Vec::new(), None);
        for piece in zone.estimates(at(day * 24), at(day * 24 + 24)).pieces {
            let came = truth.measured(piece.span.start()).unwrap() * 1e6;
            all += 1;
            let band = piece.value.low as f64..=piece.value.high as f64;
            inside += usize::from(band.contains(&came));
        }
    }
    assert_eq!(all, 11 * 24);
    let share = inside as f64 / f64::from(all);
    assert!((0.7..0.9).contains(&share), "{share}");
}
