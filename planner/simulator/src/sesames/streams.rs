//! Random streams: one for each run and kind of draw, all from one recorded seed.
//!
//! `ChaCha8` numbers 2^64 independent streams under one key. The key is the seed; the stream is
//! the run's number and the kind of draw. So runs are paired across policies (all see the same
//! draws), and no draw shifts another: a new policy draws nothing, another spread of the cap
//! leaves the requests alone.
//!
//! Within a stream every value takes exactly one 64-bit word (the cap's normal variate, which
//! takes a varying number, has a stream to itself), so that another number of nodes scales the
//! requests' node counts and leaves their durations and starts as they were, and one request more
//! comes after the others. The mapping from words to values is written out below, since libraries
//! may change theirs between releases.

use std::ops::RangeInclusive;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What a stream is drawn for. The numbers are part of every seed's meaning: they never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Draw {
    /// The nodes' mean power under load.
    Alpha = 0,
    /// The requests.
    Requests = 1,
    /// The colours of the tariff's days.
    Price = 2,
    /// The level of the days' CO2 intensity.
    Co2 = 3,
    /// The power cap of the slots.
    PowerCap = 4,
    /// The days on which CO2 follows the price.
    Correlation = 5,
    /// Which policy each user of a mixed population follows.
    Users = 6,
    /// The errors of price forecasts.
    PriceForecast = 7,
    /// The errors of CO2 forecasts.
    Co2Forecast = 8,
    /// The utilisation of nodes, where they do not draw an `alpha` each.
    Utilisation = 9,
    /// Which requests count for an interval, and how often.
    Bootstrap = 10,
    /// How long nodes boot, and which boots fail.
    Boots = 11,
    /// What the nodes of requests draw where users share.
    SharedRequests = 12,
}

/// The stream of one kind of draw in one run (counted from 0) under `seed`.
pub(crate) fn stream(seed: u64, run: u32, draw: Draw) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(u64::from(run) << 8 | draw as u64);
    rng
}

/// A whole number, uniform over `range`, from one word: its leading part. The bias is below
/// `range / 2^64`.
pub(crate) fn uniform(rng: &mut impl Rng, range: RangeInclusive<u32>) -> u32 {
    let count = u128::from(range.end().abs_diff(*range.start())) + 1;
    let offset = (u128::from(rng.next_u64()) * count) >> 64;
    range.start() + u32::try_from(offset).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniform_numbers_stay_in_range_and_reach_both_ends() {
        let mut rng = stream(7, 0, Draw::Requests);
        let mut seen = [0_u32; 5];
        for _ in 0..5000 {
            seen[uniform(&mut rng, 3..=7) as usize - 3] += 1;
        }
        assert!(seen.iter().all(|&count| (900..1100).contains(&count)), "{seen:?}");
        assert_eq!(uniform(&mut rng, 9..=9), 9);
        let whole = uniform(&mut rng, 0..=u32::MAX);
        assert_ne!(whole, uniform(&mut rng, 0..=u32::MAX));
    }

    #[test]
    fn each_seed_run_and_kind_has_its_own_stream() {
        let first = |seed, run, draw| stream(seed, run, draw).next_u64();
        let reference = first(1, 0, Draw::Alpha);
        assert_eq!(first(1, 0, Draw::Alpha), reference);
        for other in [first(2, 0, Draw::Alpha), first(1, 1, Draw::Alpha), first(1, 0, Draw::Price)]
        {
            assert_ne!(other, reference);
        }
    }

    /// Published results name a seed; it must go on meaning the same.
    #[test]
    fn the_meaning_of_a_seed_is_pinned() {
        assert_eq!(stream(1, 2, Draw::Co2).next_u64(), 6_574_222_391_558_747_347);
    }
}
