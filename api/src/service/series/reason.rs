//! Why an occurrence cannot be had, as it is stored and told.

use planner::json::decision::DecisionDocument;

use crate::service::booking::{BookingError, QuoteError};

/// What becomes of a try.
pub(super) enum Verdict {
    /// It is tried again in a moment: others were in the way, or the service was.
    Again,
    /// It is too early to book it: how its owner stands says until when they may.
    TooEarly(String),
    /// It cannot be had as things are: a code and words.
    Impossible((String, String)),
}

/// What an error says of an occurrence.
pub(super) fn verdict(error: &BookingError) -> Verdict {
    let told = error.to_string();
    let code = match error {
        BookingError::Impossible(decision) | BookingError::NotNegotiated(decision) => {
            return Verdict::Impossible(("impossible".to_owned(), in_words(decision, &told)));
        }
        BookingError::TooFarAhead { .. } => return Verdict::TooEarly(told),
        BookingError::BookChanged
        | BookingError::TooManyHolds { .. }
        | BookingError::TooMuchHeld { .. }
        | BookingError::VersionMismatch
        | BookingError::OffersExpired(_)
        | BookingError::Key(_)
        | BookingError::Fault(_)
        | BookingError::Quote(QuoteError::Planning(_) | QuoteError::Fault(_)) => {
            return Verdict::Again;
        }
        BookingError::Quota(..) => "quota",
        BookingError::Forbidden(_) => "forbidden",
        BookingError::InvalidRequest(_) | BookingError::Quote(QuoteError::Invalid(_)) => "invalid",
        BookingError::NotInProject { .. } | BookingError::NoProject { .. } => "not_in_project",
        BookingError::HasJobs { .. } => "has_jobs",
        BookingError::WrongState { .. } => "wrong_state",
        _ => "refused",
    };
    Verdict::Impossible((code.to_owned(), told))
}

/// The first of the reasons of a decision: what came closest.
fn in_words(decision: &DecisionDocument, told: &str) -> String {
    decision.reasons.first().map_or_else(|| told.to_owned(), |reason| reason.detail.clone())
}
