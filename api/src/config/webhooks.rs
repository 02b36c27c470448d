//! Settings of webhooks that are told events: `[[webhooks]]`. See `docs/API-DESIGN.md`.

use anyhow::{Context, ensure};
use grid_feeds::feed::{Secret, SecretSource};
use grid_feeds::webhook::Webhook;
use planner::node::{NAME_RULE, is_name};
use serde::Deserialize;
use storage::EVENT_KINDS;

/// Stands for every event, and after a subject and its dot for all of that subject.
const ALL: &str = "*";

/// An address that is told events.
#[derive(Clone, Debug)]
pub struct EventWebhook {
    /// Its name: how far it is told is kept under it.
    pub id: String,
    /// Where events are sent.
    pub webhook: Webhook,
    /// Which events, as the settings say: kinds, `subject.*`, or `*`.
    pub events: Vec<String>,
}

/// What the file says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventWebhookFields {
    id: String,
    url: String,
    secret: SecretSource,
    events: Option<Vec<String>>,
}

/// Whether secrets are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrets {
    /// Each must be there.
    Needed,
    /// None is read: what comes of it signs nothing.
    LeftOut,
}

impl EventWebhook {
    /// Reads all `[[webhooks]]`.
    ///
    /// # Errors
    /// What cannot work, with the name of the webhook.
    pub fn read_all(
        fields: Vec<EventWebhookFields>,
        secrets: Secrets,
    ) -> anyhow::Result<Vec<Self>> {
        let mut all: Vec<Self> = Vec::new();
        for fields in fields {
            ensure!(is_name(&fields.id), "[[webhooks]]: id {:?} {NAME_RULE}", fields.id);
            let id = fields.id.clone();
            ensure!(all.iter().all(|it| it.id != id), "[[webhooks]]: two have the id {id:?}");
            all.push(Self::read(fields, secrets).with_context(|| format!("webhook {id:?}"))?);
        }
        Ok(all)
    }

    fn read(fields: EventWebhookFields, secrets: Secrets) -> anyhow::Result<Self> {
        let events = fields.events.unwrap_or_else(|| vec![ALL.to_owned()]);
        ensure!(!events.is_empty(), "events names none; leave it out for all of them");
        for pattern in &events {
            ensure!(
                EVENT_KINDS.iter().any(|kind| matches(pattern, kind)),
                "events: there is no {pattern:?}; there are {}, {ALL:?} and all of a subject, such as \
                 \"reservation.*\"",
                EVENT_KINDS.join(", ")
            );
        }
        let secret = match secrets {
            Secrets::Needed => fields.secret.read()?,
            Secrets::LeftOut => Secret::new("left out"),
        };
        let webhook = Webhook::new(&fields.url, secret)?;
        Ok(Self { id: fields.id, webhook, events })
    }

    /// Whether it is told events of a kind.
    pub fn wants(&self, kind: &str) -> bool {
        self.events.iter().any(|pattern| matches(pattern, kind))
    }
}

/// Whether a pattern of the settings stands for a kind.
fn matches(pattern: &str, kind: &str) -> bool {
    match pattern.strip_suffix(ALL) {
        Some("") => true,
        Some(subject) => subject.ends_with('.') && kind.starts_with(subject),
        None => pattern == kind,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<EventWebhook>, String> {
        let folder = tempfile::tempdir().unwrap();
        let secret = folder.path().join("secret");
        std::fs::write(&secret, "s3cret").unwrap();
        let text = text.replace("SECRET", &format!("secret = {{ file = {secret:?} }}"));
        let table: toml::Table = toml::from_str(&text).map_err(|error| error.to_string())?;
        let fields: Vec<EventWebhookFields> =
            table["webhooks"].clone().try_into().map_err(|error| format!("{error}"))?;
        EventWebhook::read_all(fields, Secrets::Needed).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn a_webhook_wants_what_its_patterns_name() {
        let wants = |events: &str, kind: &str| {
            let text =
                format!("[[webhooks]]\nid = \"a\"\nurl = \"http://127.0.0.1/\"\nSECRET\n{events}");
            read(&text).unwrap()[0].wants(kind)
        };
        for (events, kind, wanted) in [
            ("", "tokens.changed", true),
            ("events = [\"*\"]", "reservation.confirmed", true),
            ("events = [\"reservation.*\"]", "reservation.confirmed", true),
            ("events = [\"reservation.*\"]", "simulation.running", false),
            ("events = [\"reservation.failed\"]", "reservation.confirmed", false),
            ("events = [\"negotiation.*\", \"agenda.revised\"]", "agenda.revised", true),
        ] {
            assert_eq!(wants(events, kind), wanted, "{events}: {kind}");
        }
    }

    #[test]
    fn what_cannot_work_is_named() {
        let usual = "id = \"a\"\nurl = \"http://127.0.0.1/\"\nSECRET";
        for (text, named) in [
            ("id = \"\"\nurl = \"http://127.0.0.1/\"\nSECRET", "id"),
            ("url = \"http://127.0.0.1/\"\nSECRET", "id"),
            ("id = \"a\"\nurl = \"http://127.0.0.1/\"", "secret"),
            ("id = \"a\"\nurl = \"http://127.0.0.1/\"\nsecret = { file = \"/no\" }", "/no"),
            ("id = \"a\"\nurl = \"127.0.0.1\"\nSECRET", "webhook \"a\": configuration: url"),
            (&format!("{usual}\nevents = []"), "names none"),
            (&format!("{usual}\nevents = [\"reservations.*\"]"), "reservations.*"),
            (&format!("{usual}\nevents = [\"reservation*\"]"), "reservation*"),
            (&format!("{usual}\nevents = [\"reservation.confirm\"]"), "reservation.confirmed"),
            (&format!("{usual}\nretries = 3"), "retries"),
            (&format!("{usual}\n[[webhooks]]\n{usual}"), "two have the id \"a\""),
        ] {
            let error = read(&format!("[[webhooks]]\n{text}")).unwrap_err();
            assert!(error.contains(named), "{text}: {error}");
        }
    }
}
