//! What the asker shows to Slurm: a text, the content of a file, or a token made of Slurm's own key.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use planner::resource_manager::ManagerError;
use serde_json::json;
use sha2::Sha256;

/// A token of Slurm is no longer than this; slurmrestd takes no longer headers.
const MAX_TOKEN_BYTES: usize = 8192;

/// Slurm's keys have 32 bytes or a few hundred.
const MAX_KEY_BYTES: usize = 65536;

/// A token, which is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(Box<str>);

/// Where tokens come from.
#[derive(Clone, Debug)]
pub enum TokenSource {
    /// One that stays.
    Fixed(Token),
    /// A file with a token, which somebody else renews; it is read for each request.
    File(PathBuf),
    /// Slurm's key for `auth/jwt`, of which each request gets a token of its own.
    Key {
        /// The file of the key.
        file: PathBuf,
        /// How long each token is good for.
        lifetime: Duration,
    },
}

impl Token {
    /// A token of this text, without space around it.
    ///
    /// # Errors
    /// Refuses what is empty, longer than 8 KiB, or not one line of visible ASCII; says nothing of the text.
    pub fn new(text: &str) -> Result<Self, ManagerError> {
        Self::checked(text).map_err(|wrong| ManagerError::Denied(format!("the token {wrong}")))
    }

    /// The token, or what is wrong with its text.
    fn checked(text: &str) -> Result<Self, &'static str> {
        let text = text.trim();
        if text.is_empty() {
            Err("is empty")
        } else if text.len() > MAX_TOKEN_BYTES {
            Err("is longer than 8 KiB")
        } else if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            Err("is not one line of visible ASCII")
        } else {
            Ok(Self(text.into()))
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl TokenSource {
    /// A token for one request of `user`.
    ///
    /// # Errors
    /// Denied where the file cannot be read or holds no token.
    pub(crate) async fn token(&self, user: &str) -> Result<Token, ManagerError> {
        match self {
            Self::Fixed(token) => Ok(token.clone()),
            Self::File(file) => {
                let text = String::from_utf8(read(file, MAX_TOKEN_BYTES).await?);
                let text = text.map_err(|_| in_file(file, "is not text"))?;
                Token::checked(&text).map_err(|wrong| in_file(file, wrong))
            }
            Self::Key { file, lifetime } => {
                let key = read(file, MAX_KEY_BYTES).await?;
                if key.is_empty() {
                    return Err(in_file(file, "is empty"));
                }
                minted(&key, user, unix_seconds(), lifetime.as_secs())
            }
        }
    }
}

async fn read(file: &Path, limit: usize) -> Result<Vec<u8>, ManagerError> {
    let bytes = tokio::fs::read(file).await;
    let bytes = bytes.map_err(|error| in_file(file, &format!("cannot be read: {error}")))?;
    if bytes.len() > limit { Err(in_file(file, "is too long")) } else { Ok(bytes) }
}

fn in_file(file: &Path, what: &str) -> ManagerError {
    ManagerError::Denied(format!("the file {} of the token or key: {what}", file.display()))
}

/// A JSON Web Token that Slurm's `auth/jwt` accepts from whoever holds its key: HS256, with the user in
/// `sun`. Two encodings and a digest need no library of their own.
fn minted(key: &[u8], user: &str, now: u64, lifetime: u64) -> Result<Token, ManagerError> {
    let header = json!({"alg": "HS256", "typ": "JWT"});
    let claims = json!({"iat": now, "exp": now.saturating_add(lifetime), "sun": user});
    let encoded = |value: &serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", encoded(&header), encoded(&claims));
    let mac = Hmac::<Sha256>::new_from_slice(key);
    let mut mac = mac.map_err(|_| ManagerError::Denied("the key cannot sign".to_owned()))?;
    mac.update(signed.as_bytes());
    let signature = URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
    Token::new(&format!("{signed}.{signature}"))
}

#[expect(
    clippy::disallowed_methods,
    reason = "tokens end by the world's time; no plan rests on it"
)]
fn unix_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_one_line_and_is_never_shown() {
        let token = Token::new(" abc.def\n").unwrap();
        assert_eq!(token.text(), "abc.def");
        assert_eq!(format!("{:?}", TokenSource::Fixed(token)), "Fixed(***)");
        let long = "xyzzy".repeat(2000);
        for text in ["", " \n", "xyzzy\nplugh", "xyzzy plugh", "xyzzyü", &long] {
            let error = Token::new(text).unwrap_err().to_string();
            assert!(!error.contains("xyzzy"), "{error}");
        }
    }

    /// The signature is what Python's hmac makes of header, claims and key.
    #[test]
    fn a_token_is_made_of_a_key_for_a_user_and_a_time() {
        let token = minted(b"secret\n", "root", 1_795_368_496, 300).unwrap();
        let parts: Vec<_> = token.text().split('.').collect();
        assert_eq!(
            parts,
            [
                "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", // {"alg":"HS256","typ":"JWT"}
                // {"iat":1795368496,"exp":1795368796,"sun":"root"}
                "eyJpYXQiOjE3OTUzNjg0OTYsImV4cCI6MTc5NTM2ODc5Niwic3VuIjoicm9vdCJ9",
                "I0zHl2pAJtX87StQEeskCVIcdo-LjmcNLkZERMoRgaY",
            ]
        );
    }

    #[tokio::test]
    async fn a_files_token_is_the_one_that_stands_in_it_now() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let source = TokenSource::File(file.path().to_owned());
        for text in ["first", "second"] {
            std::fs::write(file.path(), format!("{text}\n")).unwrap();
            assert_eq!(source.token("root").await.unwrap().text(), text);
        }
        std::fs::write(file.path(), "").unwrap();
        let denied = source.token("root").await.unwrap_err();
        assert!(matches!(&denied, ManagerError::Denied(it) if it.contains("is empty")), "{denied}");
        let gone = TokenSource::File("/nonexistent/token".into()).token("root").await.unwrap_err();
        assert!(matches!(&gone, ManagerError::Denied(it) if it.contains("/nonexistent")), "{gone}");
    }
}
