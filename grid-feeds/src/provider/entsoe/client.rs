//! Requests: hosts in turn, token in the query, pages of a hundred time series.

mod ahead_series;

use std::sync::Mutex;

use planner::time::{Seconds, Timestamp};
use reqwest::RequestBuilder;

use super::ahead::{AheadSettings, Memory};
use super::map;
use super::powers::{self, PlatformDocument, ZonePowers};
use super::wire::Document;
use crate::feed::{
    CarbonFeed, Factors, FeedError, Fetched, Fetching, PriceFeed, Quantity, Query, Role, Secret,
    SecretSource, Series,
};
use crate::http::{Answer, Http, send};
use crate::provider::Declaration;
use crate::schedule::Rhythm;

const HOST: &str = "https://web-api.tp.entsoe.eu";

/// Time series on one page.
const PAGE: usize = 100;

/// The largest offset there is.
const LAST_OFFSET: usize = 4800;

const HOUR: Seconds = Seconds::new(3600);

/// One zone of the platform.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The zone's EIC code, such as `10YFR-RTE------C`.
    pub zone: String,
    /// The token.
    pub token: SecretSource,
    /// Hosts to try in this order.
    #[serde(default = "hosts")]
    pub base_urls: Vec<String>,
    /// What a kWh emits: `direct` or `lifecycle`.
    #[serde(default)]
    pub factors: Factors,
    /// Of CO2: whether it is estimated until the end of tomorrow, and from what.
    pub ahead: Option<AheadSettings>,
}

fn hosts() -> Vec<String> {
    vec![HOST.to_owned()]
}

impl Declaration for Settings {
    const LONGEST_WINDOW: Seconds = Seconds::new(365 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = "zone = \"X\"\ntoken = { environment = \"X\" }";

    fn connect(
        &self,
        source: &str,
        quantity: Quantity,
        http: &Http,
    ) -> Result<Option<Role>, FeedError> {
        if let Some(ahead) = &self.ahead {
            if quantity != Quantity::Co2 {
                return Err(FeedError::configuration("only sources of co2 have `ahead`"));
            }
            ahead.check(&self.zone)?;
        }
        let client = || Client::new(source, self, http).map(Box::new);
        Ok(match quantity {
            Quantity::Price => Some(Role::Price(client()?)),
            Quantity::Co2 => Some(Role::Carbon(client()?)),
            Quantity::PowerCap => None,
        })
    }

    fn rhythm(quantity: Quantity) -> Rhythm {
        let usual = match quantity {
            // Day-ahead results come from 12:55 on, often later.
            Quantity::Price => Rhythm::daily("Europe/Brussels", &["12:55"]),
            Quantity::Co2 | Quantity::PowerCap => Rhythm::default(),
        };
        Rhythm { budget_requests: 300, ..usual }
    }

    fn own_rhythm(&self, quantity: Quantity) -> Rhythm {
        let usual = Self::rhythm(quantity);
        if self.ahead.is_none() {
            return usual;
        }
        // Forecasts of wind, sun and generation are due at 18:00. A poll has many questions.
        let daily = Rhythm::daily("Europe/Brussels", &["18:00"]);
        Rhythm { poll_every_s: 3600, budget_requests: usual.budget_requests, ..daily }
    }
}

/// Asks the platform about one zone.
#[derive(Debug)]
pub struct Client {
    source: Box<str>,
    settings: Settings,
    token: Secret,
    http: Http,
    /// What estimates ahead are learnt from.
    memory: Mutex<Memory>,
}

impl Client {
    /// A client of `settings`, whose token is read now.
    ///
    /// # Errors
    /// Where the token cannot be read or there is no host.
    pub fn new(source: &str, settings: &Settings, http: &Http) -> Result<Self, FeedError> {
        if settings.base_urls.is_empty() {
            return Err(FeedError::configuration("base_urls is empty"));
        }
        let token = settings.token.read().map_err(FeedError::configuration)?;
        let settings = settings.clone();
        let (source, http) = (source.into(), http.clone());
        Ok(Self { source, settings, token, http, memory: Mutex::default() })
    }

    async fn price_series(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let zone = self.settings.zone.as_str();
        let asked = [
            ("documentType", "A44"),
            ("in_Domain", zone),
            ("out_Domain", zone),
            ("contract_MarketAgreement.type", "A01"),
        ];
        let mut pages = Vec::new();
        for offset in (0..=LAST_OFFSET).step_by(PAGE) {
            match self.page(query, &asked, Some(offset)).await {
                Ok(page) => {
                    let is_last = page.series.len() < PAGE;
                    pages.push(page);
                    if is_last {
                        break;
                    }
                }
                Err(FeedError::NotPublished { .. }) if offset > 0 => break,
                Err(error) => return Err(error),
            }
        }
        self.revision(map::prices(&pages, zone)?, query)
    }

