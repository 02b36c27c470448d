//! Other sites of which it was told that they do not answer.

use crate::statements::statements;

statements! {
    /// Their names.
    SILENT_SITES = "SELECT site FROM silent_sites ORDER BY site";

    /// Notes that it is told of one, unless it was.
    NOTE_SILENCE = "INSERT INTO silent_sites (site, since_s) VALUES ($1, $2) ON CONFLICT (site) DO NOTHING";

    /// Forgets that it was told of one.
    END_SILENCE = "DELETE FROM silent_sites WHERE site = $1";
}
