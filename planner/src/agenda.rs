//! Agendas: piecewise-constant functions of time from a supplier.
//!
//! Pieces are sorted, half-open and do not overlap; there may be gaps.
//!
//! ```text
//!  value  +------+        +----------+
//!         |  76  |  gap   |    91    +-----+
//!         |      |        |          |  76 |
//!  time   0      6        8         12    14
//! ```
//!
//! Lookups cost `O(log pieces)`; integrals too, by prefix sums.

use crate::quantity::{CarbonIntensity, EnergyPrice, Integral, Power, Rate};
use crate::time::{Span, Timestamp};

/// A span and the value that holds throughout it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<V> {
    /// The span in which the value holds.
    pub span: Span,
    /// The value, such as a price, an intensity or a power.
    pub value: V,
}

/// How well a value is known, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quality {
    /// Made from other values, by the supplier or by us.
    Estimated,
    /// The supplier's expectation, which it may revise; a provisional price too.
    Forecast,
    /// Measured, or binding as published, such as a cleared day-ahead price.
    Measured,
}

/// Why pieces do not make an agenda: `index` is the first one that does not follow its predecessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("piece {index} starts before the one before it ends; pieces are sorted and do not overlap")]
pub struct AgendaError {
    /// Position of the offending piece.
    pub index: usize,
}

/// A piecewise-constant function of time with gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agenda<V> {
    pieces: Vec<Piece<V>>,
    /// `gap_free_since[i]`: index of the first piece of the gap-free run that piece `i` is in.
    gap_free_since: Vec<usize>,
}

/// An agenda of a rate, with prefix integrals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateAgenda<R> {
    agenda: Agenda<R>,
    /// `integral_before[i]`: integral over all pieces before `i`, millionths x seconds.
    integral_before: Vec<i128>,
}

/// What the supplier announced: everything a plan needs to know of the grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agendas {
    /// Price of energy.
    pub price: RateAgenda<EnergyPrice>,
    /// CO2 intensity of energy.
    pub co2: RateAgenda<CarbonIntensity>,
    /// Cap of the cluster's power; `None` means no cap.
    pub power_cap: Option<Agenda<Power>>,
}

impl Quality {
    const ALL: [Self; 3] = [Self::Estimated, Self::Forecast, Self::Measured];

    /// The word in documents.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Estimated => "estimated",
            Self::Forecast => "forecast",
            Self::Measured => "measured",
        }
    }

    /// The quality of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|quality| quality.word() == word)
    }
}

impl<V: Copy> Agenda<V> {
    /// An agenda of sorted pieces.
    ///
    /// # Errors
    /// Names the first piece that starts before its predecessor ends.
    pub fn new(pieces: Vec<Piece<V>>) -> Result<Self, AgendaError> {
        let mut gap_free_since = Vec::with_capacity(pieces.len());
        for (index, piece) in pieces.iter().enumerate() {
            let previous = index.checked_sub(1).map(|before| pieces[before].span.end());
            gap_free_since.push(match previous {
                Some(end) if piece.span.start() < end => return Err(AgendaError { index }),
                Some(end) if piece.span.start() == end => gap_free_since[index - 1],
                _ => index,
            });
        }
        Ok(Self { pieces, gap_free_since })
    }

    /// One value throughout a span.
    pub fn constant(span: Span, value: V) -> Self {
        Self { pieces: vec![Piece { span, value }], gap_free_since: vec![0] }
    }

    /// The pieces in time order.
    pub fn pieces(&self) -> &[Piece<V>] {
        &self.pieces
    }

    /// An agenda with the pieces of this one, each value replaced by what `value` makes of it.
    #[must_use]
    pub fn map<W>(&self, value: impl Fn(V) -> W) -> Agenda<W> {
        let piece = |piece: &Piece<V>| Piece { span: piece.span, value: value(piece.value) };
        let pieces = self.pieces.iter().map(piece).collect();
        Agenda { pieces, gap_free_since: self.gap_free_since.clone() }
    }