    async fn generation_series(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        match &self.settings.ahead {
            Some(ahead) => self.ahead_series(ahead, query).await,
            None => self.revision(self.measured(query).await?, query),
        }
    }

    /// The intensity of what the zone generated.
    async fn measured(&self, query: Query<'_>) -> Result<Series, FeedError> {
        let zone = self.settings.zone.as_str();
        let asked = [("documentType", "A75"), ("processType", "A16"), ("in_Domain", zone)];
        let page = self.page(query, &asked, None).await?;
        map::intensities(&[page], zone, self.settings.factors)
    }

    /// The powers of `zone` that a document tells, over about the span asked for.
    ///
    /// # Errors
    /// As of any feed; [`FeedError::NotPublished`] where the platform has none.
    pub async fn powers(
        &self,
        query: Query<'_>,
        zone: &str,
        document: PlatformDocument<'_>,
    ) -> Result<ZonePowers, FeedError> {
        let page = self.page(query, &document.parameters(zone), None).await?;
        powers::powers(&[page], zone, document)?.asked_for(query.window)
    }

    /// One page, from the first host that has an answer. A refusal says more than other failures.
    async fn page(
        &self,
        query: Query<'_>,
        asked: &[(&str, &str)],
        offset: Option<usize>,
    ) -> Result<Document, FeedError> {
        let mut failure: Option<FeedError> = None;
        for host in &self.settings.base_urls {
            let request = self.request(host, query, asked, offset);
            let document = match send(request, Some(&self.token), query.now).await {
                Ok(answer) => read(&answer),
                Err(error) => Err(error),
            };
            match document {
                Ok(_) | Err(FeedError::NotPublished { .. }) => return document,
                Err(error) => {
                    let refused = |it: &FeedError| matches!(it, FeedError::Refused { .. });
                    failure = failure.filter(refused).or(Some(error));
                }
            }
        }
        Err(failure.unwrap_or_else(|| FeedError::configuration("base_urls is empty")))
    }

    fn request(
        &self,
        host: &str,
        query: Query<'_>,
        asked: &[(&str, &str)],
        offset: Option<usize>,
    ) -> RequestBuilder {
        let window = query.window;
        let request = self
            .http
            .get(host, "/api")
            .query(&[("securityToken", self.token.expose())])
            .query(asked)
            .query(&[
                ("periodStart", minute(floor_hour(window.start()))),
                ("periodEnd", minute(window.end().ceil_to(HOUR))),
            ]);
        match offset {
            Some(offset) => request.query(&[("offset", offset)]),
            None => request,
        }
    }

    fn revision(&self, series: Series, query: Query<'_>) -> Result<Fetched, FeedError> {
        let series = series.asked_for(query.window)?;
        Ok(series.into_fetched(&self.source, &self.settings.zone, None))
    }
}

/// An acknowledgement says why there is nothing, whatever status it comes with; a text with 404 is an
/// outage.
fn read(answer: &Answer) -> Result<Document, FeedError> {
    if answer.status == 200 {
        let is_empty = answer.text.trim().is_empty();
        let empty = || Err(FeedError::transient("an empty answer"));
        return if is_empty { empty() } else { map::read(&answer.text) };
    }
    match (answer.status, map::acknowledged(&answer.text)) {
        (400..=499, Some(FeedError::Refused { message, .. })) if answer.status != 429 => {
            Err(FeedError::Refused { status: answer.status, message })
        }
        (400..=499, Some(error @ FeedError::NotPublished { .. })) if answer.status != 429 => {
            Err(error)
        }
        (500.., Some(FeedError::Refused { message, .. })) if answer.status != 503 => {
            Err(FeedError::transient(format!("status {}: {message}", answer.status)))
        }
        (404, _) => Err(answer.transient()),
        _ => Err(refused(answer)),
    }
}

fn refused(answer: &Answer) -> FeedError {
    answer.success().err().unwrap_or_else(|| answer.transient())
}

fn floor_hour(instant: Timestamp) -> Timestamp {
    let ceiling = instant.ceil_to(HOUR);
    if ceiling == instant { instant } else { ceiling - HOUR }
}

/// `YYYYMMDDHHMM` in UTC.
fn minute(instant: Timestamp) -> String {
    instant.to_string().chars().filter(char::is_ascii_digit).take(12).collect()
}

impl PriceFeed for Client {
    fn prices<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.price_series(query))
    }
}

impl CarbonFeed for Client {
    fn intensities<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.generation_series(query))
    }
}
