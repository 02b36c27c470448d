//! Tokens.

use crate::statements::statements;

/// All columns of tokens.
macro_rules! columns {
    () => {
        "id, owner, role, digest, created_s, revoked_s"
    };
}

statements! {
    /// A new token.
    INSERT_TOKEN =
        concat!("INSERT INTO api_tokens (", columns!(), ") VALUES ($1, $2, $3, $4, $5, $6)");

    /// All tokens, oldest first.
    TOKENS = concat!("SELECT ", columns!(), " FROM api_tokens ORDER BY created_s, id");

    /// Revokes a token at an instant; one revoked before keeps its instant.
    REVOKE_TOKEN = "UPDATE api_tokens SET revoked_s = $2 WHERE id = $1 AND revoked_s IS NULL";

    /// Whether a token is in use.
    HAS_TOKENS = "SELECT EXISTS (SELECT 1 FROM api_tokens)";
}
