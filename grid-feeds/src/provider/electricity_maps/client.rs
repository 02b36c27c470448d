//! Requests: history or a past range, and the forecast where the plan has one.

use planner::time::{Seconds, Timestamp};

use super::map;
use super::wire::Answer;
use crate::feed::{
    CarbonFeed, Factors, FeedError, Fetched, Fetching, Quantity, Query, Role, Secret, SecretSource,
};
use crate::http::{Http, send};
use crate::provider::Declaration;

/// What `history` covers.
const DAY: Seconds = Seconds::new(86_400);

/// Horizons that can be asked for, in hours.
const HORIZONS_H: [i64; 4] = [6, 24, 48, 72];

/// One zone.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Such as `FR`.
    pub zone: String,
    /// The token.
    pub token: SecretSource,
    /// What a kWh emits: `direct` or `lifecycle`.
    #[serde(default)]
    pub factors: Factors,
    /// Where the service is.
    #[serde(default = "host")]
    pub base_url: String,
}

fn host() -> String {
    "https://api.electricitymaps.com".to_owned()
}

impl Declaration for Settings {
    const LONGEST_WINDOW: Seconds = Seconds::new(10 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = "zone = \"FR\"\ntoken = { environment = \"X\" }";

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

/// Asks about one zone.
#[derive(Debug)]
pub struct Client {
    source: Box<str>,
    settings: Settings,
    token: Secret,
    http: Http,
}

impl Client {
    /// A client of `settings`, whose token is read now.
    ///
    /// # Errors
    /// Where the token cannot be read.
    pub fn new(source: &str, settings: &Settings, http: &Http) -> Result<Self, FeedError> {
        let token = settings.token.read().map_err(FeedError::configuration)?;
        Ok(Self { source: source.into(), settings: settings.clone(), token, http: http.clone() })
    }

    async fn fetch(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let (start, end, now) = (query.window.start(), query.window.end(), query.now);
        let mut answers = Vec::new();
        let mut refusal = None;
        if start < now {
            answers.push(self.past(query).await?);
        }
        if now < end {
            let hours = ((end - now).get() + 3599) / 3600;
            let horizon = HORIZONS_H.into_iter().find(|&horizon| hours <= horizon).unwrap_or(72);
            let asked = [("horizonHours", horizon.to_string())];
            match self.ask("forecast", &asked, now).await {
                Ok(answer) => answers.push(answer),
                // A plan without forecasts still has a history.
                Err(error @ FeedError::Refused { .. }) => refusal = Some(error),
                Err(error) => return Err(error),
            }
        }
        if let Some(refusal) = refusal.as_ref().filter(|_| answers.is_empty()) {
            return Err(refusal.clone());
        }
        let Settings { zone, factors, .. } = &self.settings;
        let mut series = map::intensities(&answers, zone, *factors)?.asked_for(query.window)?;
        series.notes.extend(refusal.map(|refusal| format!("no forecast: {refusal}")));
        Ok(series.into_fetched(&self.source, &self.settings.zone, None))
    }

    async fn past(&self, query: Query<'_>) -> Result<Answer, FeedError> {
        let (start, end, now) = (query.window.start(), query.window.end(), query.now);
        if now - start <= DAY {
            return self.ask("history", &[], now).await;
        }
        let span = [("start", start.to_string()), ("end", end.min(now).to_string())];
        self.ask("past-range", &span, now).await
    }

    async fn ask(
        &self,
        what: &str,
        asked: &[(&str, String)],
        now: Timestamp,
    ) -> Result<Answer, FeedError> {
        let factors = match self.settings.factors {
            Factors::Direct => "direct",
            Factors::Lifecycle => "lifecycle",
        };
        let request = self
            .http
            .get(&self.settings.base_url, &format!("/v3/carbon-intensity/{what}"))
            .header("auth-token", self.token.expose())
            .query(&[("zone", self.settings.zone.as_str()), ("emissionFactorType", factors)])
            .query(asked);
        let answer = send(request, Some(&self.token), now).await?;
        map::read(answer.success()?)
    }
}

impl CarbonFeed for Client {
    fn intensities<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}
