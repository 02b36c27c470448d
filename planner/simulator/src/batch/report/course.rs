//! A quantity over time in bounded memory: its means over pieces of time, which grow with the time.

use crate::batch::time::Time;

/// Pieces, at most.
const PIECES: i64 = 1024;

/// Means of a quantity over equal pieces of time from instant 0 on.
#[derive(Clone, Debug)]
pub(super) struct Course {
    piece_us: i64,
    /// The quantity times seconds, in each piece.
    sums: Vec<f64>,
}

impl Default for Course {
    fn default() -> Self {
        Self { piece_us: 1_000_000, sums: Vec::new() }
    }
}

impl Course {
    /// The quantity is `value` more from `from` to `to`. A step for each piece between.
    pub(super) fn add(&mut self, from: Time, to: Time, value: f64) {
        let (from, to) = (from.as_micros().max(0), to.as_micros());
        if to <= from {
            return;
        }
        while (to - 1) / self.piece_us >= PIECES {
            let pairs = self.sums.chunks(2);
            self.sums = pairs.map(|pair| pair.iter().sum()).collect();
            self.piece_us *= 2;
        }
        let place = |micros: i64| usize::try_from(micros / self.piece_us).unwrap_or(0);
        let (first, last) = (place(from), place(to - 1));
        if self.sums.len() <= last {
            self.sums.resize(last + 1, 0.0);
        }
        for (piece, sum) in (first..=last).zip(&mut self.sums[first..=last]) {
            let begins = self.piece_us * i64::try_from(piece).unwrap_or(i64::MAX);
            let inside = to.min(begins + self.piece_us) - from.max(begins);
            *sum += value * inside as f64 / 1e6;
        }
    }

    /// Begins of the pieces in seconds, and the means; the last mean again at the end.
    pub(super) fn means(&self) -> Vec<(f64, f64)> {
        let piece_s = self.piece_us as f64 / 1e6;
        let of = |(place, sum): (usize, &f64)| (place as f64 * piece_s, sum / piece_s);
        let mut means: Vec<(f64, f64)> = self.sums.iter().enumerate().map(of).collect();
        if let Some((at, mean)) = means.last().copied() {
            means.push((at + piece_s, mean));
        }
        means
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2 from 0.5 s to 3 s: 1 in the first second, then 2. To 2,000 s pieces are 2 s: 1,000 of them. The first
    /// has 2 * 1.5 s over 2 s.
    #[test]
    fn pieces_have_means_and_grow() {
        let mut course = Course::default();
        course.add(Time::from_micros(500_000), Time::from_seconds(3), 2.0);
        assert_eq!(course.means(), [(0.0, 1.0), (1.0, 2.0), (2.0, 2.0), (3.0, 2.0)]);
        course.add(Time::from_seconds(1999), Time::from_seconds(2000), 4.0);
        let means = course.means();
        assert_eq!(means.len(), 1001);
        assert_eq!((means[0], means[1], means[999]), ((0.0, 1.5), (2.0, 1.0), (1998.0, 2.0)));
        course.add(Time::from_seconds(5), Time::from_seconds(5), 9.0);
        assert_eq!(course.means(), means);
    }
}
