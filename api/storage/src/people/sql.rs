//! People.

use crate::statements::statements;

/// All columns of people.
macro_rules! columns {
    () => {
        "id, issuer, subject, name, first_seen_s, tokens_from_s, blocked_s, role, projects, token_issued_s"
    };
}

statements! {
    /// Somebody who signs in for the first time.
    INSERT_PERSON = concat!("INSERT INTO people (", columns!(), ")
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)");

    /// Who a subject of an issuer is.
    PERSON = concat!("SELECT ", columns!(), " FROM people WHERE issuer = $1 AND subject = $2");

    /// Everybody, by name.
    PEOPLE = concat!("SELECT ", columns!(), " FROM people ORDER BY name");

    /// Refuses a person's tokens that were issued before an instant; one that is later already stays.
    END_SESSIONS = "UPDATE people SET tokens_from_s = $2
        WHERE name = $1 AND (tokens_from_s IS NULL OR tokens_from_s < $2)";

    /// Refuses all of a person's tokens since an instant, or none (null).
    BLOCK_PERSON = "UPDATE people SET blocked_s = $2 WHERE name = $1";

    /// What a token says of a person that was issued at $4, where none was seen that was issued then or later.
    NOTE_SEEN = "UPDATE people SET role = $2, projects = $3, token_issued_s = $4
        WHERE id = $1 AND (token_issued_s IS NULL OR token_issued_s < $4)";

    /// Whether there is a person of this name.
    HAS_PERSON = "SELECT EXISTS (SELECT 1 FROM people WHERE name = $1)";
}
