//! How often operators said that the clock is right.

use crate::statements::statements;

statements! {
    /// Counts one more.
    ACCEPT_CLOCK = "UPDATE clock_acceptances SET count = count + 1 WHERE id = 1";

    /// How many there were.
    CLOCK_ACCEPTANCES = "SELECT count FROM clock_acceptances WHERE id = 1";
}
