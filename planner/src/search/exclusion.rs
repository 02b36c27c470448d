//! Why starts are excluded, counted and put into words.

use crate::decision::{Reason, ReasonCode};
use crate::quantity::Power;
use crate::request::Request;
use crate::time::{Span, Timestamp};

/// Why one start is not feasible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exclusion {
    /// An agenda has no value somewhere.
    AgendaGap { agenda: &'static str, gap: Option<Span> },
    /// Only `free` nodes are free throughout.
    Nodes { free: u32 },
    /// The cap leaves too little somewhere in `span`.
    PowerCap { missing: Power, span: Span },
}

/// Counts by constraint, with the exclusion that came closest to being none.
#[derive(Default)]
pub(super) struct Exclusions {
    gaps: u64,
    first_gap: Option<(&'static str, Option<Span>)>,
    nodes: u64,
    most_free: Option<(u32, Timestamp)>,
    power_cap: u64,
    least_missing: Option<(Power, Span, Timestamp)>,
}

impl Exclusions {
    pub(super) fn add(&mut self, start: Timestamp, exclusion: Exclusion) {
        match exclusion {
            Exclusion::AgendaGap { agenda, gap } => {
                self.gaps += 1;
                self.first_gap.get_or_insert((agenda, gap));
            }
            Exclusion::Nodes { free } => {
                self.nodes += 1;
                if self.most_free.is_none_or(|(most, _)| free > most) {
                    self.most_free = Some((free, start));
                }
            }
            Exclusion::PowerCap { missing, span } => {
                self.power_cap += 1;
                if self.least_missing.is_none_or(|(least, ..)| missing < least) {
                    self.least_missing = Some((missing, span, start));
                }
            }
        }
    }

    /// The reasons that excluded a start, in the order in which they are tested.
    pub(super) fn into_reasons(self, request: &Request, total: u32) -> Vec<Reason> {
        let details = [
            (ReasonCode::AgendaGap, self.gaps, self.gap_detail()),
            (ReasonCode::Nodes, self.nodes, self.nodes_detail(request.nodes, total)),
            (ReasonCode::PowerCap, self.power_cap, self.cap_detail()),
        ];
        details
            .into_iter()
            .filter(|(_, count, _)| *count > 0)
            .map(|(code, excluded_starts, detail)| Reason { code, excluded_starts, detail })
            .collect()
    }

    fn gap_detail(&self) -> String {
        match self.first_gap {
            Some((agenda, Some(gap))) => format!("the {agenda} agenda has no value from {gap}"),
            _ => String::new(),
        }
    }

    fn nodes_detail(&self, wanted: u32, total: u32) -> String {
        match self.most_free {
            _ if wanted > total => {
                format!("more nodes are asked for than the {total} that there are")
            }
            Some((free, start)) => format!(
                "at most {free} of the {wanted} nodes asked for are free throughout, \
                 when starting at {start}"
            ),
            None => String::new(),
        }
    }

    fn cap_detail(&self) -> String {
        match self.least_missing {
            Some((missing, span, start)) => format!(
                "at least {missing} are missing under the power cap, from {span} \
                 when starting at {start}"
            ),
            None => String::new(),
        }
    }
}
