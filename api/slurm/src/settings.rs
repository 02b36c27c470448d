//! Where Slurm is, and who asks it.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use url::Url;

use crate::token::TokenSource;

/// Where Slurm is, who asks it, and how long to wait for it.
#[derive(Clone, Debug)]
pub struct SlurmSettings {
    /// Where slurmrestd listens. Nothing can be read without it.
    pub rest: Option<RestAddress>,
    /// The user in whose name is asked; making reservations takes Slurm's own user, root or an operator.
    pub user: String,
    /// What this user shows.
    pub token: TokenSource,
    /// The command `scontrol`, for what slurmrestd cannot do in this version. It shows the same token, so that
    /// rights do not depend on who runs the service; this host needs Slurm's plugin `auth/jwt` for it.
    pub scontrol: Option<PathBuf>,
    /// The `slurm.conf` that `scontrol` reads; the one of its build unless given.
    pub slurm_conf: Option<PathBuf>,
    /// How long one answer, or one run of `scontrol`, may take as a whole.
    pub timeout: Duration,
    /// Whether jobs that ended are asked of slurmdbd.
    pub accounting: bool,
}

/// Where slurmrestd listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestAddress {
    /// At a Unix socket.
    Unix(PathBuf),
    /// At a port, with or without TLS.
    Http(Url),
}

/// Why a text is not an address of slurmrestd.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not where slurmrestd can be: unix:/path/of/its.socket, http://host:port or \
     https://host:port, without a user, a query or a path"
)]
pub struct RestAddressError(String);

impl FromStr for RestAddress {
    type Err = RestAddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = || RestAddressError(text.to_owned());
        if let Some(path) = text.strip_prefix("unix:") {
            return if path.starts_with('/') {
                Ok(Self::Unix(path.into()))
            } else {
                Err(refused())
            };
        }
        let url = Url::parse(text).map_err(|_| refused())?;
        let is_plain = matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none()
            && url.path() == "/";
        if is_plain { Ok(Self::Http(url)) } else { Err(refused()) }
    }
}

impl fmt::Display for RestAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Http(url) => f.write_str(url.as_str().trim_end_matches('/')),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_socket_or_a_port() {
        for (text, read) in [
            ("unix:/run/slurmrestd.socket", "unix:/run/slurmrestd.socket"),
            ("http://127.0.0.1:6820", "http://127.0.0.1:6820"),
            ("https://slurm.example.org/", "https://slurm.example.org"),
            ("http://[::1]:6820", "http://[::1]:6820"),
        ] {
            assert_eq!(text.parse::<RestAddress>().unwrap().to_string(), read, "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "unix:run/socket",
            "/run/slurmrestd.socket",
            "127.0.0.1:6820",
            "ftp://host",
            "http://user:secret@host:6820",
            "http://host:6820/slurm",
            "http://host:6820?token=x",
        ] {
            assert!(text.parse::<RestAddress>().is_err(), "{text}");
        }
    }
}
