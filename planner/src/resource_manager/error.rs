//! Why the resource manager did not do what it was asked.

/// Why the resource manager did not do what it was asked. Each case says what helps.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ManagerError {
    /// It cannot be reached, or answers that it is in trouble: trying again helps.
    #[error("the resource manager cannot be reached: {0}")]
    Unreachable(String),
    /// It does not accept who asks: only another token or other rights help.
    #[error("the resource manager does not accept the service's user or token: {0}")]
    Denied(String),
    /// It answered no: asking for something else helps.
    #[error("the resource manager refused: {message}")]
    Refused {
        /// Its own number for the reason, where it gave one.
        code: Option<i64>,
        /// In its words.
        message: String,
    },
    /// What is asked for does not exist there.
    #[error("the resource manager does not know {0}")]
    Unknown(String),
    /// This version of it cannot do that.
    #[error("{0}")]
    Unsupported(String),
    /// Its answer cannot be read.
    #[error("the resource manager's answer cannot be read: {0}")]
    Unreadable(String),
}

impl ManagerError {
    /// Whether the same question may be answered later.
    pub const fn may_pass(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::Unreadable(_))
    }
}
