//! At which starts a reservation keeps the quotas, exactly, to the second.
//!
//! Between two edges (instants at which something that is counted begins or ends, and these less the length) what limits
//! count at instants is the same for every start, and node-hours are convex: sums of the largest of linear functions. So
//! where they fit is an interval, whose ends are found by bisection.

use super::judge::{LimitTest, QuotaJudge};
use crate::time::{Seconds, Span, Timestamp};

/// Starts that keep the quotas: the first and the last of them, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllowedStarts {
    /// The first.
    pub first: Timestamp,
    /// The last.
    pub last: Timestamp,
}

impl QuotaJudge {
    /// The starts from `first` to `last`, both included, at which so many nodes for so long keep the quotas, by time;
    /// neighbours do not touch.
    pub fn allowed_starts(
        &self,
        nodes: u32,
        duration: Seconds,
        (first, last): (Timestamp, Timestamp),
    ) -> Vec<AllowedStarts> {
        let mut all: Vec<AllowedStarts> = Vec::new();
        self.visit(nodes, duration, (first, last), |found| {
            match all.last_mut().filter(|before| before.last + Seconds::ONE == found.first) {
                Some(before) => before.last = found.last,
                None => all.push(found),
            }
            true
        });
        all
    }

    /// The first start from `first` to `last` that keeps the quotas; on a multiple of `slot` where there is one.
    pub fn next_start(
        &self,
        nodes: u32,
        duration: Seconds,
        window: (Timestamp, Timestamp),
        slot: Option<Seconds>,
    ) -> Option<Timestamp> {
        let mut next = None;
        self.visit(nodes, duration, window, |found| {
            let start = slot.map_or(found.first, |slot| found.first.ceil_to(slot));
            next = Some(start).filter(|start| *start <= found.last);
            next.is_none()
        });
        next
    }

    /// Shows intervals of allowed starts, by time, as long as `more` says so.
    fn visit(
        &self,
        nodes: u32,
        duration: Seconds,
        (first, last): (Timestamp, Timestamp),
        mut more: impl FnMut(AllowedStarts) -> bool,
    ) {
        let edges = self.start_edges(duration, (first, last));
        let mut start = first;
        while start <= last {
            let Some(span) = Span::starting(start, duration) else { return };
            if let Some((at, ..)) = self.crossing(span) {
                start = at;
                continue;
            }
            if let Some(exceeded) = self.last_exceeded(nodes, span) {
                start = exceeded + Seconds::ONE;
                continue;
            }
            let next = edges.partition_point(|edge| *edge <= start);
            let end = edges.get(next).map_or(last, |edge| *edge - Seconds::ONE);
            if let Some(found) = self.allowed_between(nodes, duration, (start, end))
                && !more(found)
            {
                return;
            }
            start = end + Seconds::ONE;
        }
    }

    /// The starts of a window between which nothing changes but linearly.
    fn start_edges(
        &self,
        duration: Seconds,
        (first, last): (Timestamp, Timestamp),
    ) -> Vec<Timestamp> {
        let around = |edge: Timestamp| [edge, edge - duration, edge - duration + Seconds::ONE];
        let mut edges: Vec<Timestamp> = self.edges().into_iter().flat_map(around).collect();
        edges.retain(|edge| first < *edge && *edge <= last);
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Where node-hours fit, of starts between two edges.
    fn allowed_between(
        &self,
        nodes: u32,
        duration: Seconds,
        (first, last): (Timestamp, Timestamp),
    ) -> Option<AllowedStarts> {
        let excesses = |start: Timestamp| -> Vec<i128> {
            let span = Span::starting(start, duration);
            let tests = span.into_iter().flat_map(|span| self.tests(nodes, span));
            tests.filter(LimitTest::is_sum).map(|test| test.excess()).collect()
        };
        let (mut allowed, ends) =
            (AllowedStarts { first, last }, [excesses(first), excesses(last)]);
        for (place, at_ends) in ends[0].iter().zip(&ends[1]).enumerate() {
            if *at_ends.0 <= 0 && *at_ends.1 <= 0 {
                continue;
            }
            let excess =
                |start: Timestamp| excesses(start).get(place).copied().unwrap_or(i128::MAX);
            let fits = where_it_fits(excess, (first, last))?;
            allowed.first = allowed.first.max(fits.first);
            allowed.last = allowed.last.min(fits.last);
        }
        (allowed.first <= allowed.last).then_some(allowed)
    }
}

/// The arguments at which a convex function is at most 0.
fn where_it_fits(
    excess: impl Fn(Timestamp) -> i128,
    (first, last): (Timestamp, Timestamp),
) -> Option<AllowedStarts> {
    let falls = |at: Timestamp| excess(at + Seconds::ONE) < excess(at);
    let lowest = first_where((first, last), |at| at == last || !falls(at));
    if excess(lowest) > 0 {
        return None;
    }
    let from = first_where((first, lowest), |at| excess(at) <= 0);
    let beyond = first_where((lowest, last + Seconds::ONE), |at| at > last || excess(at) > 0);
    Some(AllowedStarts { first: from, last: beyond - Seconds::ONE })
}

/// The first instant of a range, both ends included, from which on `holds` says yes; its end where it never did before.
fn first_where(
    (first, last): (Timestamp, Timestamp),
    holds: impl Fn(Timestamp) -> bool,
) -> Timestamp {
    let (mut low, mut high) = (first.as_unix_seconds(), last.as_unix_seconds());
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(Timestamp::from_unix_seconds(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Timestamp::from_unix_seconds(low)
}
