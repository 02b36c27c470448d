//! Why a token is not made, renewed or revoked, as problems.

use axum::http::StatusCode;

use super::Problem;
use crate::service::tokens::TokenError;

impl From<TokenError> for Problem {
    fn from(error: TokenError) -> Self {
        match error {
            TokenError::NoToken(id) => Self::not_found(format!("token {id}")),
            TokenError::Ended(_) => Self::conflict("wrong_state", "It has ended", &error),
            TokenError::NotYours
            | TokenError::Wider(_)
            | TokenError::EndsAtOnce
            | TokenError::Outlasts { .. } => {
                let detail = error.to_string();
                Self::new(StatusCode::FORBIDDEN, "forbidden", "Not allowed", detail)
            }
            TokenError::LocksOut => {
                Self::conflict("first_token", "The first token must make others", &error)
            }
            TokenError::TooMany { .. } => {
                Self::conflict("too_many_tokens", "Too many tokens", &error)
            }
            TokenError::Fault(fault) => fault.into(),
        }
    }
}
