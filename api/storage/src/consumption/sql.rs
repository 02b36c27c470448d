//! What was consumed.

use crate::statements::statements;

statements! {
    /// What was consumed in a window.
    CONSUMPTION = "SELECT start_s, end_s, power_uw FROM consumption
        WHERE end_s > $1 AND start_s < $2 ORDER BY start_s";

    /// Forgets what was said of a window.
    DELETE_CONSUMPTION = "DELETE FROM consumption WHERE end_s > $1 AND start_s < $2";

    /// What was consumed in a span.
    INSERT_CONSUMPTION = "INSERT INTO consumption (start_s, end_s, power_uw) VALUES ($1, $2, $3)";
}
