//! Why somebody is not let in, as problems.

use axum::http::StatusCode;

use super::Problem;
use crate::service::sign_in::{FlowError, SignInError};

impl From<SignInError> for Problem {
    fn from(error: SignInError) -> Self {
        match error {
            SignInError::Unknown | SignInError::Refused(_) => Self::unauthorised(error.to_string()),
            SignInError::NotAllowed(_) => {
                Self::new(StatusCode::FORBIDDEN, "forbidden", "Not allowed", error.to_string())
            }
            SignInError::NoAnswer(_) => {
                Self::busy("issuer_unavailable", "The issuer does not answer", &error, 10)
            }
            SignInError::Fault(fault) => fault.into(),
        }
    }
}

/// What an issuer says, by its words; others are `sign_in_refused`.
const REFUSALS: [&str; 5] =
    ["authorization_pending", "slow_down", "access_denied", "expired_token", "invalid_grant"];

impl From<FlowError> for Problem {
    fn from(error: FlowError) -> Self {
        match &error {
            FlowError::NoSuchWay => Self::not_found(
                "such way to sign in: the settings name no client for this issuer and program",
            ),
            FlowError::Busy | FlowError::BusyAddress => {
                Self::busy("overloaded", "Many sign in", &error, 1)
            }
            FlowError::NoAnswer(_) => {
                Self::busy("issuer_unavailable", "The issuer does not answer", &error, 10)
            }
            FlowError::Refused { error: word, .. } => {
                let known = REFUSALS.into_iter().find(|known| known == word);
                let code = known.unwrap_or("sign_in_refused");
                Self::new(StatusCode::BAD_REQUEST, code, "Not signed in", error.to_string())
            }
        }
    }
}
