//! Messages sent to an address of others, signed as the Standard Webhooks specification says
//! (headers `webhook-id`, `webhook-timestamp` and `webhook-signature`; HMAC-SHA256 over
//! `id.timestamp.body`, Base64 after `v1,`). Receivers drop what they have seen by its id.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use planner::time::Timestamp;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Method, Response, Url};
use sha2::Sha256;

use crate::feed::{FeedError, Secret};
use crate::http::{Http, Timeouts, ask_there_alone, received};
use crate::reach::Reach;

/// Secrets in the specification's own form begin so; what follows is Base64.
const PREFIX: &str = "whsec_";

/// An address that messages are sent to, and what they are signed with.
#[derive(Clone, Debug)]
pub struct Webhook {
    http: Http,
    url: Address,
    secret: Secret,
    key: Key,
}

/// The bytes that sign. Writing it shows `***`.
#[derive(Clone)]
struct Key(Vec<u8>);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

/// Where messages go. Writing it leaves out what may be secret: user and password, query, fragment.
#[derive(Clone)]
struct Address(Url);

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = self.0.clone();
        // Fails only where there is nothing to leave out.
        let _ = shown.set_username("");
        let _ = shown.set_password(None);
        shown.set_query(None);
        shown.set_fragment(None);
        shown.fmt(f)
    }
}

impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl Webhook {
    /// An address with its secret, plain text or `whsec_` and Base64.
    ///
    /// # Errors
    /// The address is no `http://` or `https://` one, what follows `whsec_` is not Base64, or TLS
    /// cannot be set up.
    pub fn new(url: &str, secret: Secret) -> Result<Self, FeedError> {
        Self::by(Http::new(Timeouts::default())?, url, secret)
    }

    /// An address that somebody from outside named, with its secret, to which is sent as far as it may reach.
    ///
    /// # Errors
    /// As [`Webhook::new`].
    pub fn reaching(
        url: &str,
        secret: Secret,
        reach: Reach,
        timeouts: Timeouts,
    ) -> Result<Self, FeedError> {
        let http = match reach {
            Reach::Anywhere => Http::new(timeouts)?,
            Reach::Public => Http::for_public_messages(timeouts)?,
        };
        Self::by(http, url, secret)
    }

    fn by(http: Http, url: &str, secret: Secret) -> Result<Self, FeedError> {
        let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let url = url.ok_or_else(|| {
            FeedError::configuration("url must be one that begins with http:// or https://")
        })?;
        let key = match secret.expose().strip_prefix(PREFIX) {
            None => secret.expose().as_bytes().to_vec(),
            Some(text) => STANDARD
                .decode(text)
                .map_err(|_| FeedError::configuration("the secret is not Base64 after whsec_"))?,
        };
        if key.is_empty() {
            return Err(FeedError::configuration("the secret is empty after whsec_"));
        }
        Ok(Self { http, url: Address(url), secret, key: Key(key) })
    }

    /// The address without what may be secret in it.
    pub fn address(&self) -> String {
        self.url.to_string()
    }

    /// Sends a JSON document under an id, which stays the same however often it is sent.
    ///
    /// # Errors
    /// What the other side answers; [`FeedError::retry`] says whether to try again.
    pub async fn send(&self, id: &str, body: &str, now: Timestamp) -> Result<(), FeedError> {
        let response = self.post(id, body, now).await?;
        // What a receiver that took it says beside that is nothing to us.
        if response.status().is_success() {
            return Ok(());
        }
        received(response, Some(&self.secret), now).await?.success()?;
        Ok(())
    }

    /// As [`Self::send`], to somebody whose words are not read: only the status of the answer counts.
    ///
    /// # Errors
    /// What the other side answers; [`FeedError::retry`] says whether to try again.
    pub async fn send_unread(&self, id: &str, body: &str, now: Timestamp) -> Result<(), FeedError> {
        match self.post(id, body, now).await?.status().as_u16() {
            200..=299 => Ok(()),
            status @ (429 | 503) => Err(FeedError::Busy { status, retry_after: None }),
            status @ (300..=399 | 408 | 500..=599) => {
                Err(FeedError::transient(format!("status {status}")))
            }
            status => {
                let message = "what it said is not read".to_owned();
                Err(FeedError::Refused { status, message })
            }
        }
    }

    async fn post(&self, id: &str, body: &str, now: Timestamp) -> Result<Response, FeedError> {
        let timestamp = now.as_unix_seconds().to_string();
        let signature = self.signature(id, &timestamp, body);
        let request = self
            .http
            .request(Method::POST, self.url.0.clone())
            .header("webhook-id", id)
            .header("webhook-timestamp", timestamp)
            .header("webhook-signature", signature)
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_owned());
        // A message that is sent on as another kind of request has not arrived.
        ask_there_alone(request, Some(&self.secret)).await
    }

    fn signature(&self, id: &str, timestamp: &str, body: &str) -> String {
        // Keys of any length are taken.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.key.0) else { return String::new() };
        mac.update(format!("{id}.{timestamp}.{body}").as_bytes());
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification's reference libraries.
    #[test]
    fn signs_as_the_specification_does() {
        let secret = Secret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        let webhook = Webhook::new("http://127.0.0.1:1", secret).unwrap();
        let signature = webhook.signature(
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "1614265330",
            r#"{"test": 2432232314}"#,
        );
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        assert_eq!(format!("{:?}", webhook.key), "***");
    }

    #[test]
    fn an_address_is_shown_without_what_may_be_secret() {
        let url = "https://ada:pa55word@example.org:8443/hooks/7?token=t0ken#f";
        let webhook = Webhook::new(url, Secret::new("s3cret")).unwrap();
        assert_eq!(webhook.address(), "https://example.org:8443/hooks/7");
        let written = format!("{webhook:?}");
        for secret in ["ada", "pa55word", "t0ken", "s3cret"] {
            assert!(!written.contains(secret), "{written}");
        }
    }

    #[test]
    fn what_cannot_work_is_refused() {
        let error = |url: &str, secret| Webhook::new(url, Secret::new(secret)).unwrap_err();
        for url in ["", "example.org/hook", "ftp://example.org/", "http://"] {
            assert!(error(url, "s3cret").to_string().contains("http://"), "{url}");
        }
        for secret in ["whsec_", "whsec_?"] {
            let error = error("http://example.org/", secret).to_string();
            assert!(error.contains("whsec_") && !error.contains('?'), "{error}");
        }
    }
}
