//! What there was to use where usage is counted in money or CO2.

use super::periods::UsagePeriods;
use crate::agenda::Piece;
use crate::time::{Seconds, Span, Timestamp};

const DAY: Seconds = Seconds::new(86_400);

impl UsagePeriods {
    /// What there was to use in so many days before an instant, of which each second had a power of `watts`, at the rates of
    /// `pieces`: the denominator of equation 3 where usage has a price. `rate` is what a joule counts.
    ///
    /// A rate below nothing counts nothing. Time of which no rate is known counts as all time of which one is does on average,
    /// that after the instant, too; without any there was nothing to use. The periods are days, and `pieces` do not overlap.
    pub fn available_at<V: Copy>(
        self,
        watts: f64,
        pieces: &[Piece<V>],
        rate: impl Fn(V) -> f64,
        to: Timestamp,
        days: u32,
    ) -> f64 {
        let mut known: Vec<(f64, f64)> = vec![(0.0, 0.0); days as usize];
        let (mut all, mut all_s) = (0.0, 0.0);
        let first = to - Seconds::new(DAY.get() * i64::from(days));
        for piece in pieces {
            let Some(counted) = Span::new(piece.span.start().max(first), piece.span.end()) else {
                continue;
            };
            let rate = rate(piece.value).max(0.0);
            let length_s = counted.length().get() as f64;
            all += rate * length_s;
            all_s += length_s;
            for (age, length_s) in by_age(counted, to) {
                if let Some((sum, sum_s)) = known.get_mut(age) {
                    *sum += rate * length_s;
                    *sum_s += length_s;
                }
            }
        }
        if all_s <= 0.0 {
            return 0.0;
        }
        let mean = all / all_s;
        let whole = DAY.get() as f64;
        watts * self.used(known.into_iter().map(|(sum, sum_s)| sum + mean * (whole - sum_s)))
    }
}

/// How many seconds of a span lie in each day before an instant, by the age of the day.
fn by_age(span: Span, to: Timestamp) -> impl Iterator<Item = (usize, f64)> {
    let mut end = span.end().min(to);
    std::iter::from_fn(move || {
        if end <= span.start() {
            return None;
        }
        let age = (to - end).get().div_euclid(DAY.get());
        let start = (to - Seconds::new((age + 1) * DAY.get())).max(span.start());
        let length_s = (end - start).get() as f64;
        end = start;
        Some((usize::try_from(age).unwrap_or(usize::MAX), length_s))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(from_h: i64, to_h: i64, value: i64) -> Piece<i64> {
        let at = |hour: i64| Timestamp::from_unix_seconds(hour * 3600);
        Piece { span: Span::new(at(from_h), at(to_h)).unwrap(), value }
    }

    fn available(pieces: &[Piece<i64>]) -> f64 {
        let periods = UsagePeriods::with_half_life(DAY, Some(DAY));
        let to = Timestamp::from_unix_seconds(48 * 3600);
        periods.available_at(1000.0, pieces, |it| it as f64 / 3.6e9, to, 2)
    }

    /// 1 kW takes 24 kWh a day. At 100 EUR/MWh in the newest day and 50 in the one before, which counts half: 2.40 + 0.60.
    #[test]
    fn older_days_count_less_at_their_own_price() {
        assert!((available(&[piece(0, 24, 50), piece(24, 48, 100)]) - 3.0).abs() < 1e-9);
        // In pieces that do not end with days it is the same.
        let cut = [piece(-9, 10, 50), piece(10, 24, 50), piece(24, 30, 100), piece(30, 48, 100)];
        // Nine hours before the two days are left out, and the rest is as before.
        assert!((available(&cut) - 3.0).abs() < 1e-9);
    }

    /// Twelve hours of the newest day cost 100 EUR/MWh, and the other twelve -300, which is nothing: 1.20, and the day before,
    /// of which nothing is known, as the mean of 50: half of 1.20.
    #[test]
    fn what_costs_less_than_nothing_counts_nothing() {
        assert!((available(&[piece(24, 36, 100), piece(36, 48, -300)]) - 1.8).abs() < 1e-9);
    }

    /// Of both days nothing is known; from now on 100 EUR/MWh: 2.40 and half of it.
    #[test]
    fn what_is_known_of_later_stands_for_what_is_not_known() {
        assert!((available(&[piece(48, 72, 100)]) - 3.6).abs() < 1e-9);
        assert!(available(&[]).abs() < 1e-12);
        assert!(available(&[piece(24, 48, -1)]).abs() < 1e-12);
    }
}
