//! A real mail server with TLS, `aiosmtpd`, that keeps what it is given, and a service that sends to it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::cluster::{instant, now};
use crate::peers::script;
use crate::server::Server;
use crate::site::Site;

/// A mail server; it is killed when dropped.
pub struct MailServer {
    child: Child,
    folder: TempDir,
    port: u16,
    tls: &'static str,
}

impl MailServer {
    /// A server with a certificate of its own for `localhost`. TLS begins as the settings call it: `starttls`, `implicit`.
    pub fn start(python: &Path, tls: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        std::fs::write(folder.path().join("cert.pem"), made.cert.pem()).unwrap();
        std::fs::write(folder.path().join("key.pem"), made.signing_key.serialize_pem()).unwrap();
        let mut command = Command::new(python);
        command.arg(script("mail_server.py")).arg(folder.path()).arg(tls);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim().parse().unwrap_or_else(|_| panic!("the mail server says {line:?}"));
        Self { child, folder, port, tls }
    }

    /// The certificate that it shows.
    pub fn certificate(&self) -> PathBuf {
        self.folder.path().join("cert.pem")
    }

    /// What it was given, in its order.
    pub fn mails(&self) -> Vec<Value> {
        let path = |number: usize| self.folder.path().join(format!("{number}.json"));
        let texts = (1..).map_while(|number| std::fs::read_to_string(path(number)).ok());
        texts.map(|text| serde_json::from_str(&text).unwrap()).collect()
    }

    /// Waits for a mail whose subject has these words.
    pub async fn until(&self, words: &str) -> Value {
        for _ in 0..600 {
            let found =
                self.mails().into_iter().find(|mail| header(mail, "Subject").contains(words));
            if let Some(found) = found {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("no mail says {words:?}: {:#?}", self.mails());
    }

    /// The settings of a service that sends here and trusts a certificate.
    pub fn settings(&self, site: &Site, certificate: &Path) -> String {
        std::fs::write(site.folder().join("password"), "pa55word\n").unwrap();
        format!(
            "[mail]\nserver = \"localhost\"\nport = {}\ntls = \"{}\"\nuser = \"wattbook\"\n\
             password = {{ file = \"password\" }}\nfrom = \"Wattbook <wattbook@site.example>\"\n\
             ca_file = '{}'\n",
            self.port,
            self.tls,
            certificate.display()
        )
    }

    /// The service on a site, which sends here and trusts a certificate, by a clock.
    pub async fn serve(&self, site: &Site, certificate: &Path, clock: &str) -> Server {
        let settings = format!(
            "feed_lease_s = 10\ntime_zone = \"Europe/Paris\"\npublic_url = \"https://wattbook.example\"\n{}",
            self.settings(site, certificate)
        );
        std::fs::write(site.folder().join("wattbook.toml"), settings).unwrap();
        site.serve_with(&["--config", "wattbook.toml", "--clock", clock]).await
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A clock of which so many seconds pass in one.
pub fn clock(rate: u32) -> String {
    let begin = instant(now());
    format!("{begin}={begin}@{rate}")
}

/// A header of a mail.
pub fn header<'a>(mail: &'a Value, name: &str) -> &'a str {
    let headers = mail["headers"].as_array().unwrap();
    let found = headers.iter().find(|it| it[0] == name);
    found.unwrap_or_else(|| panic!("no {name} in {mail:#}"))[1].as_str().unwrap()
}

/// The text of a mail.
pub fn text(mail: &Value) -> &str {
    mail["text"].as_str().unwrap()
}
