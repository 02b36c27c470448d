//! Sources of one quantity that disagree, for as long as they do.

use crate::statements::statements;

statements! {
    /// All quantities whose sources disagree.
    DISAGREEMENTS = "SELECT quantity, since_s, found FROM feed_disagreements";

    /// Notes that the sources of a quantity disagree, unless that is noted.
    BEGIN_DISAGREEMENT = "INSERT INTO feed_disagreements (quantity, since_s, found)
        VALUES ($1, $2, $3) ON CONFLICT (quantity) DO NOTHING";

    /// Notes where they disagree now, where that is something else.
    CHANGE_DISAGREEMENT = "UPDATE feed_disagreements SET found = $2
        WHERE quantity = $1 AND found <> $2";

    /// Forgets that they disagreed; since when they did.
    END_DISAGREEMENT = "DELETE FROM feed_disagreements WHERE quantity = $1 RETURNING since_s";
}
