//! Agendas: every revision, and what is in force.

use super::statements;

statements! {
    /// A new revision.
    INSERT_REVISION = "INSERT INTO agenda_revisions
        (quantity, source, kind, quality, issued_s, received_s, span_start_s, span_end_s)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id";

    /// What is in force of a quantity in a window, untrimmed.
    CURRENT = "SELECT start_s, end_s, value_millionths, revision_id FROM agenda_current
        WHERE quantity = $1 AND end_s > $2 AND start_s < $3 ORDER BY end_s";

    /// Clears what is in force of a quantity in a window.
    DELETE_CURRENT = "DELETE FROM agenda_current
        WHERE quantity = $1 AND end_s > $2 AND start_s < $3";

    /// Revisions of a quantity that touch a window, newest first, at most so many.
    REVISIONS = "SELECT id, quantity, source, kind, quality, issued_s, received_s, span_start_s,
        span_end_s FROM agenda_revisions
        WHERE quantity = $1 AND span_end_s > $2 AND span_start_s < $3
        ORDER BY received_s DESC, id DESC LIMIT $4";

    /// Whether a quantity was ever announced.
    EVER_ANNOUNCED = "SELECT EXISTS (SELECT 1 FROM agenda_revisions WHERE quantity = $1)";

    /// Spans of the revisions of a quantity that touch a window and were received by an instant,
    /// in the order in which they took effect.
    REVISIONS_AS_OF = "SELECT id, span_start_s, span_end_s FROM agenda_revisions
        WHERE quantity = $1 AND span_end_s > $2 AND span_start_s < $3 AND received_s <= $4
        ORDER BY received_s, id";

    /// The pieces of those revisions.
    PIECES_AS_OF = "SELECT piece.start_s, piece.end_s, piece.value_millionths, piece.revision_id
        FROM agenda_revisions AS revision
        JOIN agenda_pieces AS piece ON piece.revision_id = revision.id
        WHERE revision.quantity = $1 AND revision.span_end_s > $2 AND revision.span_start_s < $3
          AND revision.received_s <= $4 AND piece.end_s > $2 AND piece.start_s < $3
        ORDER BY revision.received_s, revision.id, piece.end_s";
}

/// Pieces of a revision.
pub const PIECES_BULK: &str =
    "INSERT INTO agenda_pieces (revision_id, start_s, end_s, value_millionths) ";

/// Pieces in force.
pub const CURRENT_BULK: &str =
    "INSERT INTO agenda_current (quantity, start_s, end_s, value_millionths, revision_id) ";
