//! Hours that are stated anew.

use std::collections::BTreeMap;

use super::party::Party;
use super::row::{Amounts, LedgerRow};
use crate::time::Timestamp;

/// What rows amount to by party: an hour's statement and all its corrections are the hour as it is known.
pub(super) fn sums(rows: impl IntoIterator<Item = LedgerRow>) -> BTreeMap<Party, Amounts> {
    let mut sums: BTreeMap<Party, Amounts> = BTreeMap::new();
    for LedgerRow { party, amounts } in rows {
        let sum = sums.entry(party).or_default();
        *sum = sum.plus(amounts);
    }
    sums
}

/// The rows that make what was stated of an hour before what is known of it now; none where nothing is new.
/// A party that is gone gets what it had back. Where nothing is known any more of CO2 by the accounting that the site does
/// not plan by, what was stated of it stays.
pub fn corrections(
    before: impl IntoIterator<Item = LedgerRow>,
    now: impl IntoIterator<Item = LedgerRow>,
) -> Vec<LedgerRow> {
    let mut differences = sums(now);
    let other_is_known = differences.values().any(|it| it.other_co2_mg.is_some());
    for (party, stated) in sums(before) {
        let stated = if other_is_known { stated } else { stated.without_other_co2() };
        let difference = differences.entry(party).or_default();
        *difference = difference.plus(stated.negated());
    }
    let rows = differences.into_iter().map(|(party, amounts)| LedgerRow { party, amounts });
    rows.filter(|row| !row.amounts.is_nothing()).collect()
}

/// The hour in which a correction of `hour` counts, where months before `open_from`, which is the start of an
/// hour, are closed: its own while its month is open, else the first that is open.
pub fn counted_in(hour: Timestamp, open_from: Timestamp) -> Timestamp {
    hour.max(open_from)
}
