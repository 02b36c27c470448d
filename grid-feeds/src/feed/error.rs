//! Why a fetch failed, and when to try again.

use std::fmt;

use planner::time::Seconds;

use super::scrub::{excerpt, scrub};

/// Why a feed has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FeedError {
    /// The supplier will not answer this question: a wrong token, zone or plan. Somebody must act.
    #[error("refused with status {status}: {message}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// What it said, shortened.
        message: String,
    },
    /// Too many requests, or closed for a while.
    #[error("busy with status {status}{}", after(*retry_after))]
    Busy {
        /// The HTTP status.
        status: u16,
        /// How long to wait, if it said so.
        retry_after: Option<Seconds>,
    },
    /// The network or the supplier's machine failed.
    #[error("no answer: {message}")]
    Transient {
        /// What happened, without secrets.
        message: String,
    },
    /// There is nothing yet for the span asked.
    #[error("not published yet: {message}")]
    NotPublished {
        /// What it said.
        message: String,
    },
    /// The answer is not what the format says.
    #[error("bad payload at {place}: {message}")]
    Payload {
        /// Line and column, or the path of the element.
        place: String,
        /// What is wrong there.
        message: String,
    },
    /// Scrambled data of a trial account.
    #[error("sandbox data, which says nothing about the grid: {message}")]
    Sandbox {
        /// How it was told.
        message: String,
    },
    /// The settings cannot work.
    #[error("configuration: {message}")]
    Configuration {
        /// What to change.
        message: String,
    },
}

/// When to ask again after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryClass {
    /// Somebody may have to act. What was refused may be taken again once a secret is mended, so it
    /// is tried ever more seldom.
    Permanent,
    /// After this time at the earliest.
    After(Seconds),
    /// Soon, then ever later.
    Backoff,
    /// At the polling rate of a publication that is awaited.
    NotYet,
}

impl FeedError {
    /// When to ask again.
    pub const fn retry(&self) -> RetryClass {
        match self {
            Self::Refused { .. } | Self::Sandbox { .. } | Self::Configuration { .. } => {
                RetryClass::Permanent
            }
            Self::Busy { retry_after: Some(wait), .. } => RetryClass::After(*wait),
            Self::Busy { retry_after: None, .. }
            | Self::Transient { .. }
            | Self::Payload { .. } => RetryClass::Backoff,
            Self::NotPublished { .. } => RetryClass::NotYet,
        }
    }

    /// This error without any secret in its words.
    #[must_use]
    pub fn scrubbed(mut self) -> Self {
        let message = match &mut self {
            Self::Refused { message, .. }
            | Self::Transient { message }
            | Self::NotPublished { message }
            | Self::Sandbox { message }
            | Self::Configuration { message } => message,
            Self::Payload { place, message } => {
                *place = scrub(place);
                message
            }
            Self::Busy { .. } => return self,
        };
        *message = scrub(message);
        self
    }

    /// The answer is about something else than was asked for: nothing of it is taken. `setting`
    /// says where somebody may look.
    pub(crate) fn mismatch(
        place: impl fmt::Display,
        asked: impl fmt::Display,
        came: &str,
        setting: &str,
    ) -> Self {
        let came =
            if came.is_empty() { "nothing".to_owned() } else { format!("{:?}", excerpt(came)) };
        let advice = format!("nothing of it is taken; check {setting} and where the source asks");
        Self::payload(place, format!("asked for {asked}, the answer says {came}: {advice}"))
    }

    pub(crate) fn payload(place: impl fmt::Display, message: impl fmt::Display) -> Self {
        Self::Payload { place: place.to_string(), message: message.to_string() }
    }

    pub(crate) fn not_published(message: impl fmt::Display) -> Self {
        Self::NotPublished { message: message.to_string() }
    }

    pub(crate) fn transient(message: impl fmt::Display) -> Self {
        Self::Transient { message: message.to_string() }
    }

    pub(crate) fn configuration(message: impl fmt::Display) -> Self {
        Self::Configuration { message: message.to_string() }
    }

    /// A document that is not JSON, or not of the shape expected.
    pub(crate) fn json(error: serde_json::Error) -> Self {
        let place = format!("line {} column {}", error.line(), error.column());
        Self::payload(place, error)
    }

    /// Civil time that the calendar does not have.
    pub(crate) fn calendar(error: jiff::Error) -> Self {
        Self::payload("a date", error)
    }
}

fn after(retry_after: Option<Seconds>) -> String {
    retry_after.map_or_else(String::new, |wait| format!(", asks to wait {} s", wait.get()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_when_to_ask_again() {
        let wait = Seconds::new(90);
        let busy = FeedError::Busy { status: 429, retry_after: Some(wait) };
        assert_eq!(busy.retry(), RetryClass::After(wait));
        assert_eq!(busy.to_string(), "busy with status 429, asks to wait 90 s");
        let refused = FeedError::Refused { status: 401, message: "bad token".into() };
        assert_eq!(refused.retry(), RetryClass::Permanent);
        assert_eq!(FeedError::not_published("no data").retry(), RetryClass::NotYet);
        assert_eq!(FeedError::payload("line 1", "truncated").retry(), RetryClass::Backoff);
    }
}
