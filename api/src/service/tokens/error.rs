//! Why a token is not made, renewed or revoked.

use planner::rights::Action;
use planner::time::Seconds;
use storage::{StorageError, TokenId};

use crate::service::shared::Fault;

/// Why a token is not made, renewed or revoked.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// There is none, or the caller may not know of it.
    #[error("there is no token {0}")]
    NoToken(TokenId),
    /// It has a successor already, was revoked or is over.
    #[error("the token {0} counts no more; make a new one")]
    Ended(TokenId),
    /// It would be somebody else's, or of another role, and the caller does not run the cluster.
    #[error("your tokens are your own and of the role that you ask as; operators make others")]
    NotYours,
    /// It could do what the caller may not.
    #[error(
        "the token could do more than you may: {}; name the actions that it is for in `actions`",
        .0.word()
    )]
    Wider(Action),
    /// It would end within a minute, with the token that it is made with.
    #[error(
        "the token would end within a minute, as the one that you ask with does: renew that one, or \
         make it when signed in or with a token that lasts longer"
    )]
    EndsAtOnce,
    /// It would count for longer than the token that it is made with.
    #[error(
        "the token would outlast the one that you ask with: ask for {} s at the most, or make it \
         when signed in or with a token that lasts longer",
        .most.get()
    )]
    Outlasts {
        /// For how long it may count.
        most: Seconds,
    },
    /// It is the first, lets nobody in as the local user any more, and could not make another, or not for long.
    #[error(
        "the first token ends the time of the local user, so it must be an operator's for all \
         actions and a day at least, with which others are made: leave out `role`, `actions` and \
         `expires_in_s`, or make one on the machine itself by `wattbook token create`"
    )]
    LocksOut,
    /// Its owner has so many.
    #[error(
        "{owner} has {most} tokens that count or were made within 30 days; revoking some helps later"
    )]
    TooMany {
        /// The owner.
        owner: String,
        /// How many one may have.
        most: usize,
    },
    /// What any service may meet.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<StorageError> for TokenError {
    fn from(error: StorageError) -> Self {
        Self::Fault(error.into())
    }
}
