//! Requests: history or a past range, and the forecast where the plan has one.

use planner::time::{Seconds, Timestamp};

use super::granularity::Granularity;
use super::map::{self, IntensityQuery};
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

/// Which version of the interface is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InterfaceVersion {
    /// Version 3.
    #[default]
    V3,
    /// Version 4: it says of each value whether imports are traced.
    V4,
}

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
    /// Of the interface: `v3` or `v4`.
    #[serde(default)]
    pub version: InterfaceVersion,
    /// How long a value holds: `hourly`, `15_minutes` or `5_minutes`; what the supplier chooses unless
    /// given.
    pub granularity: Option<Granularity>,
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
            answers.extend(self.past(query).await?);
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
        let Settings { zone, factors, granularity, .. } = &self.settings;
        let asked = IntensityQuery { zone, factors: *factors, granularity: *granularity };
        let mut series = map::intensities(&answers, asked)?.asked_for(query.window)?;
        series.notes.extend(refusal.map(|refusal| format!("no forecast: {refusal}")));
        Ok(series.into_fetched(&self.source, &self.settings.zone, None))
    }

    /// The last day, or the past in parts that one question may span.
    async fn past(&self, query: Query<'_>) -> Result<Vec<Answer>, FeedError> {
        let now = query.now;
        if now - query.window.start() <= DAY {
            return Ok(vec![self.ask("history", &[], now).await?]);
        }
        let part = self.settings.granularity.unwrap_or(Granularity::Hour).longest_past();
        let end = query.window.end().min(now);
        let mut start = query.window.start();
        let mut answers = Vec::new();
        while start < end {
            let until = (start + part).min(end);
            let span = [("start", start.to_string()), ("end", until.to_string())];
            answers.push(self.ask("past-range", &span, now).await?);
            start = until;
        }
        Ok(answers)
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
        let version = match self.settings.version {
            InterfaceVersion::V3 => "v3",
            InterfaceVersion::V4 => "v4",
        };
        let mut request = self
            .http
            .get(&self.settings.base_url, &format!("/{version}/carbon-intensity/{what}"))
            .header("auth-token", self.token.expose())
            .query(&[("zone", self.settings.zone.as_str()), ("emissionFactorType", factors)])
            .query(asked);
        if let Some(granularity) = self.settings.granularity {
            request = request.query(&[("temporalGranularity", granularity.name())]);
        }
        if self.settings.version == InterfaceVersion::V4 {
            // Without it, a zone that is not known would be that of the asking machine.
            request = request.query(&[("disableCallerLookup", "true")]);
            // Forecasts have no such choice.
            if what != "forecast" {
                request = request.query(&[("flowTraced", "true")]);
            }
        }
        let answer = send(request, Some(&self.token), now).await?;
        map::read(answer.success()?)
    }
}

impl CarbonFeed for Client {
    fn intensities<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}
