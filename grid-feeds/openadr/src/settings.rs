//! What the site says of its supplier's server.

use grid_feeds::feed::SecretSource;
use url::Url;

/// The section `[openadr]` of the settings file.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Of the server; programs are at `programs` below it.
    pub base_url: Url,
    /// For the token: the client's name.
    pub client_id: String,
    /// For the token: its secret.
    pub client_secret: SecretSource,
    /// Where tokens are; what the server says at `auth/server` unless given.
    pub token_url: Option<Url>,
    /// What this site is called, in reports too.
    pub ven_name: String,
    /// The name of the supplier's program.
    pub program: String,
    /// Events for these targets are ours; all that the server lets us read unless given.
    #[serde(default)]
    pub targets: Vec<String>,
    /// What reports are about; `AGGREGATED_REPORT` unless given.
    pub resource: Option<String>,
    /// Seconds between polls.
    #[serde(default = "every_minute")]
    pub poll_every_s: u32,
    /// Notifications are listened for where the server offers them.
    #[serde(default = "yes")]
    pub push: bool,
}

const fn every_minute() -> u32 {
    60
}

const fn yes() -> bool {
    true
}

impl Settings {
    /// What is wrong with them, with the name of the setting.
    ///
    /// # Errors
    /// Names the setting and what it must be.
    pub fn check(&self) -> Result<(), String> {
        for (name, text) in [
            ("client_id", &self.client_id),
            ("ven_name", &self.ven_name),
            ("program", &self.program),
        ] {
            if !(1..=128).contains(&text.len()) || text.chars().any(char::is_control) {
                return Err(format!("{name} must have 1 to 128 characters"));
            }
        }
        if let Some(resource) = &self.resource
            && !(1..=128).contains(&resource.len())
        {
            return Err("resource must have 1 to 128 characters".to_owned());
        }
        for (name, url) in
            [("base_url", Some(&self.base_url)), ("token_url", self.token_url.as_ref())]
        {
            let Some(url) = url else { continue };
            if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
                return Err(format!("{name} must begin with https:// or http://"));
            }
            if !url.username().is_empty() || url.password().is_some() {
                return Err(format!("{name} must not have a password; see client_secret"));
            }
        }
        if !(1..=86_400).contains(&self.poll_every_s) {
            return Err("poll_every_s must lie between 1 and 86400".to_owned());
        }
        Ok(())
    }

    /// The base with a slash at its end, so that paths are joined below it.
    pub(crate) fn base(&self) -> Url {
        let mut base = self.base_url.clone();
        if !base.path().ends_with('/') {
            base.set_path(&format!("{}/", base.path()));
        }
        base
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(base_url: &str) -> Settings {
        let text = format!(
            "base_url = {base_url:?}\nclient_id = \"c\"\nclient_secret = {{ file = \"s\" }}\n\
             ven_name = \"site\"\nprogram = \"power\""
        );
        toml::from_str(&text).unwrap()
    }

    #[test]
    fn paths_are_joined_below_the_base() {
        for base in ["https://vtn.example/openadr3/3.1.0", "https://vtn.example/openadr3/3.1.0/"] {
            let joined = settings(base).base().join("events").unwrap();
            assert_eq!(joined.as_str(), "https://vtn.example/openadr3/3.1.0/events");
        }
    }

    #[test]
    fn addresses_with_passwords_and_of_other_schemes_are_refused() {
        assert_eq!(settings("https://vtn.example").check(), Ok(()));
        let password = settings("https://me:secret@vtn.example").check().unwrap_err();
        assert!(password.contains("client_secret") && !password.contains("secret@"), "{password}");
        assert!(settings("ftp://vtn.example").check().unwrap_err().contains("base_url"));
    }
}
