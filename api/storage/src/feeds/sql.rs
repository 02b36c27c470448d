//! Feeds: what they said and how they stand.

use crate::statements::statements;

/// What is read of revisions `r` without their pieces.
macro_rules! columns {
    () => {
        "r.id, r.feed, r.zone, r.kind, r.quality, r.issued_s, r.received_s, r.span_start_s, \
         r.span_end_s, r.piece_count, r.notes"
    };
}

statements! {
    /// A new revision.
    INSERT_FEED_REVISION = "INSERT INTO feed_revisions
        (feed, quantity, zone, kind, quality, issued_s, received_s, span_start_s, span_end_s,
         piece_count, notes, pieces)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING id";

    /// Spans of a feed's revisions that touch a window and were received by an instant, the newest
    /// first, from before a receipt and id on, at most so many. Answered from the index alone.
    FEED_SPANS = "SELECT id, received_s, span_start_s, span_end_s FROM feed_revisions
        WHERE feed = $1 AND quantity = $2 AND span_end_s > $3 AND span_start_s < $4
          AND received_s <= $5 AND (received_s < $5 OR id < $6)
        ORDER BY received_s DESC, id DESC LIMIT $7";

    /// Revisions as those of the spans, with how many pieces they have.
    FEED_SIZES = "SELECT id, piece_count FROM feed_revisions
        WHERE feed = $1 AND quantity = $2 AND span_end_s > $3 AND span_start_s < $4
          AND received_s <= $5 AND (received_s < $5 OR id < $6)
        ORDER BY received_s DESC, id DESC LIMIT $7";

    /// The latest revision of each of all feeds, without pieces.
    LATEST_FEED_REVISIONS = concat!("SELECT ", columns!(), "
        FROM feeds AS f JOIN feed_revisions AS r ON r.id =
            (SELECT MAX(newest.id) FROM feed_revisions AS newest WHERE newest.feed = f.id)");

    /// A page of a feed's revisions, the newest first, with an id below a bound.
    FEED_REVISIONS_PAGE = concat!("SELECT ", columns!(), "
        FROM feed_revisions AS r WHERE r.feed = $1 AND r.id < $2 ORDER BY r.id DESC LIMIT $3");

    /// The newest revision of a quantity, and where the earliest of those after a revision begins.
    FEED_NEWS = "SELECT COALESCE(MAX(id), 0) AS latest, MIN(span_start_s) AS since_s
        FROM feed_revisions WHERE id > $1 AND quantity = $2";

    /// How all feeds stand.
    FEEDS = "SELECT id, last_poll_s, last_success_s, error, error_class, error_s, validator,
            next_poll_s, closed_until_s, failures_in_turn, horizon_s, grown_s, requests, failures,
            refresh_s
        FROM feeds";

    /// With which class of error a feed stands, and when it was last heard of.
    FEED_STOOD = "SELECT error_class, last_success_s FROM feeds WHERE id = $1";

    /// How a feed stands now. A refresh that was asked for after the poll began is kept.
    PUT_FEED = "INSERT INTO feeds (id, last_poll_s, last_success_s, error, error_class, error_s,
            validator, next_poll_s, closed_until_s, failures_in_turn, horizon_s, grown_s, requests,
            failures)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
        ON CONFLICT (id) DO UPDATE SET last_poll_s = excluded.last_poll_s,
            last_success_s = excluded.last_success_s, error = excluded.error,
            error_class = excluded.error_class, error_s = excluded.error_s,
            validator = excluded.validator, next_poll_s = excluded.next_poll_s,
            closed_until_s = excluded.closed_until_s,
            failures_in_turn = excluded.failures_in_turn, horizon_s = excluded.horizon_s,
            grown_s = excluded.grown_s, requests = excluded.requests, failures = excluded.failures,
            refresh_s = CASE WHEN feeds.refresh_s > $2 THEN feeds.refresh_s END";

    /// Asks for a poll of a feed at an instant; its row may have to be made first.
    REFRESH_FEED = "INSERT INTO feeds (id, next_poll_s, closed_until_s, failures_in_turn, requests,
            failures, refresh_s)
        VALUES ($1, $2, 0, 0, 0, 0, $2)
        ON CONFLICT (id) DO UPDATE SET refresh_s = excluded.refresh_s";
}

/// Revisions with their pieces, by id.
pub const FEED_PIECES_WHERE: &str =
    concat!("SELECT ", columns!(), ", r.pieces FROM feed_revisions AS r WHERE r.id IN (");
