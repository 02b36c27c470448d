//! Whether the supplier's tables cover what is played.

use crate::steps::Missing;
use crate::supplier_tables::{SupplierTable, SupplierTables};
use crate::time::Time;

/// A table, and from when to when a simulation rests on it; [`Time::FOREVER`] is as long as it lasts.
pub type Needed = (SupplierTable, Time, Time);

/// What a simulation needs of a table and the table lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uncovered {
    /// The table.
    pub table: SupplierTable,
    /// From when to when the simulation rests on the table; [`Time::FOREVER`] where it is not known yet how
    /// long it lasts.
    pub needed: (Time, Time),
    /// The time without a value; before the simulation's length is known, of its first microsecond.
    pub missing: Missing,
}

/// What is known at the end of a simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Coverage {
    /// Of the time in which a table of caps alone bounds, the part that there are caps for.
    pub cap_share: Option<f64>,
    /// What tables lack.
    pub uncovered: Vec<Uncovered>,
}

/// What a simulation rests on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needs<'a> {
    pub tables: &'a SupplierTables,
    /// Whether energy is billed.
    pub bills: bool,
    /// What the policy goes by.
    pub policy: Option<Needed>,
}

impl Needs<'_> {
    /// What tables lack, as far as that can be known before anything is played: at the instant at which the
    /// simulation begins, and over what a policy goes by from an instant to another.
    pub fn lacking_before(&self) -> Vec<Uncovered> {
        let lacking = |(table, from, until): Needed| {
            let open = until == Time::FOREVER;
            // A bound that begins later may not be reached.
            if open && from > Time::ZERO {
                return None;
            }
            let known = if open { from + Time::from_micros(1) } else { until };
            let missing = self.tables.missing(table, from, known)?;
            Some(Uncovered { table, needed: (from, until), missing })
        };
        self.all(Time::FOREVER).into_iter().filter_map(lacking).collect()
    }

    /// What tables lack of a simulation that went until `end`.
    pub fn covered_until(&self, end: Time) -> Coverage {
        let mut coverage = Coverage::default();
        for (table, from, until) in self.all(end) {
            let missing = self.tables.missing(table, from, until);
            if table == SupplierTable::Cap {
                let gap = missing.map_or(Time::ZERO, |missing| missing.total);
                coverage.cap_share = Some(1.0 - gap.as_seconds() / (until - from).as_seconds());
            }
            let needed = (from, until);
            coverage.uncovered.extend(missing.map(|missing| Uncovered { table, needed, missing }));
        }
        coverage
    }

    /// What must be covered of a simulation that goes until `end`: all of it where energy is billed, and
    /// what the policy goes by.
    fn all(&self, end: Time) -> Vec<Needed> {
        let bills =
            [SupplierTable::Price, SupplierTable::Co2].map(|table| (table, Time::ZERO, end));
        let mut needed: Vec<Needed> = bills.into_iter().filter(|_| self.bills).collect();
        // A cap matters while there are jobs; a budget follows its table whatever happens.
        needed.extend(self.policy.map(|(table, from, until)| match table {
            SupplierTable::Cap => (table, from, until.min(end)),
            _ => (table, from, until),
        }));
        needed.retain(|(table, from, until)| self.tables.has(*table) && from < until);
        needed
    }
}

#[cfg(test)]
mod tests {
    use planner::quantity::Power;

    use super::*;
    use crate::steps::Steps;

    /// Caps from 0 to 30 s and from 50 s on. A simulation until 80 s lacks 20 s of them: a quarter.
    #[test]
    fn a_gap_in_caps_is_found_when_it_is_reached() {
        let s = Time::from_seconds;
        let cap = Power::from_microwatts(7);
        let caps = Steps::of([(s(0), s(30), cap), (s(50), s(90), cap)]);
        let tables = SupplierTables { cap: Some(caps), ..SupplierTables::default() };
        let policy = Some((SupplierTable::Cap, s(0), Time::FOREVER));
        let needs = Needs { tables: &tables, bills: true, policy };
        assert_eq!(needs.lacking_before(), []);
        let coverage = needs.covered_until(s(80));
        assert_eq!(coverage.cap_share, Some(0.75));
        let missing = Missing { total: s(20), first: (s(30), s(50)) };
        let needed = (s(0), s(80));
        assert_eq!(coverage.uncovered, [Uncovered { table: SupplierTable::Cap, needed, missing }]);
        let later = Needs { policy: Some((SupplierTable::Cap, s(40), Time::FOREVER)), ..needs };
        assert_eq!(later.lacking_before(), []);
        let known = Needs { policy: Some((SupplierTable::Cap, s(40), s(60))), ..needs };
        assert_eq!(known.lacking_before()[0].missing.total, s(10));
    }
}
