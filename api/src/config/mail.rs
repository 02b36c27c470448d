//! Settings of mails to users: `[mail]`. See `docs/NOTIFICATIONS.md`.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, ensure};
use grid_feeds::feed::SecretSource;
use lettre::message::Mailbox;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, CertificateStore, Tls, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::{AsyncSmtpTransport, Tokio1Executor};
use serde::Deserialize;

/// A server that takes longer for a step is given up for this time.
const PATIENCE: Duration = Duration::from_secs(30);

/// How mails are sent.
#[derive(Clone, Debug)]
pub struct MailSettings {
    /// The server that takes them, over TLS.
    pub server: AsyncSmtpTransport<Tokio1Executor>,
    /// Who they are from.
    pub from: Mailbox,
}

/// What the file says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MailFields {
    server: String,
    port: Option<u16>,
    #[serde(default)]
    tls: TlsBegin,
    user: Option<String>,
    password: Option<SecretSource>,
    from: String,
    ca_file: Option<PathBuf>,
}

/// When TLS begins. There are no mails without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TlsBegin {
    /// After the server was asked to (RFC 3207); a server that refuses gets nothing.
    #[default]
    Starttls,
    /// With the connection (RFC 8314).
    Implicit,
}

impl TlsBegin {
    /// The usual port.
    const fn port(self) -> u16 {
        match self {
            Self::Starttls => 587,
            Self::Implicit => 465,
        }
    }
}

impl MailSettings {
    /// Reads `[mail]`.
    ///
    /// # Errors
    /// What cannot work, by name.
    pub fn read(fields: MailFields) -> anyhow::Result<Self> {
        ensure!(!fields.server.trim().is_empty(), "server must be the name of a mail server");
        let from: Mailbox = fields.from.parse().with_context(|| {
            format!(
                "from = {:?} must be an address such as \"Wattbook <wattbook@site.example>\"",
                fields.from
            )
        })?;
        let mut tls = TlsParameters::builder(fields.server.clone());
        if let Some(path) = &fields.ca_file {
            let named = || format!("ca_file = {:?}", path.display().to_string());
            let text = std::fs::read(path).with_context(named)?;
            let certificate = Certificate::from_pem(&text).with_context(named)?;
            tls = tls.certificate_store(CertificateStore::None).add_root_certificate(certificate);
        }
        let tls = tls.build_rustls().context("TLS cannot be set up")?;
        let domain = from.email.domain().to_owned();
        let mut server = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(fields.server)
            .port(fields.port.unwrap_or_else(|| fields.tls.port()))
            .tls(match fields.tls {
                TlsBegin::Starttls => Tls::Required(tls),
                TlsBegin::Implicit => Tls::Wrapper(tls),
            })
            .hello_name(ClientId::Domain(domain))
            .timeout(Some(PATIENCE));
        match (fields.user, fields.password) {
            (Some(user), Some(password)) => {
                let password = password.read().context("password")?;
                server = server.credentials(Credentials::new(user, password.expose().to_owned()));
            }
            (None, None) => {}
            _ => anyhow::bail!("user and password go together: name both or neither"),
        }
        Ok(Self { server: server.build(), from })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<MailSettings, String> {
        let fields = toml::from_str(text).map_err(|error| error.to_string())?;
        MailSettings::read(fields).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn what_cannot_work_is_named() {
        let usual = "server = \"localhost\"\nfrom = \"wattbook@site.example\"\n";
        for (text, named) in [
            ("from = \"wattbook@site.example\"".to_owned(), "server"),
            ("server = \"\"\nfrom = \"wattbook@site.example\"".to_owned(), "server"),
            ("server = \"localhost\"\nfrom = \"wattbook\"".to_owned(), "from"),
            (format!("{usual}tls = \"none\""), "none"),
            (format!("{usual}user = \"wattbook\""), "user and password"),
            (format!("{usual}ca_file = \"/no/file\""), "/no/file"),
            (
                format!("{usual}user = \"wattbook\"\npassword = {{ file = \"/no/file\" }}"),
                "password",
            ),
        ] {
            let error = read(&text).unwrap_err();
            assert!(error.contains(named), "{text}: {error}");
        }
    }

    #[test]
    fn a_certificate_of_the_site_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.pem");
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        std::fs::write(&path, made.cert.pem()).unwrap();
        let text = format!(
            "server = \"localhost\"\ntls = \"implicit\"\nca_file = {path:?}\n\
             from = \"Wattbook of Lyon <wattbook@site.example>\"\n"
        );
        assert_eq!(read(&text).unwrap().from.email.to_string(), "wattbook@site.example");
    }
}
