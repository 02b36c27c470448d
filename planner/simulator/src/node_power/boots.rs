//! How long nodes really take to boot, and which boots fail.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// What becomes of one boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boot {
    /// How long switching on takes, in milliseconds.
    pub length_ms: i64,
    /// Whether the node does not come back.
    pub fails: bool,
}

/// The boots of a month.
///
/// The k-th boot of a node takes its two words from a place of its own in the stream, so that it comes out alike whatever other
/// nodes do and however often they sleep.
#[derive(Clone, Debug)]
pub struct BootDraws {
    /// The stream that is drawn from.
    pub stream: ChaCha8Rng,
    /// How much longer than the least a boot takes at the most, in millionths of the least.
    pub spread_millionths: u32,
    /// How probable it is that a node does not come back, in millionths.
    pub failure_millionths: u32,
}

/// Words of the stream that a boot may take, and boots that a node has places for.
const WORDS: u128 = 4;
const BOOTS: u128 = 1 << 20;

impl BootDraws {
    /// The boot of a node that is its `count`-th, from 0; it takes `least_ms` at least.
    pub fn boot(&mut self, node: u32, count: u32, least_ms: i64) -> Boot {
        let place = u128::from(node) * BOOTS + u128::from(count);
        self.stream.set_word_pos(place * WORDS);
        let (failure, time) = (self.stream.next_u64(), self.stream.next_u64());
        let fails = part(failure, 1_000_000) < i128::from(self.failure_millionths);
        let more = part(time, u64::from(self.spread_millionths) + 1);
        let longer_ms = i128::from(least_ms) * more / 1_000_000;
        Boot { length_ms: least_ms + i64::try_from(longer_ms).unwrap_or(0), fails }
    }
}

/// A whole number below `count`, from one word.
fn part(word: u64, count: u64) -> i128 {
    i128::try_from((u128::from(word) * u128::from(count)) >> 64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    fn draws(spread_millionths: u32, failure_millionths: u32) -> BootDraws {
        BootDraws { stream: ChaCha8Rng::seed_from_u64(1), spread_millionths, failure_millionths }
    }

    #[test]
    fn a_boot_comes_out_alike_whatever_was_drawn_before() {
        let (mut one, mut other) = (draws(500_000, 100_000), draws(500_000, 100_000));
        let first = one.boot(7, 3, 60_000);
        for node in 0..20 {
            other.boot(node, 0, 60_000);
        }
        assert_eq!(other.boot(7, 3, 60_000), first);
    }

    /// A tenth of 10,000 boots fails: 1,000 with a standard deviation of 30. They take 60 s to 90 s, 75 s on average with one
    /// of 8.7 s / 100 = 0.087 s.
    #[test]
    fn boots_take_the_times_and_fail_at_the_rate_that_is_asked_for() {
        let mut draws = draws(500_000, 100_000);
        let boots: Vec<Boot> = (0..10_000).map(|node| draws.boot(node, 0, 60_000)).collect();
        let failed = boots.iter().filter(|boot| boot.fails).count();
        assert!((880..1120).contains(&failed), "{failed}");
        assert!(boots.iter().all(|boot| (60_000..=90_000).contains(&boot.length_ms)));
        let mean = boots.iter().map(|boot| boot.length_ms).sum::<i64>() / 10_000;
        assert!((74_600..75_400).contains(&mean), "{mean}");
    }
}
