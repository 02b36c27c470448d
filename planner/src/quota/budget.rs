//! What reservations take of budgets: what they plan, hour by hour replaced by what was measured.

use super::key::{QuotaKey, QuotaSubject};
use super::rule::QuotaRule;
use crate::quantity::proportion;
use crate::time::{Seconds, Span, Timestamp};

/// Whose a reservation is, as budgets see it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct BudgetSubject {
    /// As all quotas see it.
    pub subject: QuotaSubject,
    /// What its project is a part of, the nearest first.
    pub above: Vec<Box<str>>,
}

/// What is used over a span, evenly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetUse {
    /// The time.
    pub span: Span,
    /// Energy, cost and CO2 in their exact units, in the order of [`Criterion::ALL`](crate::criterion::Criterion::ALL).
    pub amounts: [i128; 3],
    /// Whether it was measured or estimated afterwards: what was planned is reserved.
    pub is_measured: bool,
}

/// What a reservation takes of budgets. Of alternatives one will be used: in each period, of energy, cost and CO2 each, the
/// one counts that takes the most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetHolding {
    /// Whose it is.
    pub of: BudgetSubject,
    /// What each takes, part by part.
    pub alternatives: Vec<Vec<BudgetUse>>,
}

/// What was stated of a reservation in an hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasuredHour {
    /// Its start.
    pub hour: Timestamp,
    /// Energy, cost and CO2 in their exact units; `None` where it is not known, so that what was planned stands.
    pub amounts: [Option<i128>; 3],
}

const HOUR: Seconds = Seconds::new(3600);

impl BudgetUse {
    /// What of an amount falls into a span, rounded towards zero.
    pub fn inside(&self, place: usize, span: Span) -> i128 {
        share(self.amounts[place], self.span, span)
    }

    /// The part of it that is in a span; `None` where nothing is.
    fn part(&self, span: Span) -> Option<Self> {
        let both = self.span.intersection(span)?;
        let amounts = std::array::from_fn(|place| self.inside(place, span));
        Some(Self { span: both, amounts, ..*self })
    }
}

impl BudgetHolding {
    /// The most that an alternative takes of a budget in a period, and what of it was measured.
    pub(super) fn taken(&self, place: usize, period: Span) -> (i128, i128) {
        let of = |uses: &Vec<BudgetUse>| {
            uses.iter().fold((0, 0), |(all, measured), it| {
                let inside = it.inside(place, period);
                (all + inside, measured + if it.is_measured { inside } else { 0 })
            })
        };
        self.alternatives.iter().map(of).max().unwrap_or_default()
    }
}

impl BudgetSubject {
    /// The subject as one of a project that its own is a part of.
    pub(super) fn within(&self, project: &str) -> QuotaSubject {
        QuotaSubject { project: project.into(), ..self.subject.clone() }
    }

    /// Whether what it takes counts for a rule where `asker` asks.
    pub(super) fn counts(&self, rule: &QuotaRule, asker: &QuotaSubject) -> bool {
        let key: &QuotaKey = &rule.key;
        let from_below = || self.above.iter().any(|it| key.counts(asker, &self.within(it)));
        key.counts(asker, &self.subject) || (rule.budgets.with_below && from_below())
    }
}

/// What of an amount that is used evenly over `whole` falls into `span`, rounded towards zero.
pub(super) fn share(amount: i128, whole: Span, span: Span) -> i128 {
    let Some(both) = whole.intersection(span) else { return 0 };
    proportion(amount, both.length().get().into(), whole.length().get().into())
}

/// What an offer of `offer_nodes` nodes that ends at `offer_end` plans in the spans for which its nodes are, or were, held,
/// evenly by nodes and time. What it would take of nodes that were all freed before its end is given back.
pub fn planned_uses(
    spans: &[(Span, u32)],
    (offer_end, offer_nodes): (Timestamp, u32),
    amounts: [i128; 3],
) -> Vec<BudgetUse> {
    let node_seconds =
        |(span, nodes): &(Span, u32)| i128::from(*nodes) * i128::from(span.length().get());
    let Some(last_end) = spans.iter().map(|(span, _)| span.end()).max() else { return Vec::new() };
    let freed = i128::from(offer_nodes) * i128::from((offer_end - last_end).get().max(0));
    let whole = (spans.iter().map(node_seconds).sum::<i128>() + freed).max(1);
    let planned = |held: &(Span, u32)| BudgetUse {
        span: held.0,
        amounts: amounts.map(|amount| proportion(amount, node_seconds(held), whole)),
        is_measured: false,
    };
    spans.iter().map(planned).collect()
}

