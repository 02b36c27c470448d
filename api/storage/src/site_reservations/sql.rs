//! Reservations at other sites.

use crate::statements::statements;

/// All columns of reservations at other sites.
macro_rules! columns {
    () => {
        "id, owner, site, state, asked_key, asked_digest, asked, sent, told, reservation_id, offer_id, state_there, reason, because, \
         created_s, changed_s, row_version"
    };
}

statements! {
    /// A new one.
    INSERT_SITE_RESERVATION = concat!("INSERT INTO site_reservations (", columns!(), ")
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
        ON CONFLICT (owner, asked_key) DO NOTHING");

    /// One of them.
    SITE_RESERVATION = concat!("SELECT ", columns!(), " FROM site_reservations WHERE id = $1");

    /// The one that a user asked for under a key.
    SITE_RESERVATION_OF_KEY = concat!("SELECT ", columns!(), " FROM site_reservations WHERE owner = $1 AND asked_key = $2");

    /// A page of those of a user, or with no name of all, before an id: the newest first.
    SITE_RESERVATIONS = concat!("SELECT ", columns!(), " FROM site_reservations
        WHERE id < $1 AND ($2 = '' OR owner = $2) ORDER BY id DESC LIMIT $3");

    /// Those about which something has yet to be done at the other site and that did not change since an instant, the oldest first.
    UNDECIDED_SITE_RESERVATIONS = concat!("SELECT ", columns!(), " FROM site_reservations
        WHERE state IN ('asked', 'held', 'cancelling') AND changed_s <= $1 ORDER BY changed_s, id LIMIT $2");

    /// What is new of one that is as it was read.
    CHANGE_SITE_RESERVATION = "UPDATE site_reservations
        SET state = $3, told = $4, reservation_id = $5, offer_id = $6, state_there = $7, reason = $8, because = $9, changed_s = $10,
            row_version = row_version + 1
        WHERE id = $1 AND row_version = $2";
}
