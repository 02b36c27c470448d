//! A quantity over time in bounded memory: its means over pieces of time, which grow with the time.

use crate::time::Time;

/// Pieces, at most.
const PIECES: i64 = 1024;

/// Means of a quantity over equal pieces of a part of time.
#[derive(Clone, Debug)]
pub(super) struct Course {
    /// The part: from, until.
    part: (Time, Time),
    piece_us: i64,
    /// The quantity times seconds, in each piece.
    sums: Vec<f64>,
}

impl Course {
    /// A course of nothing yet; what is outside of this part is left out.
    pub(super) const fn of(from: Time, until: Time) -> Self {
        Self { part: (from, until), piece_us: 1_000_000, sums: Vec::new() }
    }

    /// The quantity is `value` more from `from` to `to`. A step for each piece between.
    pub(super) fn add(&mut self, from: Time, to: Time, value: f64) {
        let (first, last) = self.part;
        let (from, to) = (from.max(first), to.min(last));
        if to <= from {
            return;
        }
        let (from, to) = ((from - first).as_micros(), (to - first).as_micros());
        self.reach(to);
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

    /// Pieces become so long that they reach to there.
    fn reach(&mut self, to_us: i64) {
        while (to_us - 1) / self.piece_us >= PIECES {
            let pairs = self.sums.chunks(2);
            self.sums = pairs.map(|pair| pair.iter().sum()).collect();
            self.piece_us *= 2;
        }
    }

    /// Begins of the pieces in seconds, and the means; the last mean again at `end`, where everything ends: the
    /// last piece counts until then. Nothing where nothing was added.
    pub(super) fn means(&self, end: Time) -> Vec<(f64, f64)> {
        let (first, last) = self.part;
        let end_us = (end.min(last) - first).as_micros();
        if self.sums.is_empty() || end_us <= 0 {
            return Vec::new();
        }
        let mut whole = self.clone();
        whole.reach(end_us);
        let (piece_us, mut begins) = (whole.piece_us, 0);
        let mut means = Vec::new();
        let mut sums = whole.sums.into_iter();
        let at = |micros: i64| first.as_seconds() + micros as f64 / 1e6;
        while begins < end_us {
            let length_s = piece_us.min(end_us - begins) as f64 / 1e6;
            means.push((at(begins), sums.next().unwrap_or(0.0) / length_s));
            begins += piece_us;
        }
        means.extend(means.last().map(|(_, mean)| (at(end_us), *mean)));
        means
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: Course = Course::of(Time::ZERO, Time::FOREVER);

    /// 2 from 0.5 s to 3 s: 1 in the first second, then 2. To 2,000 s pieces are 2 s: 1,000 of them. The first
    /// has 2 * 1.5 s over 2 s.
    #[test]
    fn pieces_have_means_and_grow() {
        let mut course = WHOLE;
        let end = Time::from_seconds(3);
        course.add(Time::from_micros(500_000), end, 2.0);
        assert_eq!(course.means(end), [(0.0, 1.0), (1.0, 2.0), (2.0, 2.0), (3.0, 2.0)]);
        let end = Time::from_seconds(2000);
        course.add(Time::from_seconds(1999), end, 4.0);
        let means = course.means(end);
        assert_eq!(means.len(), 1001);
        assert_eq!((means[0], means[1], means[999]), ((0.0, 1.5), (2.0, 1.0), (1998.0, 2.0)));
        course.add(Time::from_seconds(5), Time::from_seconds(5), 9.0);
        assert_eq!(course.means(end), means);
    }

    /// 7 until everything ends at 2.25 s: the last piece lasts a quarter of a second, and has 7 too. A quantity
    /// of which there was none at the end is nothing until then.
    #[test]
    fn the_last_piece_counts_until_the_end() {
        let mut course = WHOLE;
        let end = Time::from_micros(2_250_000);
        course.add(Time::ZERO, end, 7.0);
        assert_eq!(course.means(end), [(0.0, 7.0), (1.0, 7.0), (2.0, 7.0), (2.25, 7.0)]);
        let mut course = WHOLE;
        course.add(Time::ZERO, Time::from_seconds(1), 3.0);
        assert_eq!(course.means(end), [(0.0, 3.0), (1.0, 0.0), (2.0, 0.0), (2.25, 0.0)]);
        assert_eq!(WHOLE.means(end), []);
        // Long after, in longer pieces: 3 for one second of 1,024.
        let means = course.means(Time::from_seconds(1024 * 1024));
        assert_eq!((means.len(), means[0]), (1025, (0.0, 3.0 / 1024.0)));
    }

    /// Of 2 from 0 to 10 s and 4 from 9 s on, what is from 8 to 12 s.
    #[test]
    fn a_part_has_what_is_in_it() {
        let s = Time::from_seconds;
        let mut course = Course::of(s(8), s(12));
        course.add(s(0), s(10), 2.0);
        course.add(s(9), s(99), 4.0);
        let expected = [(8.0, 2.0), (9.0, 6.0), (10.0, 4.0), (11.0, 4.0), (12.0, 4.0)];
        assert_eq!(course.means(s(99)), expected);
        assert_eq!(course.means(s(11)).len(), 4);
    }
}
