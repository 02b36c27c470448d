//! Why a site says nothing.

use std::time::Duration;

/// Why there is no answer of a site, in words that say what helps.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum Silence {
    /// No answer within the time.
    #[error("no answer within {:.1} s; it is asked again with the next request", after.as_secs_f64())]
    Slow { after: Duration },
    /// There is no connection: it heard nothing.
    #[error("cannot be reached ({0}); ask those who run it whether it is up, or ask again later")]
    Unreachable(String),
    /// The connection broke off: it may have heard.
    #[error("the connection broke off ({0}); ask again later")]
    Lost(String),
    /// It failed.
    #[error("it failed with status {status} ({detail}); ask again later")]
    Failed { status: u16, detail: String },
    /// It failed before, and is left alone for a while.
    #[error("failed several times in turn and is left alone for {} s more", left.as_secs() + 1)]
    Paused { left: Duration },
    /// Too much is asked of it at a time.
    #[error("is being asked too much at a time by this site; ask again in a moment")]
    Busy,
}

impl Silence {
    /// Whether a site that is up says so: it has no room for more requests of this site.
    pub(super) const fn is_of_site_that_is_up(&self) -> bool {
        matches!(self, Self::Failed { status: 429, .. })
    }
}
