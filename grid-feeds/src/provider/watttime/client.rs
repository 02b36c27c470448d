//! Requests: a token for half an hour, history and forecast.

use planner::time::{Seconds, Timestamp};

use super::map;
use super::wire::{Answer, Login};
use crate::feed::{
    CarbonFeed, FeedError, Fetched, Fetching, Quality, Quantity, Query, Role, Secret, SecretSource,
};
use crate::http::{Http, send};
use crate::provider::Declaration;
use crate::provider::token::{TokenCache, granted};

/// A token lasts 30 minutes.
const TOKEN_LASTS: Seconds = Seconds::new(29 * 60);

/// The furthest forecast, in hours.
const LONGEST_HORIZON_H: i64 = 72;

/// One region.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Such as `CAISO_NORTH`.
    pub region: String,
    /// `co2_moer`, marginal, or `co2_aoer`, average.
    #[serde(default = "marginal")]
    pub signal: String,
    /// The account's name.
    pub user: String,
    /// The account's password.
    pub password: SecretSource,
    /// Where the service is.
    #[serde(default = "host")]
    pub base_url: String,
}

fn marginal() -> String {
    "co2_moer".to_owned()
}

fn host() -> String {
    "https://api.watttime.org".to_owned()
}

impl Declaration for Settings {
    const LONGEST_WINDOW: Seconds = Seconds::new(30 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = "region = \"X\"\nuser = \"u\"\npassword = { file = \"p\" }";

    fn connect(
        &self,
        source: &str,
        quantity: Quantity,
        http: &Http,
    ) -> Result<Option<Role>, FeedError> {
        let client = || Ok(Role::Carbon(Box::new(Client::new(source, self, http)?)));
        (quantity == Quantity::Co2).then(client).transpose()
    }
}

/// Asks about one region.
#[derive(Debug)]
pub struct Client {
    source: Box<str>,
    settings: Settings,
    password: Secret,
    http: Http,
    token: TokenCache,
}

impl Client {
    /// A client of `settings`, whose password is read now.
    ///
    /// # Errors
    /// Where the password cannot be read.
    pub fn new(source: &str, settings: &Settings, http: &Http) -> Result<Self, FeedError> {
        let password = settings.password.read().map_err(FeedError::configuration)?;
        let (settings, http) = (settings.clone(), http.clone());
        Ok(Self { source: source.into(), settings, password, http, token: TokenCache::default() })
    }

    async fn fetch(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let (start, end, now) = (query.window.start(), query.window.end(), query.now);
        let mut answers = Vec::new();
        if start < now {
            let span = [("start", start.to_string()), ("end", end.min(now).to_string())];
            answers.push((self.ask("historical", &span, now).await?, Quality::Measured));
        }
        if now < end {
            let hours = ((end - now).get() + 3599) / 3600;
            let horizon = [("horizon_hours", hours.min(LONGEST_HORIZON_H).to_string())];
            answers.push((self.ask("forecast", &horizon, now).await?, Quality::Forecast));
        }
        let Settings { region, signal, .. } = &self.settings;
        let series = map::intensities(&answers, (region, signal))?.asked_for(query.window)?;
        Ok(series.into_fetched(&self.source, &self.settings.region, None))
    }

    async fn ask(
        &self,
        what: &str,
        asked: &[(&str, String)],
        now: Timestamp,
    ) -> Result<Answer, FeedError> {
        let token = self.token.token(now, self.log_in(now)).await?;
        let Settings { region, signal, base_url, .. } = &self.settings;
        let request = self
            .http
            .get(base_url, &format!("/v3/{what}"))
            .bearer_auth(token.expose())
            .query(&[("region", region), ("signal_type", signal)])
            .query(asked);
        let answer = send(request, Some(&token), now).await?;
        map::read(self.token.success(&answer)?)
    }

    async fn log_in(&self, now: Timestamp) -> Result<(Secret, Timestamp), FeedError> {
        let request = self
            .http
            .get(&self.settings.base_url, "/login")
            .basic_auth(&self.settings.user, Some(self.password.expose()));
        let answer = send(request, Some(&self.password), now).await?;
        let login: Login = granted(&answer, "/login")?;
        Ok((Secret::granted(&login.token), now + TOKEN_LASTS))
    }
}

impl CarbonFeed for Client {
    fn intensities<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}
