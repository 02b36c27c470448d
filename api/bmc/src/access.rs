//! What the asker shows: nothing, a token, or a user with a password.

use grid_feeds::feed::{FeedError, Secret, SecretSource};
use reqwest::RequestBuilder;

/// Who asks. Secrets are read from their file or variable for each question, so that new ones count at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Anybody may ask.
    #[default]
    Open,
    /// Who has this token (RFC 6750).
    Bearer(SecretSource),
    /// A user with this password (RFC 7617).
    Basic {
        /// The user's name.
        user: String,
        /// The password.
        password: SecretSource,
    },
}

impl Access {
    /// The secret, where one is shown.
    ///
    /// # Errors
    /// Where it cannot be read; its text is not told.
    pub fn secret(&self) -> Result<Option<Secret>, FeedError> {
        let source = match self {
            Self::Open => return Ok(None),
            Self::Bearer(source) | Self::Basic { password: source, .. } => source,
        };
        let told = |error| FeedError::Configuration { message: words(&error) };
        source.read().map(Some).map_err(told)
    }

    /// A request that shows the secret.
    pub fn shown(&self, request: RequestBuilder, secret: Option<&Secret>) -> RequestBuilder {
        match (self, secret) {
            (Self::Bearer(_), Some(token)) => request.bearer_auth(token.expose()),
            (Self::Basic { user, .. }, Some(password)) => {
                request.basic_auth(user, Some(password.expose()))
            }
            _ => request,
        }
    }
}

/// An error and its causes.
fn words(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        words = format!("{words}: {error}");
        cause = error.source();
    }
    words
}
