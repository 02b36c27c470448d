//! Whether the database can be written.

use crate::statements::statements;

statements! {
    /// Writes, to see whether that is possible: when, and so many bytes that differ from those before.
    TRY_WRITE = "UPDATE write_trials SET tried_s = $1, filling = $2 WHERE id = 1";
}
