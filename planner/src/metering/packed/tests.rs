//! Blocks come back as they were, are as small as they must be, and hostile bytes are errors.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::metering::{QUARTER_MS, QuarterHour, QuarterSum, Sample, SampleTime, ValueKind};

const START_MS: i64 = 1_767_225_600_000;

fn pack_quarters(start_ms: i64, quarters: &BTreeMap<QuarterHour, QuarterSum>) -> Vec<u8> {
    let mut day = DayQuarters::new(start_ms);
    for (quarter, sum) in quarters {
        *day.sum_mut(*quarter).unwrap() = *sum;
    }
    day.pack()
}

fn unpack_quarters(
    start_ms: i64,
    bytes: &[u8],
) -> Result<BTreeMap<QuarterHour, QuarterSum>, PackedError> {
    DayQuarters::unpack(start_ms, bytes).map(|day| day.measured().collect())
}

fn sample(offset_ms: i64, value_milli: i64) -> Sample {
    Sample { at: SampleTime::from_unix_milliseconds(START_MS + offset_ms), value_milli }
}

/// Whole numbers that look drawn: the low bits of a multiplicative generator (Park and Miller, 1988).
fn drawn(seed: &mut i64, below: i64) -> i64 {
    *seed = *seed * 48_271 % 2_147_483_647;
    *seed % below
}

/// 240 samples once a minute, about 400 W with noise of +-4 W in milliwatts.
fn noisy_power() -> Vec<Sample> {
    let mut seed = 1;
    (0..240).map(|n| sample(n * 60_000, 396_000 + drawn(&mut seed, 8_000))).collect()
}

/// The header takes 1 + 2 + 1 + 3 + 2 + 1 bytes; noise differs by less than 8 W from sample to sample, which takes two
/// bytes: at most 240 x 2 + 12 bytes.
#[test]
fn a_noisy_gauge_takes_two_bytes_a_sample() {
    let samples = noisy_power();
    let bytes = pack_samples(ValueKind::Gauge, START_MS, &samples);
    assert_eq!(unpack_samples(START_MS, &bytes).unwrap(), samples);
    assert!(bytes.len() <= 492, "{}", bytes.len());
}

/// A counter of whole joules that grows by about 24 kJ a minute, give or take 240 J: what its growth changes by is
/// below 480 J, which takes two bytes.
#[test]
fn a_counter_takes_two_bytes_a_sample() {
    let (mut seed, mut shown) = (7, 81_234_567_000);
    let counter = |n: i64| {
        shown += (23_760 + drawn(&mut seed, 480)) * 1000;
        sample(n * 60_000, shown)
    };
    let samples: Vec<Sample> = (0..240).map(counter).collect();
    let bytes = pack_samples(ValueKind::Counter, START_MS, &samples);
    assert_eq!(unpack_samples(START_MS, &bytes).unwrap(), samples);
    assert!(bytes.len() <= 500, "{}", bytes.len());
}

/// Samples that come up to 60 ms early or late take a byte more, and half a run's length: three and a half bytes.
#[test]
fn samples_that_are_not_on_the_minute_take_more() {
    let mut seed = 3;
    let unsteady =
        |(n, it): (i64, Sample)| sample(n * 60_000 + drawn(&mut seed, 30), it.value_milli);
    let samples: Vec<Sample> = (0..).zip(noisy_power()).map(unsteady).collect();
    let bytes = pack_samples(ValueKind::Gauge, START_MS, &samples);
    assert_eq!(unpack_samples(START_MS, &bytes).unwrap(), samples);
    assert!(bytes.len() < 240 * 4 + 16, "{}", bytes.len());
}

/// 24 bytes of bits and an exponent, and five bytes an energy, one more for the first: 96 x 5 + 26 bytes, less than six
/// a quarter-hour.
#[test]
fn a_day_of_quarter_hours_takes_less_than_six_bytes_each() {
    let mut seed = 5;
    let quarter = |index: i64| {
        let energy_uj = 360_000_000_000 + drawn(&mut seed, 16_000_000_000);
        let number = START_MS / QUARTER_MS + index;
        (QuarterHour::from_number(number), QuarterSum { energy_uj, covered_ms: QUARTER_MS })
    };
    let quarters: BTreeMap<_, _> = (0..96).map(quarter).collect();
    let bytes = pack_quarters(START_MS, &quarters);
    assert_eq!(unpack_quarters(START_MS, &bytes).unwrap(), quarters);
    assert!(bytes.len() <= 96 * 6, "{}", bytes.len());
}

