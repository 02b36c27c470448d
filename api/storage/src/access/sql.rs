//! Tokens.

use crate::statements::statements;

/// All columns of tokens.
macro_rules! columns {
    () => {
        "id, owner, role, digest, created_s, revoked_s, expires_s, used_s, actions"
    };
}

statements! {
    /// A new token.
    INSERT_TOKEN =
        concat!("INSERT INTO api_tokens (", columns!(), ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)");

    /// All tokens, oldest first.
    TOKENS = concat!("SELECT ", columns!(), " FROM api_tokens ORDER BY created_s, id");

    /// Revokes a token at an instant; one revoked before keeps its instant.
    REVOKE_TOKEN = "UPDATE api_tokens SET revoked_s = $2 WHERE id = $1 AND revoked_s IS NULL";

    /// Lets a token end at an instant, unless it ends before.
    END_TOKEN = "UPDATE api_tokens SET expires_s = $2 WHERE id = $1 AND (expires_s IS NULL OR expires_s > $2)";

    /// Notes that a token was used at an instant.
    NOTE_TOKEN_USE = "UPDATE api_tokens SET used_s = $2 WHERE id = $1 AND (used_s IS NULL OR used_s < $2)";

    /// Whether a token was ever made, or somebody ever signed in.
    HAS_HAD_USERS = "SELECT EXISTS (SELECT 1 FROM api_tokens) OR EXISTS (SELECT 1 FROM people)";
}
