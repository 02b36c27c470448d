//! Tokens and passwords: read from a file or the environment, never shown.

use std::fmt;
use std::path::PathBuf;

use super::scrub;

/// A token or password. Writing it shows `***`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Box<str>);

/// Where a secret is kept.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SecretSource {
    /// A file; blanks around its text do not count.
    File(PathBuf),
    /// An environment variable.
    Environment(String),
}

/// Why there is no secret.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The file cannot be read.
    #[error("cannot read the secret in {path}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why it cannot be read.
        source: std::io::Error,
    },
    /// The variable is not set, or is no text.
    #[error("the environment variable {name} with the secret is not set")]
    Environment {
        /// The name of the variable.
        name: String,
    },
    /// Nothing but blanks, or several lines.
    #[error("the secret in {place} must be one line of text")]
    Malformed {
        /// The file or variable.
        place: String,
    },
}

impl Secret {
    /// A secret from its text.
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// The text, for the request that needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// A token that was got by a secret: from now on no text shows it, until many newer ones
    /// were got.
    pub fn granted(text: &str) -> Self {
        scrub::remember_granted(text);
        Self::new(text)
    }

    /// `text` with every occurrence of the secret hidden, in whatever spelling: suppliers echo what
    /// they were sent.
    pub fn redact(&self, text: &str) -> String {
        scrub::without(&self.0, text)
    }
}

impl SecretSource {
    /// Reads the secret. From now on no text shows it that goes through [`scrub`](super::scrub).
    ///
    /// # Errors
    /// Names the file or variable, never its content.
    pub fn read(&self) -> Result<Secret, SecretError> {
        let (text, place) = match self {
            Self::File(path) => {
                let text = std::fs::read_to_string(path)
                    .map_err(|source| SecretError::File { path: path.clone(), source })?;
                (text, path.display().to_string())
            }
            Self::Environment(name) => {
                let text = std::env::var(name)
                    .map_err(|_| SecretError::Environment { name: name.clone() })?;
                (text, name.clone())
            }
        };
        let text = text.trim();
        if text.is_empty() || text.chars().any(char::is_control) {
            return Err(SecretError::Malformed { place });
        }
        scrub::remember(text);
        Ok(Secret::new(text))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_secret_never_shows() {
        let secret = Secret::new("s3cr3t");
        assert_eq!(format!("{secret} {secret:?} {:?}", Some(&secret)), "*** *** Some(***)");
        assert_eq!(secret.redact("bad token s3cr3t"), "bad token ***");
        assert_eq!(Secret::new("").redact("text"), "text");
    }

    #[test]
    fn a_secret_is_read_from_a_file_without_its_line_break() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"s3cr3t\n").unwrap();
        let source = SecretSource::File(file.path().to_owned());
        assert_eq!(source.read().unwrap(), Secret::new("s3cr3t"));
        file.write_all(b"another\n").unwrap();
        assert!(source.read().unwrap_err().to_string().contains("one line"));
        let unset = SecretSource::Environment("WATTBOOK_TEST_NO_SUCH_SECRET".into());
        assert!(unset.read().unwrap_err().to_string().contains("WATTBOOK_TEST_NO_SUCH_SECRET"));
    }
}
