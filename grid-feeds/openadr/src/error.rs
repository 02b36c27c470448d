//! Why the supplier's server was not understood, and when to try again.

use grid_feeds::feed::{FeedError, RetryClass};

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
    /// There is no token for us: our name or secret is wrong, or was changed at one end only.
    #[error("the server gives us no token ({0}); check client_id and client_secret")]
    Credentials(FeedError),
    /// The server refuses a token that it has just given.
    #[error("the server refuses the token that it has just given")]
    StaleToken,
    /// There is no such program, or we may not see it.
    #[error("the server shows no program {name:?}; is the name right, and are we enrolled?")]
    NoProgram {
        /// The program's name in the settings.
        name: String,
    },
    /// Reports need an event that is not over.
    #[error(
        "the program has no open event that a report of {what} could answer: none asks for it, and \
         an event that limits or grants power could not be deleted with a report to it; ask the \
         supplier for an event with a report descriptor of {what}"
    )]
    NoEvent {
        /// The payload type.
        what: &'static str,
    },
}

impl VenError {
    /// When to try again. Only what is wrong with a request itself stays wrong: who we are, what we
    /// may and where things are is for people at both ends to mend, without our being told.
    pub const fn retry(&self) -> RetryClass {
        match self {
            Self::Contact(FeedError::Refused { status: 400 | 413 | 415 | 422, .. }) => {
                RetryClass::Permanent
            }
            Self::Contact(FeedError::Refused { .. })
            | Self::Credentials(_)
            | Self::Conflict { .. }
            | Self::StaleToken => RetryClass::Backoff,
            Self::Contact(error) => error.retry(),
            Self::NoProgram { .. } | Self::NoEvent { .. } => RetryClass::NotYet,
        }
    }

    /// Whether the server does not have what was asked for.
    pub(crate) const fn is_not_found(&self) -> bool {
        matches!(self, Self::Contact(FeedError::Refused { status: 404, .. }))
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
            VenError::Credentials(FeedError::Refused { status, .. }) => {
                Self::Refused { status, message }
            }
            VenError::Credentials(_) => Self::Configuration { message },
            VenError::Conflict { .. } | VenError::StaleToken => Self::Transient { message },
            VenError::NoProgram { .. } | VenError::NoEvent { .. } => Self::NotPublished { message },
        }
    }
}
