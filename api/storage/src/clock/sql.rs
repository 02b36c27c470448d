//! How often operators said that the clock is right, and the jump that was told of.

use crate::statements::statements;

statements! {
    /// Counts one more.
    ACCEPT_CLOCK = "UPDATE clock_acceptances SET count = count + 1 WHERE id = 1";

    /// How many there were.
    CLOCK_ACCEPTANCES = "SELECT count FROM clock_acceptances WHERE id = 1";

    /// The jump that was told of and is doubted still.
    CLOCK_DOUBT = "SELECT by_s FROM clock_doubts WHERE id = 1";

    /// Notes that a jump was told of, unless one is noted.
    DOUBT_CLOCK = "INSERT INTO clock_doubts (id, by_s) VALUES (1, $1) ON CONFLICT (id) DO NOTHING";

    /// Forgets the jump that was told of.
    BELIEVE_CLOCK = "DELETE FROM clock_doubts WHERE id = 1 RETURNING by_s";
}