    /// The value in force at `instant`.
    pub fn at(&self, instant: Timestamp) -> Option<V> {
        let index = self.first_ending_after(instant);
        self.pieces.get(index).filter(|piece| piece.span.contains(instant)).map(|piece| piece.value)
    }

    /// The pieces that share an instant with `span`.
    pub fn overlapping(&self, span: Span) -> &[Piece<V>] {
        let from = self.first_ending_after(span.start());
        let until = self.pieces.partition_point(|piece| piece.span.start() < span.end());
        &self.pieces[from..until.max(from)]
    }

    /// Whether every instant of `span` has a value.
    pub fn covers(&self, span: Span) -> bool {
        self.covering(span).is_some()
    }

    /// The first part of `span` that has no value.
    pub fn first_gap(&self, span: Span) -> Option<Span> {
        let mut covered_until = span.start();
        for piece in self.overlapping(span) {
            if piece.span.start() > covered_until {
                return Span::new(covered_until, piece.span.start());
            }
            covered_until = piece.span.end();
        }
        Span::new(covered_until, span.end())
    }

    /// Indices of the first and last piece of a gap-free run over `span`.
    fn covering(&self, span: Span) -> Option<(usize, usize)> {
        let first = self.first_ending_after(span.start());
        let until = self.pieces.partition_point(|piece| piece.span.start() < span.end());
        self.run_over(span, first, until)
    }

    /// Indices of the first and last piece of a gap-free run over `span`, where `first` is the first
    /// piece that ends after its start, and `until` the first that starts at its end or later.
    fn run_over(&self, span: Span, first: usize, until: usize) -> Option<(usize, usize)> {
        let last = until.checked_sub(1)?;
        let covered = first <= last
            && self.pieces[first].span.start() <= span.start()
            && self.pieces[last].span.end() >= span.end()
            && self.gap_free_since[last] <= first;
        covered.then_some((first, last))
    }

    fn first_ending_after(&self, instant: Timestamp) -> usize {
        self.pieces.partition_point(|piece| piece.span.end() <= instant)
    }
}

impl<R: Rate> RateAgenda<R> {
    /// An agenda whose integrals can be asked for.
    pub fn new(agenda: Agenda<R>) -> Self {
        let integral_before = agenda
            .pieces
            .iter()
            .scan(0_i128, |sum, piece| {
                let before = *sum;
                *sum += exact(piece.value, piece.span);
                Some(before)
            })
            .collect();
        Self { agenda, integral_before }
    }

    /// The pieces and lookups.
    pub fn agenda(&self) -> &Agenda<R> {
        &self.agenda
    }

    /// The integral over `span`; `None` where the agenda has a gap in it.
    pub fn integral(&self, span: Span) -> Option<Integral<R>> {
        let (first, last) = self.agenda.covering(span)?;
        Some(self.integral_over(span, first, last))
    }

    /// The integral over a span that the gap-free run of these pieces covers.
    fn integral_over(&self, span: Span, first: usize, last: usize) -> Integral<R> {
        let (head, tail) = (self.agenda.pieces[first], self.agenda.pieces[last]);
        let whole =
            self.integral_before[last] - self.integral_before[first] + exact(tail.value, tail.span);
        let before = exact_between(head.value, head.span.start(), span.start());
        let after = exact_between(tail.value, span.end(), tail.span.end());
        Integral::from_millionth_seconds(whole - before - after)
    }
}

/// Lookups over spans that move forward in time: constant for each, beside the pieces passed.
#[derive(Clone, Copy, Debug)]
pub struct Walk<'a, V> {
    agenda: &'a Agenda<V>,
    /// The first piece that ends after the latest span's start.
    first: usize,
    /// The first piece that starts at the latest span's end or later.
    until: usize,
}

impl<'a, V: Copy> Walk<'a, V> {
    /// Lookups from `start` on.
    pub fn new(agenda: &'a Agenda<V>, start: Timestamp) -> Self {
        let first = agenda.first_ending_after(start);
        Self { agenda, first, until: first }
    }