#[test]
fn a_day_has_its_own_quarter_hours_and_no_others() {
    let first = START_MS / QUARTER_MS;
    let mut day = DayQuarters::new(START_MS);
    for number in [first - 1, first + 96] {
        assert_eq!(day.sum_mut(QuarterHour::from_number(number)), None);
    }
    for number in [first, first + 95] {
        assert_eq!(day.sum_mut(QuarterHour::from_number(number)), Some(&mut QuarterSum::default()));
    }
    assert_eq!(day.measured().count(), 0);
}

#[test]
fn what_was_cut_short_or_made_longer_is_refused() {
    let samples = pack_samples(ValueKind::Gauge, START_MS, &noisy_power()[..5]);
    let sum = QuarterSum { energy_uj: 5, covered_ms: 7 };
    let of_day = BTreeMap::from([(QuarterHour::from_number(START_MS / QUARTER_MS), sum)]);
    let quarters = pack_quarters(START_MS, &of_day);
    for length in 0..samples.len() {
        assert!(unpack_samples(START_MS, &samples[..length]).is_err(), "{length} bytes");
    }
    for length in 0..quarters.len() {
        assert!(unpack_quarters(START_MS, &quarters[..length]).is_err(), "{length} bytes");
    }
    assert!(unpack_samples(START_MS, &[&samples[..], &[0]].concat()).is_err());
    assert!(unpack_quarters(START_MS, &[&quarters[..], &[0]].concat()).is_err());
}

/// Each says much more than its few bytes can hold, and none takes memory for it.
#[test]
fn blocks_that_say_too_much_are_refused() {
    let most = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
    let count = [&[0][..], &most[..], &[0, 0]].concat();
    let error = unpack_samples(START_MS, &count).unwrap_err().to_string();
    assert_eq!(error, "the block cannot be read: it has fewer samples than it says");
    let first_time = [&[0, 1][..], &most[..], &[0, 0]].concat();
    assert!(unpack_samples(START_MS, &first_time).unwrap_err().to_string().contains("outside"));
    assert!(unpack_samples(START_MS, &[2, 0, 0]).unwrap_err().to_string().contains("kind"));
    assert!(unpack_samples(START_MS, &[0, 0, 19]).unwrap_err().to_string().contains("scale"));
}

fn any_samples() -> impl Strategy<Value = Vec<Sample>> {
    let value = prop_oneof![0..500_000_i64, any::<i64>(), (0..500_i64).prop_map(|it| it * 1000)];
    prop::collection::btree_map(0..SAMPLES_MS, value, 0..80)
        .prop_map(|map| map.into_iter().map(|(at, value)| sample(at, value)).collect())
}

proptest! {
    #[test]
    fn any_samples_come_back_as_they_were(
        kind in prop::sample::select(ValueKind::ALL),
        samples in any_samples(),
    ) {
        let bytes = pack_samples(kind, START_MS, &samples);
        prop_assert_eq!(unpack_samples(START_MS, &bytes), Ok(samples));
    }

    #[test]
    fn any_quarter_hours_come_back_as_they_were(
        sums in prop::collection::btree_map(0..96_i64, (0..i64::MAX, 1..=QUARTER_MS), 0..96),
    ) {
        let quarter = |(index, (energy_uj, covered_ms))| {
            let number = START_MS / QUARTER_MS + index;
            (QuarterHour::from_number(number), QuarterSum { energy_uj, covered_ms })
        };
        let quarters: BTreeMap<_, _> = sums.into_iter().map(quarter).collect();
        let bytes = pack_quarters(START_MS, &quarters);
        prop_assert_eq!(unpack_quarters(START_MS, &bytes), Ok(quarters));
    }

    /// Hostile bytes are an error or samples in time order within the block.
    #[test]
    fn hostile_bytes_are_no_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(samples) = unpack_samples(START_MS, &bytes) {
            prop_assert!(samples.windows(2).all(|pair| pair[0].at < pair[1].at));
        }
        let _ = unpack_quarters(START_MS, &bytes);
    }

    /// As hostile, but near to what is packed: one byte of a block is another.
    #[test]
    fn a_byte_that_changed_is_no_panic(
        samples in any_samples(),
        at in any::<prop::sample::Index>(),
        other in any::<u8>(),
    ) {
        let mut bytes = pack_samples(ValueKind::Counter, START_MS, &samples);
        let at = at.index(bytes.len());
        bytes[at] = other;
        if let Ok(samples) = unpack_samples(START_MS, &bytes) {
            prop_assert!(samples.windows(2).all(|pair| pair[0].at < pair[1].at));
        }
    }
}
