//! Why the supplier's server was not understood, and when to try again.

use grid_feeds::feed::{FeedError, RetryClass};

use crate::map::MapError;

/// Why something did not come about.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VenError {
    /// No answer, or none that is a success.
    #[error(transparent)]
    Contact(FeedError),
    /// The server has something else than we thought: an event that is gone, a name that is taken.
    #[error("the server refuses it as it stands: {message}")]
    Conflict {
        /// What it said, shortened.
        message: String,
    },
    /// The server refuses a token that it has just given.
    #[error("the server refuses the token that it has just given")]
    StaleToken,
    /// There is no such program, or we may not see it.
    #[error("the server shows no program {name:?}; is the name right, and are we enrolled?")]
    NoProgram {
        /// Its name.
        name: String,
    },
    /// Reports need an event that is not over.
    #[error("the program has no open event that a report of {what} could answer")]
    NoEvent {
        /// The payload type.
        what: &'static str,
    },
    /// Events that cannot be read.
    #[error(transparent)]
    Events(#[from] MapError),
}

impl VenError {
    /// When to try again.
    pub const fn retry(&self) -> RetryClass {
        match self {
            Self::Contact(error) => error.retry(),
            Self::Conflict { .. } | Self::StaleToken | Self::Events(_) => RetryClass::Backoff,
            Self::NoProgram { .. } | Self::NoEvent { .. } => RetryClass::NotYet,
        }
    }

    /// Whether the server answered at all.
    pub const fn was_answered(&self) -> bool {
        !matches!(self, Self::Contact(FeedError::Transient { .. }))
    }

    pub(crate) fn payload(place: &str, message: impl std::fmt::Display) -> Self {
        Self::Contact(FeedError::Payload { place: place.to_owned(), message: message.to_string() })
    }

    pub(crate) fn configuration(message: impl std::fmt::Display) -> Self {
        Self::Contact(FeedError::Configuration { message: message.to_string() })
    }

    pub(crate) fn transient(message: impl std::fmt::Display) -> Self {
        Self::Contact(FeedError::Transient { message: message.to_string() })
    }
}

impl From<FeedError> for VenError {
    fn from(error: FeedError) -> Self {
        Self::Contact(error)
    }
}

impl From<VenError> for FeedError {
    fn from(error: VenError) -> Self {
        let message = error.to_string();
        match error {
            VenError::Contact(error) => error,
            VenError::Events(error) => error.into(),
            VenError::Conflict { .. } | VenError::StaleToken => Self::Transient { message },
            VenError::NoProgram { .. } | VenError::NoEvent { .. } => Self::NotPublished { message },
        }
    }
}
