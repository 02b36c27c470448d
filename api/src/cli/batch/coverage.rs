//! Whether the supplier's tables cover what is played: what they do not is an error unless it is
//! allowed, and then told.

use std::path::Path;

use batch::steps::Missing;
use batch::supplier_tables::SupplierTable;
use batch::time::Time;
use planner::time::{Seconds, Timestamp};

use super::run::Given;
use crate::cli::Failure;

/// What to do about it.
const WAY_OUT: &str = "give a table that covers it, or another --origin, or allow it with \
     --allow-uncovered (in a grid: allow_uncovered under [supplier]): the summary then says which share \
     is covered";

/// A table, and from when to when a simulation rests on it.
pub type Needed = (SupplierTable, Time, Time);

/// What was found at the end.
#[derive(Default)]
pub struct Covered {
    /// Of the time in which a table of caps alone bounds, the part that there are caps for.
    pub cap_share: Option<f64>,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// Judges before anything is played, as far as that can be known: the instant at which the simulation
/// begins, and what a policy goes by from an instant to another.
///
/// # Errors
/// Names the file, what it covers, what is needed and the way out.
pub fn before(given: &Given, goes_by: Option<Needed>) -> Result<(), Failure> {
    if given.supplier.allow_uncovered {
        return Ok(());
    }
    let mut errors = Vec::new();
    for (table, from, until) in needed(given, goes_by, None) {
        let open = until == Time::FOREVER;
        // A bound that begins later may not be reached.
        if open && from > Time::ZERO {
            continue;
        }
        let known = if open { from + Time::from_micros(1) } else { until };
        let gap = given.tables.missing(table, from, known);
        let Some(told) = told(given, table, (from, known)).filter(|_| gap.is_some()) else {
            continue;
        };
        let (covers, from) = (told.covers(), told.instant(from));
        errors.push(if open {
            format!("{covers}, and the simulation begins at {from} (--origin): {WAY_OUT}")
        } else {
            let until = told.instant(until);
            format!("{covers}, and the policy goes by it from {from} to {until}: {WAY_OUT}")
        });
    }
    errors.dedup();
    if errors.is_empty() { Ok(()) } else { Err(Failure::BadInput(errors)) }
}

/// Judges a simulation that went until `end`.
///
/// # Errors
/// Names the file, what it covers, what is needed and the way out.
pub fn after(
    given: &Given,
    goes_by: Option<Needed>,
    end: Option<Time>,
) -> Result<Covered, Failure> {
    let Some(end) = end else { return Ok(Covered::default()) };
    let (mut errors, mut covered) = (Vec::new(), Covered::default());
    for (table, from, until) in needed(given, goes_by, Some(end)) {
        let missing = given.tables.missing(table, from, until);
        if table == SupplierTable::Cap && from < until {
            let gap = missing.map_or(Time::ZERO, |missing| missing.total);
            covered.cap_share = Some(1.0 - gap.as_seconds() / (until - from).as_seconds());
        }
        let Some(missing) = missing else { continue };
        let Some(told) = told(given, table, (from, until)) else { continue };
        let found = told.lacks(missing);
        if given.supplier.allow_uncovered {
            covered.notes.push(format!("{found}. {}", what_then(table)));
        } else {
            errors.push(format!("{found}: {WAY_OUT}"));
        }
    }
    if errors.is_empty() { Ok(covered) } else { Err(Failure::BadInput(errors)) }
}

const fn what_then(table: SupplierTable) -> &'static str {
    match table {
        SupplierTable::Price => {
            "energy_cost is of the covered part: energy_cost_covered_share says how much of the energy that is"
        }
        SupplierTable::Co2 => {
            "energy_co2_g is of the covered part: energy_co2_covered_share says how much of the energy that is"
        }
        SupplierTable::Cap => {
            "Elsewhere there was no cap: power_cap_covered_share says for how much of the time there was one"
        }
    }
}

/// What must be covered of a simulation that goes until `end`, where that is known: all of it where
/// energy is billed, and what the policy goes by.
fn needed(given: &Given, goes_by: Option<Needed>, end: Option<Time>) -> Vec<Needed> {
    let billed = given.platform.idle().is_some();
    let until = end.unwrap_or(Time::FOREVER);
    let bills = [SupplierTable::Price, SupplierTable::Co2].map(|table| (table, Time::ZERO, until));
    let mut needed: Vec<Needed> = bills.into_iter().filter(|_| billed).collect();
    // A cap matters while there are jobs; a budget follows its table whatever happens.
    needed.extend(goes_by.map(|(table, from, to)| match table {
        SupplierTable::Cap => (table, from, to.min(until)),
        _ => (table, from, to),
    }));
    needed.retain(|(table, from, until)| given.tables.has(*table) && from < until);
    needed
}

/// A table in words.
struct Told<'a> {
    file: &'a Path,
    of: &'static str,
    bounds: Option<(Time, Time)>,
    origin: Timestamp,
    needed: (Time, Time),
}

fn told(given: &Given, table: SupplierTable, needed: (Time, Time)) -> Option<Told<'_>> {
    let supplier = &given.supplier;
    let (file, of) = match table {
        SupplierTable::Price => (&supplier.price, "price"),
        SupplierTable::Co2 => (&supplier.co2, "CO2 intensity"),
        SupplierTable::Cap => (&supplier.cap, "cap"),
    };
    let (file, bounds) = (file.as_deref()?, given.tables.bounds(table));
    Some(Told { file, of, bounds, origin: supplier.origin?, needed })
}

impl Told<'_> {
    /// An instant of the simulation by the clock, to the second after it.
    fn instant(&self, time: Time) -> Timestamp {
        self.origin + Seconds::new(time.ceil().as_micros() / 1_000_000)
    }

    fn covers(&self) -> String {
        let file = self.file.display();
        match self.bounds {
            Some((from, until)) => {
                let (from, until) = (self.instant(from), self.instant(until));
                format!("{file}: covers {from} to {until}")
            }
            None => format!("{file}: covers nothing"),
        }
    }

    fn lacks(&self, missing: Missing) -> String {
        let (from, until) = self.needed;
        let share = 100.0 * missing.total.as_seconds() / (until - from).as_seconds();
        let [gap_from, gap_until] = [missing.first.0, missing.first.1].map(|it| self.instant(it));
        let [from, until] = [from, until].map(|it| self.instant(it));
        let (covers, of) = (self.covers(), self.of);
        format!(
            "{covers}, and the simulation needs {from} to {until}; for {share:.1} % of it there is no \
             {of}, first from {gap_from} to {gap_until}"
        )
    }
}
