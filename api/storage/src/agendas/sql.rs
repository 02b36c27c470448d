//! Agendas: every revision, and what is in force.

use crate::statements::statements;

statements! {
    /// A new revision.
    INSERT_REVISION = "INSERT INTO agenda_revisions
        (quantity, source, kind, quality, issued_s, received_s, span_start_s, span_end_s, provenance)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id";

    /// What is in force of a quantity in a window, untrimmed. Pieces are disjoint, so that none that
    /// begins in the window ends after the first that reaches its end: the key is read no further.
    CURRENT = "SELECT start_s, end_s, value_millionths, revision_id FROM agenda_current
        WHERE quantity = $1 AND end_s > $2 AND start_s < $3 AND end_s <= COALESCE(
            (SELECT MIN(end_s) FROM agenda_current WHERE quantity = $1 AND end_s >= $3), $3)
        ORDER BY end_s";

    /// Clears what is in force of a quantity in a window.
    DELETE_CURRENT = "DELETE FROM agenda_current
        WHERE quantity = $1 AND end_s > $2 AND start_s < $3 AND end_s <= COALESCE(
            (SELECT MIN(end_s) FROM agenda_current WHERE quantity = $1 AND end_s >= $3), $3)";

    /// When the newest revision of a quantity that touches a window and was received by an instant
    /// was issued, or received where its source did not say.
    ANNOUNCED = "SELECT COALESCE(issued_s, received_s) FROM agenda_revisions
        WHERE quantity = $1 AND span_end_s > $2 AND span_start_s < $3 AND received_s <= $4
        ORDER BY received_s DESC, id DESC LIMIT 1";

    /// Whether a quantity was ever announced.
    EVER_ANNOUNCED = "SELECT EXISTS (SELECT 1 FROM agenda_revisions WHERE quantity = $1)";

    /// Spans of the revisions of a quantity that touch a window and were received by an instant, the
    /// newest first, from before a receipt and id on, at most so many. Answered from the index alone.
    SPANS_AS_OF = "SELECT id, received_s, span_start_s, span_end_s FROM agenda_revisions
        WHERE quantity = $1 AND span_end_s > $2 AND span_start_s < $3 AND received_s <= $4
          AND (received_s < $4 OR id < $5)
        ORDER BY received_s DESC, id DESC LIMIT $6";
}

/// Pieces of a revision.
pub const PIECES_BULK: &str =
    "INSERT INTO agenda_pieces (revision_id, start_s, end_s, value_millionths) ";

/// Pieces in force.
pub const CURRENT_BULK: &str =
    "INSERT INTO agenda_current (quantity, start_s, end_s, value_millionths, revision_id) ";

/// Parts of revisions: the revision, from and to; then [`PIECES_OF_PARTS`].
pub const PARTS: &str = "WITH part (revision_id, from_s, to_s) AS (";

/// The pieces in the parts, trimmed to them. The join is crossed so that SQLite begins with the parts.
/// Pieces of a revision are disjoint, so that of those of a part none ends after the first that
/// reaches its end: the key is read no further, and PostgreSQL has no reason to read the whole table.
pub const PIECES_OF_PARTS: &str = ") SELECT
        CASE WHEN piece.start_s < part.from_s THEN part.from_s ELSE piece.start_s END AS start_s,
        CASE WHEN piece.end_s > part.to_s THEN part.to_s ELSE piece.end_s END AS end_s,
        piece.value_millionths, piece.revision_id
    FROM part CROSS JOIN agenda_pieces AS piece
    WHERE piece.revision_id = part.revision_id
      AND piece.end_s > part.from_s AND piece.start_s < part.to_s AND piece.end_s <= COALESCE(
          (SELECT MIN(last.end_s) FROM agenda_pieces AS last
              WHERE last.revision_id = part.revision_id AND last.end_s >= part.to_s), part.to_s)";

/// Revisions with what they rest on, by id.
pub const PROVEN_WHERE: &str = "SELECT id, quantity, source, kind, quality, issued_s, received_s,
    span_start_s, span_end_s, provenance FROM agenda_revisions WHERE id IN (";
