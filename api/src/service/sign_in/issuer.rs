//! An issuer and its keys: fetched when they are first needed, and again when they are old, or when a token is signed by
//! one that is not among them.

use std::sync::{Arc, Mutex as SyncMutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde::Deserialize;
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::keys::IssuerKeys;
use crate::clock::Clock;
use crate::config::sign_in::{IssuerSettings, check_scheme};

/// Keys that are older are fetched again.
const FRESH: Duration = Duration::from_hours(1);

/// Keys that are older do not count: the issuer may have withdrawn them.
const KEPT: Duration = Duration::from_hours(24);

/// Nobody makes us ask an issuer more often, whatever they send.
const FLOOR: Duration = Duration::from_secs(10);

/// An issuer of the settings.
pub(super) struct Issuer {
    pub settings: IssuerSettings,
    fetched: SyncMutex<Option<Arc<Fetched>>>,
    /// When it was last asked, whatever it said; whoever asks has the turn.
    turn: Arc<Mutex<Option<Instant>>>,
}

/// What was fetched of an issuer, and when.
pub(super) struct Fetched {
    pub keys: IssuerKeys,
    pub endpoints: Endpoints,
    at: Instant,
}

/// What an issuer says of itself (OpenID Connect Discovery 1.0, section 3).
#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    jwks_uri: String,
    #[serde(flatten)]
    endpoints: Endpoints,
}

/// Where an issuer is asked for what; each may be missing.
#[derive(Deserialize)]
pub(super) struct Endpoints {
    #[serde(rename = "authorization_endpoint")]
    pub authorization: Option<String>,
    #[serde(rename = "token_endpoint")]
    pub token: Option<String>,
    #[serde(rename = "device_authorization_endpoint")]
    pub device_authorization: Option<String>,
    #[serde(rename = "revocation_endpoint")]
    pub revocation: Option<String>,
}

impl Issuer {
    pub fn new(settings: IssuerSettings) -> Self {
        Self { settings, fetched: SyncMutex::default(), turn: Arc::default() }
    }

    /// The keys; `None` where none were ever fetched, or only long ago, and the issuer does not answer.
    pub async fn keys(self: &Arc<Self>) -> Option<Arc<Fetched>> {
        let known = self.known();
        let age = known.as_ref().map(|it| it.at.elapsed());
        match (known, age) {
            (Some(known), Some(age)) if age < FRESH => Some(known),
            // Somebody else may be asking already.
            (Some(known), Some(age)) if age < KEPT => match self.turn().try_lock_owned() {
                Ok(asked) => {
                    self.fetch(asked).await;
                    self.known()
                }
                Err(_) => Some(known),
            },
            _ => {
                let asked = self.turn().lock_owned().await;
                // Others may have fetched them meanwhile.
                if self.known().is_none_or(|it| it.at.elapsed() >= KEPT) {
                    self.fetch(asked).await;
                }
                self.known().filter(|it| it.at.elapsed() < KEPT)
            }
        }
    }

    /// Keys that were fetched after those, which lack one; `None` where there are none.
    pub async fn newer_keys(self: &Arc<Self>, than: &Fetched) -> Option<Arc<Fetched>> {
        let asked = self.turn().lock_owned().await;
        let newer = |known: Option<Arc<Fetched>>| known.filter(|it| it.at > than.at);
        if let Some(known) = newer(self.known()) {
            return Some(known);
        }
        self.fetch(asked).await;
        newer(self.known())
    }

    /// The keys as they were fetched last.
    pub fn known(&self) -> Option<Arc<Fetched>> {
        self.fetched.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn turn(&self) -> Arc<Mutex<Option<Instant>>> {
        Arc::clone(&self.turn)
    }

    /// Asks the issuer, unless it was asked just now; what was known stays where it does not answer. It is asked for
    /// everybody, so also where who waits for it goes away.
    async fn fetch(self: &Arc<Self>, mut asked: OwnedMutexGuard<Option<Instant>>) {
        if asked.is_some_and(|at| at.elapsed() < FLOOR) {
            return;
        }
        *asked = Some(Instant::now());
        let issuer = Arc::clone(self);
        let fetching = tokio::spawn(async move {
            issuer.fetch_now().await;
            drop(asked);
        });
        // A panic there was logged; nothing is known then.
        let _ = fetching.await;
    }

    async fn fetch_now(&self) {
        match self.ask().await {
            Ok(fetched) => {
                let mut known = self.fetched.lock().unwrap_or_else(PoisonError::into_inner);
                *known = Some(Arc::new(fetched));
            }
            Err(error) => {
                let issuer = &self.settings.issuer;
                tracing::warn!(
                    issuer,
                    error = format!("{error:#}"),
                    "cannot read the issuer's keys"
                );
            }
        }
    }

    async fn ask(&self) -> anyhow::Result<Fetched> {
        let issuer = &self.settings.issuer;
        let address = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
        let text = self.text(&address).await.context("its description")?;
        let mut metadata: Metadata = serde_json::from_str(&text).context("its description")?;
        ensure!(
            metadata.issuer == *issuer,
            "it calls itself {:?}; name it so in [[sign_in]], to the letter",
            metadata.issuer
        );
        check_scheme(&metadata.jwks_uri).context("the address of its keys (jwks_uri)")?;
        metadata.endpoints.forget_unsafe(issuer);
        let text = self.text(&metadata.jwks_uri).await.context("its keys")?;
        let keys = IssuerKeys::read(&text).context("its keys")?;
        Ok(Fetched { keys, endpoints: metadata.endpoints, at: Instant::now() })
    }

    async fn text(&self, address: &str) -> anyhow::Result<String> {
        Ok(self.settings.http.text_at(address, Clock::default().now()).await?)
    }
}

impl Endpoints {
    /// Nothing is sent in clear: endpoints without TLS are as good as none.
    fn forget_unsafe(&mut self, issuer: &str) {
        let all = [
            &mut self.authorization,
            &mut self.token,
            &mut self.device_authorization,
            &mut self.revocation,
        ];
        for endpoint in all {
            if let Some(address) = endpoint
                && let Err(error) = check_scheme(address)
            {
                let error = format!("{error:#}");
                tracing::warn!(issuer, address, error, "an endpoint of the issuer is not used");
                *endpoint = None;
            }
        }
    }
}
