//! How much a quota allows.

use std::fmt;

use crate::decimal::{format_millionths, parse_millionths};
use crate::quantity::MILLION;

/// No limit is higher: a billion, in nodes, reservations or node-hours.
const HIGHEST_MILLIONTHS: i64 = 1_000_000_000 * MILLION;

const LIMIT_RULE: &str =
    "must be -1 (unlimited), a number from 0 to 1000000000, or one such as \"ALL\" or \"0.5*ALL\"";

/// The most of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuotaLimit {
    /// Any amount.
    Unlimited,
    /// So much.
    AtMost(QuotaAmount),
}

/// An amount, perhaps in units of all nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotaAmount {
    millionths: i64,
    /// Whether it is multiplied by the number of nodes.
    of_all: bool,
}

/// What is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QuotaMeasure {
    /// Nodes at an instant.
    Nodes,
    /// Reservations at an instant.
    Reservations,
    /// Nodes times hours.
    NodeHours,
}

impl QuotaMeasure {
    /// All of them, in the order in which they are tested.
    pub const ALL: [Self; 3] = [Self::Nodes, Self::Reservations, Self::NodeHours];

    /// The word in documents.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Nodes => "nodes",
            Self::Reservations => "reservations",
            Self::NodeHours => "node_hours",
        }
    }
}

impl QuotaLimit {
    /// Reads a number, or a text such as `2*ALL`.
    ///
    /// # Errors
    /// What it must be, in words.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let text = text.trim();
        let (factor, of_all) = match text.strip_suffix("ALL") {
            Some("") => ("1", true),
            Some(factor) => (factor.strip_suffix('*').ok_or(LIMIT_RULE)?.trim(), true),
            None => (text, false),
        };
        let millionths = parse_millionths(factor).map_err(|_| LIMIT_RULE)?;
        match millionths {
            _ if !of_all && millionths == -MILLION => Ok(Self::Unlimited),
            0..=HIGHEST_MILLIONTHS => Ok(Self::AtMost(QuotaAmount { millionths, of_all })),
            _ => Err(LIMIT_RULE),
        }
    }

    /// The most of a measure where there are `all` nodes, node-hours in node-seconds; `None` where it is unlimited. Nodes
    /// and reservations are whole: what is left over is dropped.
    pub fn of(self, measure: QuotaMeasure, all: u32) -> Option<i128> {
        let Self::AtMost(QuotaAmount { millionths, of_all }) = self else { return None };
        let millionths = i128::from(millionths) * if of_all { i128::from(all) } else { 1 };
        let per_unit = match measure {
            QuotaMeasure::Nodes | QuotaMeasure::Reservations => 1,
            QuotaMeasure::NodeHours => 3600,
        };
        Some(millionths * per_unit / i128::from(MILLION))
    }
}

impl fmt::Display for QuotaLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unlimited => f.write_str("-1"),
            Self::AtMost(QuotaAmount { millionths, of_all: false }) => {
                f.write_str(&format_millionths(*millionths))
            }
            Self::AtMost(QuotaAmount { millionths, of_all: true }) => {
                write!(f, "{}*ALL", format_millionths(*millionths))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, measure: QuotaMeasure, all: u32) -> Option<i128> {
        QuotaLimit::parse(text).unwrap().of(measure, all)
    }

    /// The values of OAR's own example: of 100 nodes `ALL` is 100, half of them for an hour are 50 node-hours or 180,000
    /// node-seconds, and twice as many as there are 200 node-hours or 720,000 node-seconds.
    #[test]
    fn expressions_count_in_all_nodes() {
        use QuotaMeasure::{NodeHours, Nodes, Reservations};
        assert_eq!(of("100", Nodes, 100), Some(100));
        assert_eq!(of("ALL", Reservations, 100), Some(100));
        assert_eq!(of("0.5*ALL", NodeHours, 100), Some(180_000));
        assert_eq!(of("34.5", Nodes, 100), Some(34));
        assert_eq!(of("2*ALL", NodeHours, 100), Some(720_000));
        assert_eq!(of("-1", NodeHours, 100), None);
        assert_eq!(of("0", Nodes, 100), Some(0));
    }

    #[test]
    fn what_is_no_limit_is_refused() {
        for text in ["-2", "ALL*2", "2ALL", "*ALL", "", "half", "-1*ALL", "1e10"] {
            assert_eq!(QuotaLimit::parse(text), Err(LIMIT_RULE), "{text}");
        }
    }
}
