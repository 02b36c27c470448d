//! Draw above plan.

use crate::statements::statements;

statements! {
    /// All that lasts.
    POWER_EXCESSES = "SELECT reservation_id, since_s, told FROM power_excesses ORDER BY reservation_id";

    /// What does not last any more.
    FORGET_POWER_EXCESSES = "DELETE FROM power_excesses";
}

/// What lasts.
pub const POWER_EXCESSES_BULK: &str = "INSERT INTO power_excesses (reservation_id, since_s, told) ";
