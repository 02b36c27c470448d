//! Why starts are excluded: counted, measured and put into words.

use crate::criterion::Values;
use crate::decision::{Binding, Reason, ReasonCode, Shortage};
use crate::quantity::Power;
use crate::time::Span;

/// Why one start is not feasible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exclusion {
    /// An agenda has no value somewhere.
    AgendaGap { agenda: &'static str, gap: Option<Span> },
    /// Fewer nodes than asked for are free throughout.
    Nodes { missing: u32 },
    /// The cap leaves too little somewhere in `span`.
    PowerCap { missing: Power, span: Span },
    /// A quota would be exceeded.
    Quota,
    /// A budget would be exceeded by a start that takes so much.
    Budget(Values),
}

/// Counts by constraint, with the exclusion that came closest to being none.
#[derive(Default)]
pub(super) struct Exclusions {
    gaps: Count,
    nodes: Count,
    power_cap: Count,
    quota: Count,
}

/// One constraint's.
#[derive(Default)]
struct Count {
    starts: u64,
    closest: Option<Binding>,
}

impl Count {
    fn add(&mut self, binding: Binding, is_closer: impl Fn(&Binding) -> bool) {
        self.starts += 1;
        if self.closest.as_ref().is_none_or(is_closer) {
            self.closest = Some(binding);
        }
    }
}

impl Exclusions {
    /// Counts a start, the span of a reservation that would begin there.
    pub(super) fn add(&mut self, reservation: Span, exclusion: Exclusion) {
        let binding = |span: Span, shortage| Binding { start: reservation.start(), span, shortage };
        match exclusion {
            Exclusion::AgendaGap { agenda, gap } => {
                let binding = binding(gap.unwrap_or(reservation), Shortage::Agenda(agenda));
                self.gaps.add(binding, |_| false);
            }
            Exclusion::Nodes { missing } => {
                let binding = binding(reservation, Shortage::Nodes(missing));
                let fewer =
                    |it: &Binding| matches!(it.shortage, Shortage::Nodes(most) if missing < most);
                self.nodes.add(binding, fewer);
            }
            Exclusion::PowerCap { missing, span } => {
                let binding = binding(span, Shortage::Power(missing));
                let less =
                    |it: &Binding| matches!(it.shortage, Shortage::Power(most) if missing < most);
                self.power_cap.add(binding, less);
            }
            Exclusion::Quota => self.quota.add(binding(reservation, Shortage::Quota), |_| false),
            Exclusion::Budget(values) => {
                self.quota.add(binding(reservation, Shortage::Budget(values)), |_| false);
            }
        }
    }

    /// The reasons that excluded a start, in the order in which they are tested; a request may take
    /// of `selectable` nodes.
    pub(super) fn into_reasons(self, selectable: u32) -> Vec<Reason> {
        let counts = [
            (ReasonCode::AgendaGap, self.gaps),
            (ReasonCode::Nodes, self.nodes),
            (ReasonCode::PowerCap, self.power_cap),
            (ReasonCode::Quota, self.quota),
        ];
        let reason = |(code, Count { starts, closest }): (ReasonCode, Count)| {
            let binding = closest?;
            let detail = detail(&binding, selectable);
            Some(Reason { code, excluded_starts: starts, binding, detail })
        };
        counts.into_iter().filter_map(reason).collect()
    }
}

fn detail(Binding { start, span, shortage }: &Binding, selectable: u32) -> String {
    match shortage {
        Shortage::Agenda(agenda) => format!("the {agenda} agenda has no value from {span}"),
        Shortage::Nodes(missing) => format!(
            "at least {missing} of the nodes asked for are missing, from {span} when starting at \
             {start}; there are {selectable} to choose from in all"
        ),
        Shortage::Power(missing) => format!(
            "at least {missing} are missing under the power cap, from {span} when starting at \
             {start}"
        ),
        Shortage::Slot { .. } | Shortage::Quota | Shortage::Budget(_) => {
            format!("a quota would be exceeded from {span} when starting at {start}")
        }
    }
}
