//! Stated hours that are to be stated anew.

use crate::statements::statements;

statements! {
    /// All, with how often something was heard.
    CHANGED_HOURS = "SELECT hour_s, changes FROM ledger_changed_hours ORDER BY hour_s";

    /// Forgets one, unless something was heard more often.
    FORGET_CHANGED_HOUR = "DELETE FROM ledger_changed_hours WHERE hour_s = $1 AND changes = $2";
}

/// Notes hours, as far as they are stated; [`CHANGED_HOURS_END`] follows the list of hours.
pub const CHANGED_HOURS_OF: &str = "INSERT INTO ledger_changed_hours (hour_s, changes)
    SELECT hour_s, 1 FROM ledger_statements WHERE number = 0 AND hour_s IN ";

/// What changes of hours that are known.
pub const CHANGED_HOURS_END: &str =
    " ON CONFLICT (hour_s) DO UPDATE SET changes = ledger_changed_hours.changes + 1";