    /// Whether every instant of `span` has a value; neither end may lie before an earlier one's.
    pub fn covers(&mut self, span: Span) -> bool {
        self.run_over(span).is_some()
    }

    fn run_over(&mut self, span: Span) -> Option<(usize, usize)> {
        let pieces = &self.agenda.pieces;
        while pieces.get(self.first).is_some_and(|piece| piece.span.end() <= span.start()) {
            self.first += 1;
        }
        self.until = self.until.max(self.first);
        while pieces.get(self.until).is_some_and(|piece| piece.span.start() < span.end()) {
            self.until += 1;
        }
        self.agenda.run_over(span, self.first, self.until)
    }
}

/// Integrals over spans that move forward in time.
#[derive(Clone, Copy, Debug)]
pub struct IntegralWalk<'a, R> {
    agenda: &'a RateAgenda<R>,
    walk: Walk<'a, R>,
}

impl<'a, R: Rate> IntegralWalk<'a, R> {
    /// Integrals from `start` on.
    pub fn new(agenda: &'a RateAgenda<R>, start: Timestamp) -> Self {
        Self { agenda, walk: Walk::new(&agenda.agenda, start) }
    }

    /// The integral over `span`, `None` where the agenda has a gap in it; neither end may lie
    /// before an earlier one's.
    pub fn integral(&mut self, span: Span) -> Option<Integral<R>> {
        let (first, last) = self.walk.run_over(span)?;
        Some(self.agenda.integral_over(span, first, last))
    }
}

fn exact<R: Rate>(rate: R, span: Span) -> i128 {
    exact_between(rate, span.start(), span.end())
}

fn exact_between<R: Rate>(rate: R, from: Timestamp, until: Timestamp) -> i128 {
    i128::from(rate.as_millionths()) * i128::from((until - from).get())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: i64, end: i64) -> Span {
        Span::new(Timestamp::from_unix_seconds(start), Timestamp::from_unix_seconds(end)).unwrap()
    }

    fn price(pieces: &[(i64, i64, i64)]) -> RateAgenda<EnergyPrice> {
        let pieces = pieces
            .iter()
            .map(|&(start, end, value)| Piece {
                span: span(start, end),
                value: EnergyPrice::from_millionths_per_mwh(value).unwrap(),
            })
            .collect();
        RateAgenda::new(Agenda::new(pieces).unwrap())
    }

    /// 10 for 6 s, gap of 2 s, 20 for 4 s, -5 for 2 s: over [9, 13) it is 3 x 20 + 1 x -5 = 55.
    #[test]
    fn integrates_parts_of_pieces() {
        let agenda = price(&[(0, 6, 10), (8, 12, 20), (12, 14, -5)]);
        assert_eq!(agenda.integral(span(9, 13)).unwrap().as_millionth_seconds(), 55);
        assert_eq!(agenda.integral(span(2, 3)).unwrap().as_millionth_seconds(), 10);
        assert_eq!(agenda.integral(span(5, 9)), None);
        assert_eq!(agenda.integral(span(12, 15)), None);
        assert_eq!(agenda.agenda().first_gap(span(5, 9)), Some(span(6, 8)));
        assert_eq!(agenda.agenda().first_gap(span(12, 15)), Some(span(14, 15)));
        assert_eq!(agenda.agenda().first_gap(span(8, 14)), None);
    }

    #[test]
    fn refuses_overlapping_pieces() {
        let value = Power::ZERO;
        let pieces = vec![Piece { span: span(0, 6), value }, Piece { span: span(5, 7), value }];
        assert_eq!(Agenda::new(pieces), Err(AgendaError { index: 1 }));
    }

    #[test]
    fn finds_the_value_in_force() {
        let agenda = price(&[(0, 6, 10), (8, 12, 20)]);
        let at = |t| agenda.agenda().at(Timestamp::from_unix_seconds(t)).map(Rate::as_millionths);
        assert_eq!(
            [at(0), at(5), at(6), at(8), at(12)],
            [Some(10), Some(10), None, Some(20), None]
        );
    }
}
