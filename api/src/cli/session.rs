//! Who is signed in at which service: tokens of issuers, in a file that only its user may read.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::service::sign_in::GivenTokens;

/// A token with less time left is renewed before it is sent.
const LEAST_LEFT_S: i64 = 30;

/// Somebody who signed in at a service.
#[derive(Clone, Serialize, Deserialize)]
pub struct Session {
    /// The issuer that gave the tokens.
    pub issuer: String,
    /// What is sent.
    pub access_token: String,
    /// Until when it counts, in Unix seconds; absent where the issuer does not say so.
    pub expires_s: Option<i64>,
    /// For newer tokens.
    pub refresh_token: Option<String>,
}

/// The file, and the service that is asked.
pub struct SessionFile {
    path: PathBuf,
    service: String,
}

/// Nobody else changes the file meanwhile.
pub struct Locked<'a> {
    file: &'a SessionFile,
    _lock: File,
}

impl Session {
    /// Tokens as they came just now; what the issuer leaves out stays.
    pub fn of(issuer: &str, tokens: GivenTokens, before: Option<&Self>) -> Self {
        let now = Clock::default().now().as_unix_seconds();
        let lasts = tokens.expires_in.and_then(|it| i64::try_from(it).ok());
        Self {
            issuer: issuer.to_owned(),
            access_token: tokens.access_token,
            expires_s: lasts.map(|it| now.saturating_add(it)),
            refresh_token: (tokens.refresh_token)
                .or_else(|| before.and_then(|it| it.refresh_token.clone())),
        }
    }

    /// Whether its token counts for a while.
    pub fn is_fresh(&self) -> bool {
        let now = Clock::default().now().as_unix_seconds();
        self.expires_s.is_none_or(|expires| expires - now >= LEAST_LEFT_S)
    }
}

impl SessionFile {
    /// The user's file; `None` where they have no folder for it.
    pub fn of(service: &str) -> Option<Self> {
        let folder =
            |name: &str| std::env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
        let state = folder("XDG_STATE_HOME")
            .or_else(|| folder("HOME").map(|home| home.join(".local/state")))?;
        Some(Self { path: state.join("wattbook/sessions.json"), service: service.to_owned() })
    }

    /// Who is signed in.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(&self) -> anyhow::Result<Option<Session>> {
        Ok(self.all()?.remove(&self.service))
    }

    /// Waits until nobody else changes the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn lock(&self) -> anyhow::Result<Locked<'_>> {
        let lock = || {
            if let Some(folder) = self.path.parent() {
                fs::create_dir_all(folder)?;
            }
            let lock = private().truncate(false).open(self.path.with_extension("lock"))?;
            lock.lock()?;
            Ok::<File, std::io::Error>(lock)
        };
        Ok(Locked { file: self, _lock: lock().with_context(|| self.wrong())? })
    }

    fn all(&self) -> anyhow::Result<BTreeMap<String, Session>> {
        match fs::read_to_string(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(error) => Err(error).with_context(|| self.wrong()),
            Ok(text) => serde_json::from_str(&text).with_context(|| {
                format!("{} is damaged; remove it and sign in again", self.path.display())
            }),
        }
    }

    fn wrong(&self) -> String {
        format!("cannot use {}, where sign-ins are kept", self.path.display())
    }
}

impl Locked<'_> {
    /// Keeps who is signed in, or that nobody is.
    ///
    /// # Errors
    /// The file cannot be written; it is as before.
    pub fn write(&self, session: Option<&Session>) -> anyhow::Result<()> {
        let mut all = self.file.all()?;
        match session {
            Some(session) => all.insert(self.file.service.clone(), session.clone()),
            None => all.remove(&self.file.service),
        };
        let path = &self.file.path;
        let written = || {
            let next = path.with_extension("next");
            let mut file = private().truncate(true).open(&next)?;
            file.write_all(serde_json::to_string_pretty(&all)?.as_bytes())?;
            file.sync_all()?;
            fs::rename(&next, path)
        };
        written().with_context(|| self.file.wrong())
    }
}

/// A file for its user alone.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(token: &str, left_s: Option<i64>) -> Session {
        let now = Clock::default().now().as_unix_seconds();
        Session {
            issuer: "https://id.example.org".to_owned(),
            access_token: token.to_owned(),
            expires_s: left_s.map(|left| now + left),
            refresh_token: Some("r".to_owned()),
        }
    }

    #[test]
    fn a_token_is_renewed_before_it_is_over() {
        assert!(session("a", Some(60)).is_fresh());
        assert!(!session("a", Some(20)).is_fresh());
        assert!(!session("a", Some(-20)).is_fresh());
        assert!(session("a", None).is_fresh());
        let tokens = |refresh_token: Option<&str>| GivenTokens {
            access_token: "b".to_owned(),
            expires_in: Some(600),
            refresh_token: refresh_token.map(str::to_owned),
        };
        let before = session("a", Some(20));
        let renewed = Session::of("https://id.example.org", tokens(None), Some(&before));
        assert!(renewed.is_fresh() && renewed.refresh_token.as_deref() == Some("r"));
        let renewed = Session::of("https://id.example.org", tokens(Some("s")), Some(&before));
        assert_eq!(renewed.refresh_token.as_deref(), Some("s"));
    }

    #[test]
    fn services_are_apart_and_others_cannot_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wattbook/sessions.json");
        let of = |service: &str| SessionFile { path: path.clone(), service: service.to_owned() };
        let (one, other) = (of("http://one"), of("http://other"));
        assert!(one.read().unwrap().is_none());
        one.lock().unwrap().write(Some(&session("a", None))).unwrap();
        other.lock().unwrap().write(Some(&session("b", None))).unwrap();
        assert_eq!(one.read().unwrap().unwrap().access_token, "a");
        one.lock().unwrap().write(None).unwrap();
        assert!(one.read().unwrap().is_none());
        assert_eq!(other.read().unwrap().unwrap().access_token, "b");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        fs::write(&path, "nonsense").unwrap();
        assert!(one.read().err().unwrap().to_string().contains("sign in again"));
    }
}
