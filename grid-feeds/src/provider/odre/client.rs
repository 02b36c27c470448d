//! Requests by pages of a hundred records.

use planner::time::Seconds;

use super::map;
use crate::feed::{
    CarbonFeed, FeedError, Fetched, Fetching, Quantity, Query, Role, Secret, SecretSource,
};
use crate::http::{Http, send};
use crate::provider::Declaration;

/// The most records of a page, and the furthest that pages reach.
const PAGE: usize = 100;
const LAST: usize = 10_000;

/// Which records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dataset {
    /// Quarter-hours of the last months.
    RealTime,
    /// Half-hours since 2012.
    Consolidated,
}

/// France.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Which records.
    #[serde(default = "real_time")]
    pub dataset: Dataset,
    /// Raises the limits.
    pub api_key: Option<SecretSource>,
    /// Where the service is.
    #[serde(default = "host")]
    pub base_url: String,
}

const fn real_time() -> Dataset {
    Dataset::RealTime
}

fn host() -> String {
    "https://odre.opendatasoft.com".to_owned()
}

impl Dataset {
    const fn name(self) -> &'static str {
        match self {
            Self::RealTime => "eco2mix-national-tr",
            Self::Consolidated => "eco2mix-national-cons-def",
        }
    }

    const fn step(self) -> Seconds {
        match self {
            Self::RealTime => Seconds::new(900),
            Self::Consolidated => Seconds::new(1800),
        }
    }
}

impl Declaration for Settings {
    const LONGEST_WINDOW: Seconds = Seconds::new(31 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = "";

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

/// Asks for records.
#[derive(Debug)]
pub struct Client {
    source: Box<str>,
    settings: Settings,
    key: Option<Secret>,
    http: Http,
}

impl Client {
    /// A client of `settings`, whose key is read now.
    ///
    /// # Errors
    /// Where the key cannot be read.
    pub fn new(source: &str, settings: &Settings, http: &Http) -> Result<Self, FeedError> {
        let key = settings.api_key.as_ref().map(SecretSource::read).transpose();
        let key = key.map_err(FeedError::configuration)?;
        Ok(Self { source: source.into(), settings: settings.clone(), key, http: http.clone() })
    }

    async fn fetch(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let mut records = Vec::new();
        for offset in (0..LAST).step_by(PAGE) {
            let page = self.page(query, offset).await?;
            let (page, total) = map::read(&page, self.settings.dataset.name())?;
            let is_last = page.len() < PAGE || total.is_some_and(|total| total <= offset + PAGE);
            records.extend(page);
            if is_last {
                break;
            }
        }
        let series = map::intensities(&records, self.settings.dataset.step())?;
        let series = series.asked_for(query.window)?;
        Ok(series.into_fetched(&self.source, "FR", None))
    }

    async fn page(&self, query: Query<'_>, offset: usize) -> Result<String, FeedError> {
        let path =
            format!("/api/explore/v2.1/catalog/datasets/{}/records", self.settings.dataset.name());
        let window = query.window;
        let condition =
            format!("date_heure >= \"{}\" and date_heure < \"{}\"", window.start(), window.end());
        let request = self
            .http
            .get(&self.settings.base_url, &path)
            .query(&[
                ("select", "date_heure,nature,perimetre,taux_co2"),
                ("where", condition.as_str()),
                ("order_by", "date_heure"),
                ("timezone", "Europe/Paris"),
            ])
            .query(&[("limit", PAGE), ("offset", offset)]);
        let request = match &self.key {
            Some(key) => request.query(&[("apikey", key.expose())]),
            None => request,
        };
        let answer = send(request, self.key.as_ref(), query.now).await?;
        Ok(answer.success()?.to_owned())
    }
}

impl CarbonFeed for Client {
    fn intensities<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}
