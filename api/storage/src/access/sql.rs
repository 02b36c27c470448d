//! Tokens.

use crate::statements::statements;

statements! {
    /// A new token.
    INSERT_TOKEN = "INSERT INTO api_tokens (id, owner, role, digest, created_s, revoked_s)
        VALUES ($1, $2, $3, $4, $5, $6)";

    /// The token of a digest, unless revoked.
    TOKEN_BY_DIGEST = "SELECT id, owner, role, digest, created_s, revoked_s
        FROM api_tokens WHERE digest = $1 AND revoked_s IS NULL";

    /// All tokens, oldest first.
    TOKENS = "SELECT id, owner, role, digest, created_s, revoked_s
        FROM api_tokens ORDER BY created_s, id";

    /// Revokes a token at an instant; one revoked before keeps its instant.
    REVOKE_TOKEN = "UPDATE api_tokens SET revoked_s = $2 WHERE id = $1 AND revoked_s IS NULL";

    /// Whether a token is in use.
    HAS_TOKENS = "SELECT EXISTS (SELECT 1 FROM api_tokens)";
}
