//! Which spans of nodes and time overlap.

use std::collections::BTreeMap;

use planner::identity::ReservationId;

/// A run of ranks that a reservation has for a while.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub epoch: i64,
    pub first_rank: i64,
    pub end_rank: i64,
    pub start_s: i64,
    pub end_s: i64,
    pub reservation: ReservationId,
}

/// Spans that were begun, by their first rank. Spans come in the order of their epochs and starts.
#[derive(Default)]
pub(super) struct Sweep {
    epoch: i64,
    begun: BTreeMap<i64, Span>,
}

impl Sweep {
    /// Takes the next span; with whom it shares a node at the same time, if with anybody.
    pub fn take(&mut self, span: Span) -> Option<ReservationId> {
        if span.epoch != self.epoch {
            self.epoch = span.epoch;
            self.begun.clear();
        }
        let mut other = None;
        let mut over = Vec::new();
        // Those that are kept do not overlap: of those that begin before, only the last can reach into it.
        let before = self.begun.range(..=span.first_rank).next_back();
        let within = self.begun.range(span.first_rank + 1..span.end_rank);
        for (first, begun) in before.into_iter().chain(within) {
            if begun.end_rank <= span.first_rank {
                continue;
            }
            if begun.end_s <= span.start_s {
                over.push(*first);
            } else {
                other = Some(begun.reservation);
            }
        }
        for first in over {
            self.begun.remove(&first);
        }
        if other.is_none() {
            self.begun.insert(span.first_rank, span);
        }
        other
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn spans() -> impl Strategy<Value = Vec<Span>> {
        let span = (0..2_i64, 0..12_i64, 1..5_i64, 0..20_i64, 1..6_i64);
        prop::collection::vec(span, 0..25).prop_map(|drawn| {
            let each = drawn.into_iter().zip(1_u128..);
            let mut spans: Vec<Span> = each
                .map(|((epoch, first_rank, ranks, start_s, seconds), id)| Span {
                    epoch,
                    first_rank,
                    end_rank: first_rank + ranks,
                    start_s,
                    end_s: start_s + seconds,
                    reservation: ReservationId::new(Uuid::from_u128(id)),
                })
                .collect();
            spans.sort_by_key(|it| (it.epoch, it.start_s, it.first_rank));
            spans
        })
    }

    fn overlap(a: &Span, b: &Span) -> bool {
        a.epoch == b.epoch
            && a.first_rank < b.end_rank
            && b.first_rank < a.end_rank
            && a.start_s < b.end_s
            && b.start_s < a.end_s
    }

    proptest! {
        /// As comparing each with each that was taken before says.
        #[test]
        fn what_overlaps_is_found(spans in spans()) {
            let mut sweep = Sweep::default();
            let mut taken: Vec<Span> = Vec::new();
            for span in spans {
                let found = sweep.take(span);
                let all: Vec<ReservationId> =
                    taken.iter().filter(|it| overlap(it, &span)).map(|it| it.reservation).collect();
                prop_assert_eq!(found.is_some(), !all.is_empty());
                match found {
                    Some(other) => prop_assert!(all.contains(&other)),
                    None => taken.push(span),
                }
            }
        }
    }
}
