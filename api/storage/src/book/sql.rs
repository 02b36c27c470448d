//! The book's row: its version and its counts.

use crate::statements::statements;

statements! {
    /// The version.
    VERSION = "SELECT version FROM book WHERE id = 1";

    /// How far the database is.
    MARKS = "SELECT version, changes, agendas_changed, outages_changed, tokens_changed,
            grants_changed, quotas_changed,
            (SELECT MAX(id) FROM calibration_epochs) AS epoch
        FROM book WHERE id = 1";

    /// Counts a transaction that writes. On PostgreSQL it makes writers go one after another too.
    COUNT_CHANGE = "UPDATE book SET changes = changes + 1 WHERE id = 1";

    /// Notes that agendas changed in this transaction.
    AGENDAS_CHANGED = "UPDATE book SET agendas_changed = changes WHERE id = 1";

    /// Notes that outages changed in this transaction.
    OUTAGES_CHANGED = "UPDATE book SET outages_changed = changes WHERE id = 1";

    /// Notes that tokens changed in this transaction.
    TOKENS_CHANGED = "UPDATE book SET tokens_changed = changes WHERE id = 1";

    /// Makes every plan made earlier wrong.
    BUMP_VERSION = "UPDATE book SET version = version + 1 WHERE id = 1";

    /// Notes that grants changed in this transaction.
    GRANTS_CHANGED = "UPDATE book SET grants_changed = changes WHERE id = 1";

    /// Notes that quota adjustments changed in this transaction.
    QUOTAS_CHANGED = "UPDATE book SET quotas_changed = changes WHERE id = 1";

    /// Takes the book's row, for a transaction that records events and writes nothing of the book:
    /// whoever records holds it until the end, so that ids are committed in their order.
    TAKE_TURN = "UPDATE book SET version = version WHERE id = 1";
}
