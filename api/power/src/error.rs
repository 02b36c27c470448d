//! Why an order or a reading failed, and what helps.

use grid_feeds::feed::{FeedError, scrub};
use planner::power_action::{OrderAnswer, PowerReading};

/// Why an order or a reading failed. Each case says what helps. No text has a secret in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PowerError {
    /// No answer, or one of passing trouble: trying again helps. An order may have been carried out or not.
    #[error("no answer: {0}")]
    Unreachable(String),
    /// An answer that cannot be read. An order may have been carried out or not.
    #[error("the answer cannot be read: {0}")]
    Unreadable(String),
    /// Who asks is not accepted, or lacks a right: another password or another right helps.
    #[error("not allowed: {0}")]
    Denied(String),
    /// It was understood, and the answer is no.
    #[error("refused: {0}")]
    Refused(String),
    /// This driver, or what it speaks to, cannot do that.
    #[error("cannot be done: {0}")]
    Unsupported(String),
    /// The settings cannot work.
    #[error("configuration: {0}")]
    Configuration(String),
}

impl PowerError {
    /// Whether the same may succeed later. An order that failed so may have been carried out all the same.
    pub const fn may_pass(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::Unreadable(_))
    }

    /// The answer to an order, as the rule that follows it takes it.
    pub fn order_answer(given: Result<(), Self>) -> OrderAnswer {
        match given {
            Ok(()) => OrderAnswer::Accepted,
            Err(error) if error.may_pass() => OrderAnswer::Uncertain(error.to_string()),
            Err(error) => OrderAnswer::Refused(error.to_string()),
        }
    }

    /// The reading where there is none.
    pub(crate) fn unknown(&self) -> PowerReading {
        PowerReading::Unknown(self.to_string())
    }
}

impl From<FeedError> for PowerError {
    fn from(error: FeedError) -> Self {
        match error {
            FeedError::Refused { status: status @ (401 | 403), message } => {
                Self::Denied(scrub(&format!("status {status}: {message}")))
            }
            // Something else is going on there, or was changed since it was read.
            FeedError::Refused { status: status @ (409 | 412 | 423), message } => {
                Self::Unreachable(scrub(&format!("status {status}: {message}")))
            }
            FeedError::Refused { status, message } => {
                Self::Refused(scrub(&format!("status {status}: {message}")))
            }
            FeedError::Busy { .. } => Self::Unreachable(error.to_string()),
            FeedError::Transient { message } => Self::Unreachable(scrub(&message)),
            FeedError::Configuration { message } => Self::Configuration(scrub(&message)),
            FeedError::Payload { .. }
            | FeedError::NotPublished { .. }
            | FeedError::Sandbox { .. } => Self::Unreadable(scrub(&error.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What may have been carried out is never told as refused, and what was refused is never given again.
    #[test]
    fn each_failure_says_whether_trying_again_helps() {
        let refused = |status| FeedError::Refused { status, message: "no".to_owned() };
        for (error, may_pass) in [
            (FeedError::Transient { message: "cut".to_owned() }, true),
            (FeedError::Busy { status: 503, retry_after: None }, true),
            (FeedError::Payload { place: "/".to_owned(), message: "<html>".to_owned() }, true),
            (refused(400), false),
            (refused(409), true),
            (refused(412), true),
            (refused(401), false),
            (FeedError::Configuration { message: "no file".to_owned() }, false),
        ] {
            let error = PowerError::from(error);
            let answer = PowerError::order_answer(Err(error.clone()));
            assert_eq!(error.may_pass(), may_pass, "{error}");
            assert_eq!(matches!(answer, OrderAnswer::Uncertain(_)), may_pass, "{error}");
        }
        assert!(matches!(PowerError::from(refused(403)), PowerError::Denied(_)));
        assert_eq!(PowerError::order_answer(Ok(())), OrderAnswer::Accepted);
    }
}