/// What counts of a reservation: what was measured in the hours that were stated (by start, each once), and elsewhere what
/// was planned.
pub fn settled(
    planned: &[BudgetUse],
    measured: &[MeasuredHour],
    stated: &[Timestamp],
) -> Vec<BudgetUse> {
    let outside =
        planned.iter().flat_map(|it| unstated(it.span, stated).into_iter().map(|gap| it.part(gap)));
    let mut all: Vec<BudgetUse> = outside.flatten().collect();
    for MeasuredHour { hour, amounts } in measured {
        let Some(span) = Span::starting(*hour, HOUR) else { continue };
        let planned = |place| planned.iter().map(|it| it.inside(place, span)).sum();
        let amounts = std::array::from_fn(|place| amounts[place].unwrap_or_else(|| planned(place)));
        all.push(BudgetUse { span, amounts, is_measured: true });
    }
    all
}

/// The parts of a span that are in no stated hour.
fn unstated(span: Span, stated: &[Timestamp]) -> Vec<Span> {
    let first = stated.partition_point(|hour| *hour + HOUR <= span.start());
    let near = stated[first..].iter().take_while(|hour| **hour < span.end());
    let mut gaps = Vec::new();
    let mut from = span.start();
    for hour in near {
        gaps.extend(Span::new(from, *hour));
        from = *hour + HOUR;
    }
    gaps.extend(Span::new(from, span.end()));
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(from: i64, to: i64) -> Span {
        Span::new(Timestamp::from_unix_seconds(from), Timestamp::from_unix_seconds(to)).unwrap()
    }

    fn planned(span: Span, amount: i128) -> BudgetUse {
        BudgetUse { span, amounts: [amount; 3], is_measured: false }
    }

    /// 8 an hour are planned from 0:30 to 3:30, 24 in all. The second and the third hour were stated: 5 were measured in the
    /// second, where no price is known, and nothing in the third. So 4 + 5 + 0 + 4 of energy and 4 + 8 + 0 + 4 of cost.
    #[test]
    fn what_was_measured_takes_the_place_of_what_was_planned() {
        let plan = planned(span(1800, 12_600), 24);
        let at = Timestamp::from_unix_seconds;
        let hour = MeasuredHour { hour: at(3600), amounts: [Some(5), None, Some(5)] };
        let uses = settled(&[plan], &[hour], &[at(3600), at(7200)]);
        let holding = BudgetHolding { of: BudgetSubject::default(), alternatives: vec![uses] };
        let all = span(0, 20_000);
        assert_eq!((holding.taken(0, all), holding.taken(1, all)), ((13, 5), (16, 8)));
        assert_eq!(holding.taken(0, span(0, 5400)), (6, 2));
        assert_eq!(settled(&[plan], &[], &[]), [plan]);
    }

    /// An offer of 3 nodes for 100 s plans 300. One was given back after 60 s and the offer reckoned anew, at 260; at 80 s
    /// the rest was freed, so that 40 of it are given back. Freed at 60 s as well, the two give back 80.
    #[test]
    fn what_was_freed_early_is_given_back() {
        let whole = [(span(0, 100), 3)];
        let end = Timestamp::from_unix_seconds(100);
        assert_eq!(planned_uses(&whole, (end, 3), [300; 3]), [planned(span(0, 100), 300)]);
        let freed = [(span(0, 60), 1), (span(0, 80), 2)];
        let uses = [planned(span(0, 60), 60), planned(span(0, 80), 160)];
        assert_eq!(planned_uses(&freed, (end, 2), [260; 3]), uses);
        let at_once = [(span(0, 60), 3)];
        assert_eq!(planned_uses(&at_once, (end, 2), [260; 3]), [planned(span(0, 60), 180)]);
        assert_eq!(planned_uses(&[], (end, 2), [260; 3]), []);
    }

    /// One takes 10 in [0, 10), the other 18 in [5, 15): in [0, 10) 10 and 9, in [0, 15) 18.
    #[test]
    fn of_alternatives_the_one_counts_that_takes_the_most() {
        let alternatives = vec![vec![planned(span(0, 10), 10)], vec![planned(span(5, 15), 18)]];
        let holding = BudgetHolding { of: BudgetSubject::default(), alternatives };
        assert_eq!(
            (holding.taken(0, span(0, 10)), holding.taken(2, span(0, 15))),
            ((10, 0), (18, 0))
        );
    }
}
