//! What the cluster will draw if everything lasts as long as it may: a step function of time.

use planner::quantity::Power;

use crate::steps::Steps;
use crate::time::Time;

/// Machines that draw more than when idle, for a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct More {
    pub from: Time,
    pub until: Time,
    /// Beyond what the machines draw when idle.
    pub power: Power,
}

impl More {
    /// By how much the draw changes, and when.
    const fn changes(self) -> [(Time, Power); 2] {
        let less = Power::from_microwatts(-self.power.as_microwatts());
        [(self.from, self.power), (self.until, less)]
    }
}

/// What the cluster is expected to draw from an instant on.
#[derive(Clone, Debug)]
pub struct ExpectedDraw {
    pub now: Time,
    /// Without jobs and switches.
    pub idle: Power,
    /// What is drawn now.
    pub drawn: Power,
    /// By how much the draw changes after now, and when, in order.
    changes: Vec<(Time, Power)>,
}

impl ExpectedDraw {
    /// Idle machines.
    pub const fn idle(now: Time, idle: Power) -> Self {
        Self { now, idle, drawn: idle, changes: Vec::new() }
    }

    /// Looks ahead from another instant: this is drawn beside what idle machines draw.
    pub fn renew(&mut self, now: Time, all: impl Iterator<Item = More>) {
        (self.now, self.drawn) = (now, self.idle);
        self.changes.clear();
        for more in all {
            for (at, change) in more.changes() {
                if at <= now {
                    self.drawn = self.drawn + change;
                } else {
                    self.changes.push((at, change));
                }
            }
        }
        self.changes.sort_unstable_by_key(|(at, _)| *at);
    }

    /// Something more is drawn.
    pub fn expect(&mut self, more: More) {
        for (at, change) in more.changes() {
            if at <= self.now {
                self.drawn = self.drawn + change;
            } else {
                let place = self.changes.partition_point(|(other, _)| *other <= at);
                self.changes.insert(place, (at, change));
            }
        }
    }

    /// When less is drawn, after an instant.
    pub fn ends(&self, after: Time) -> impl Iterator<Item = Time> {
        let ends = self.changes.iter().filter(|(_, change)| *change < Power::ZERO);
        ends.map(|(at, _)| *at).filter(move |at| *at > after)
    }

    /// Spans of constant draw and bound, from now until nothing more is drawn, with something more.
    pub fn spans<'a>(&'a self, more: More, bound: &'a Steps<Power>) -> Spans<'a> {
        let last = self.changes.last().map_or(self.now, |(at, _)| *at);
        Spans {
            changes: &self.changes,
            more: more.changes(),
            begun: 0,
            bound,
            in_force: (None, self.now),
            at: self.now,
            end: last.max(more.until).min(Time::FOREVER),
            drawn: self.drawn,
        }
    }
}

/// A span in which as much is drawn all the time, under one bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnSpan {
    pub from: Time,
    pub until: Time,
    pub drawn: Power,
    pub bound: Option<Power>,
}

/// Spans of constant draw and bound, in order.
#[derive(Debug)]
pub struct Spans<'a> {
    /// Those of the expected draw that are still to come.
    changes: &'a [(Time, Power)],
    more: [(Time, Power); 2],
    /// How many changes of `more` are over.
    begun: usize,
    bound: &'a Steps<Power>,
    /// The bound, and until when.
    in_force: (Option<Power>, Time),
    at: Time,
    end: Time,
    drawn: Power,
}

impl Iterator for Spans<'_> {
    type Item = DrawnSpan;

    fn next(&mut self) -> Option<DrawnSpan> {
        let from = self.at;
        if from >= self.end {
            return None;
        }
        while let Some(((at, change), rest)) = self.changes.split_first() {
            if *at > from {
                break;
            }
            self.drawn = self.drawn + *change;
            self.changes = rest;
        }
        while let Some((_, change)) = self.more.get(self.begun).filter(|(at, _)| *at <= from) {
            self.drawn = self.drawn + *change;
            self.begun += 1;
        }
        if self.in_force.1 <= from {
            self.in_force = self.bound.from(from);
        }
        let next = |changes: &[(Time, Power)]| changes.first().map_or(self.end, |(at, _)| *at);
        let changes = next(self.changes).min(next(&self.more[self.begun..]));
        let until = changes.min(self.in_force.1).min(self.end);
        self.at = until;
        Some(DrawnSpan { from, until, drawn: self.drawn, bound: self.in_force.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(seconds: i64) -> Time {
        Time::from_seconds(seconds)
    }

    const fn uw(microwatts: i64) -> Power {
        Power::from_microwatts(microwatts)
    }

    fn more(from: i64, until: i64, power: i64) -> More {
        More { from: s(from), until: s(until), power: uw(power) }
    }

    /// At 10 s idle machines draw 100; 20 more until 30 s, 5 more from 20 to 25 s, and 7 that are over. Then 1 more
    /// is expected until 15 s, and asked about are 50 more from 12 s to 40 s. The bound is 200 until 13 s.
    #[test]
    fn spans_are_of_constant_draw_and_bound() {
        let mut draw = ExpectedDraw::idle(s(0), uw(100));
        draw.renew(s(10), [more(0, 30, 20), more(20, 25, 5), more(0, 10, 7)].into_iter());
        draw.expect(more(10, 15, 1));
        assert_eq!(draw.drawn, uw(121));
        assert_eq!(draw.ends(s(15)).collect::<Vec<_>>(), [s(25), s(30)]);
        let bound = Steps::of([(s(0), s(13), uw(200))]);
        let spans = draw.spans(more(12, 40, 50), &bound);
        let spans: Vec<_> = spans.map(|it| (it.from, it.until, it.drawn, it.bound)).collect();
        let expected = [
            (10, 12, 121, true),
            (12, 13, 171, true),
            (13, 15, 171, false),
            (15, 20, 170, false),
            (20, 25, 175, false),
            (25, 30, 170, false),
            (30, 40, 150, false),
        ];
        let expected = expected.map(|(from, until, drawn, bound)| {
            (s(from), s(until), uw(drawn), bound.then_some(uw(200)))
        });
        assert_eq!(spans, expected);
    }

    /// What lasts for ever is looked at until [`Time::FOREVER`], however late it is.
    #[test]
    fn what_never_ends_has_a_last_span() {
        let mut draw = ExpectedDraw::idle(s(0), uw(100));
        draw.renew(s(10), std::iter::empty());
        let more = More { from: s(10), until: s(10) + Time::FOREVER, power: uw(1) };
        let bound = Steps::of([(s(0), Time::FOREVER, uw(7))]);
        let spans: Vec<DrawnSpan> = draw.spans(more, &bound).collect();
        let (until, drawn) = (Time::FOREVER, uw(101));
        assert_eq!(spans, [DrawnSpan { from: s(10), until, drawn, bound: Some(uw(7)) }]);
    }
}
