//! Requests by spans of time, which end now: nothing is known ahead.

use planner::time::{Seconds, Timestamp};
use reqwest::RequestBuilder;

use super::map::{self, FuelDataset};
use crate::feed::{
    CarbonFeed, Factors, FeedError, Fetched, Fetching, PriceFeed, Quantity, Query, Role, Series,
};
use crate::http::{Http, send};
use crate::provider::{Declaration, PlainClient};

/// What is generated is published so long after its step begins, or later.
const LATEST_PUBLICATION: Seconds = Seconds::new(2 * 3600);

/// Great Britain.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Whose market index counts as the price: `APXMIDP` or `N2EXMIDP`.
    #[serde(default = "apx")]
    pub market_index: String,
    /// Which rows of generation: `fuelinst`, every five minutes, or `fuelhh`, means of half-hours.
    #[serde(default)]
    pub dataset: FuelDataset,
    /// What a kWh emits: `direct` or `lifecycle`.
    #[serde(default)]
    pub factors: Factors,
    /// Where the service is.
    #[serde(default = "host")]
    pub base_url: String,
}

fn apx() -> String {
    "APXMIDP".to_owned()
}

fn host() -> String {
    "https://data.elexon.co.uk/bmrs/api/v1".to_owned()
}

impl Declaration for Settings {
    /// The market index refuses more than seven days.
    const LONGEST_WINDOW: Seconds = Seconds::new(6 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = "";

    fn connect(
        &self,
        source: &str,
        quantity: Quantity,
        http: &Http,
    ) -> Result<Option<Role>, FeedError> {
        let client = || Box::new(Client::new(source, self, http));
        Ok(match quantity {
            Quantity::Price => Some(Role::Price(client())),
            Quantity::Co2 => Some(Role::Carbon(client())),
            Quantity::PowerCap => None,
        })
    }
}

/// Asks about Great Britain.
pub type Client = PlainClient<Settings>;

impl Client {
    async fn market_index(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let (first, last) = span(query, Seconds::new(0))?;
        let Settings { market_index, base_url, .. } = &self.settings;
        let request = self.http.get(base_url, "/balancing/pricing/market-index").query(&[
            ("from", first.to_string().as_str()),
            ("to", last.to_string().as_str()),
            ("dataProviders", market_index),
            ("format", "json"),
        ]);
        self.revision(request, query, |text| map::prices(text, market_index)).await
    }

    async fn generation(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let (first, last) = span(query, LATEST_PUBLICATION)?;
        let Settings { dataset, factors, base_url, .. } = &self.settings;
        let path = format!("/datasets/{}/stream", dataset.name());
        let request = self.http.get(base_url, &path).query(&[
            ("publishDateTimeFrom", first.to_string().as_str()),
            ("publishDateTimeTo", last.to_string().as_str()),
            ("format", "json"),
        ]);
        self.revision(request, query, |text| map::intensities(text, *dataset, *factors)).await
    }

    async fn revision(
        &self,
        request: RequestBuilder,
        query: Query<'_>,
        read: impl FnOnce(&str) -> Result<Series, FeedError>,
    ) -> Result<Fetched, FeedError> {
        let answer = send(request, None, query.now).await?;
        let series = read(answer.success()?)?.asked_for(query.window)?;
        Ok(series.into_fetched(&self.source, "GB", None))
    }
}

/// The first and the last instant to ask for: both count, and what lies `later` than the window too.
fn span(query: Query<'_>, later: Seconds) -> Result<(Timestamp, Timestamp), FeedError> {
    let first = query.window.start();
    let last = (query.window.end() - Seconds::ONE + later).min(query.now);
    if last < first {
        return Err(FeedError::not_published("nothing is known ahead"));
    }
    Ok((first, last))
}

impl PriceFeed for Client {
    fn prices<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.market_index(query))
    }
}

impl CarbonFeed for Client {
    fn intensities<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.generation(query))
    }
}
