//! Who a command asks a service as. Tokens are no arguments: everybody on a machine can read those.
#![expect(
    clippy::doc_markdown,
    reason = "doc comments on arguments are help texts, shown as they are"
)]

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use grid_feeds::feed::Secret;

/// Who asks a service.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Identity {
    /// A file with the API token; without it the token is the environment's WATTBOOK_TOKEN, if the service wants one
    #[arg(long, env = "WATTBOOK_TOKEN_FILE", value_name = "FILE")]
    pub token_file: Option<PathBuf>,
}

impl Identity {
    /// The token, if there is one.
    ///
    /// # Errors
    /// Where its file cannot be read.
    pub fn token(&self) -> anyhow::Result<Option<Secret>> {
        let text = match &self.token_file {
            Some(path) => Some(
                fs::read_to_string(path)
                    .with_context(|| format!("cannot read the token from {}", path.display()))?,
            ),
            None => std::env::var("WATTBOOK_TOKEN").ok(),
        };
        Ok(text.as_deref().map(str::trim).filter(|it| !it.is_empty()).map(Secret::new))
    }
}
