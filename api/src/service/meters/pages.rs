//! What a meter with a history is asked for: what is missing since it was asked last, in pages.

use planner::time::{Seconds, Span, Timestamp};

/// So long before what was taken is asked for again: a store may have got it late. At least; two periods where these are
/// longer.
const AGAIN: Seconds = Seconds::new(300);

/// So many samples are good for a page.
const FEW: usize = 50_000;
const MANY: usize = 250_000;

/// How long a page is, by how much came of those before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageLength {
    least: Seconds,
    longest: Seconds,
    now: Seconds,
}

impl PageLength {
    /// Pages of a meter with this period that may be asked for `longest` at once. The first is short, since nobody
    /// knows how many nodes there are.
    pub fn new(period: Seconds, longest: Seconds) -> Self {
        let least = Seconds::new(period.get().saturating_mul(2)).min(longest);
        let now = Seconds::new(period.get().saturating_mul(20).max(600)).min(longest);
        Self { least, longest, now: now.max(least) }
    }

    /// The part of a span that is asked for first.
    pub fn first_of(self, span: Span) -> Span {
        let end = span.end().min(span.start() + self.now);
        Span::new(span.start(), end).unwrap_or(span)
    }

    /// Learns from how many samples a page brought.
    pub fn learn(&mut self, count: usize) {
        let now = self.now.get();
        let next = match count {
            0..FEW => now.saturating_mul(2),
            FEW..MANY => now,
            _ => now / 2,
        };
        self.now = Seconds::new(next).clamp(self.least, self.longest);
    }
}

/// The span to ask for: from what was taken last, and a little before, until now; at first, and after a long pause, from
/// `catch_up` before now. `None` where nothing is new.
pub(super) fn missing(
    asked_until: Option<Timestamp>,
    period: Seconds,
    catch_up: Seconds,
    now: Timestamp,
) -> Option<Span> {
    let again = AGAIN.max(period + period);
    let earliest = now - catch_up;
    let from = asked_until.map_or(earliest, |until| (until - again).max(earliest));
    Span::new(from, now)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_seconds(1_000_000 + seconds)
    }

    const fn s(seconds: i64) -> Seconds {
        Seconds::new(seconds)
    }

    #[test]
    fn what_is_missing_is_asked_for_and_a_little_before() {
        let missing = |until, period, now| missing(until, s(period), s(86_400), now);
        assert_eq!(missing(None, 60, at(0)), Span::new(at(-86_400), at(0)));
        assert_eq!(missing(Some(at(0)), 60, at(60)), Span::new(at(-300), at(60)));
        assert_eq!(missing(Some(at(0)), 900, at(900)), Span::new(at(-1800), at(900)));
        // After two days only the last one is asked for.
        assert_eq!(missing(Some(at(-172_800)), 60, at(0)), Span::new(at(-86_400), at(0)));
        // The clock was set back: nothing is new.
        assert_eq!(missing(Some(at(900)), 60, at(0)), None);
    }

    /// 20 periods of 60 s, then twice and twice again up to the longest; half where too much came.
    #[test]
    fn pages_grow_while_little_comes_and_shrink_where_much_does() {
        let mut length = PageLength::new(s(60), s(4000));
        let whole = Span::new(at(0), at(100_000)).unwrap();
        let mut lengths = Vec::new();
        for count in [0, 0, FEW, MANY, MANY, MANY, MANY, MANY, MANY] {
            lengths.push(length.first_of(whole).length().get());
            length.learn(count);
        }
        assert_eq!(lengths, [1200, 2400, 4000, 4000, 2000, 1000, 500, 250, 125]);
        assert_eq!(length.first_of(whole).length(), s(120), "no shorter than two periods");
        let rest = Span::new(at(0), at(7)).unwrap();
        assert_eq!(length.first_of(rest), rest);
        assert_eq!(PageLength::new(s(1), s(30)).now, s(30));
    }
}
