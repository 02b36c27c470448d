//! Requests by local days.

use planner::time::{Seconds, Timestamp};

use super::map;
use crate::feed::{
    CarbonFeed, FeedError, Fetched, Fetching, PriceFeed, Quantity, Query, Role, Series,
};
use crate::http::{Answer, Http, conditional, send};
use crate::local_time::LocalTime;
use crate::provider::{Declaration, PlainClient};
use crate::schedule::Rhythm;

/// One bidding zone or country.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// For prices the bidding zone, such as `DE-LU`; for CO2 the country, such as `de`.
    pub zone: String,
    /// Where the service is.
    #[serde(default = "host")]
    pub base_url: String,
}

fn host() -> String {
    "https://api.energy-charts.info".to_owned()
}

impl Declaration for Settings {
    const LONGEST_WINDOW: Seconds = Seconds::new(31 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = r#"zone = "FR""#;

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

    fn rhythm(quantity: Quantity) -> Rhythm {
        match quantity {
            Quantity::Price => Rhythm::daily("Europe/Berlin", &["13:00"]),
            Quantity::Co2 | Quantity::PowerCap => Rhythm::default(),
        }
    }
}

/// Asks about one zone.
pub type Client = PlainClient<Settings>;

impl Client {
    async fn fetch(
        &self,
        query: Query<'_>,
        (path, parameter): (&str, &str),
        read: fn(&str) -> Result<Series, FeedError>,
    ) -> Result<Fetched, FeedError> {
        let (first, last) = (query.window.start(), query.window.end() - Seconds::ONE);
        let request = self
            .http
            .get(&self.settings.base_url, path)
            .query(&[(parameter, &self.settings.zone)])
            .query(&[("start", day(first)?), ("end", day(last)?)]);
        let answer = send(conditional(request, query), None, query.now).await?;
        if answer.is_unchanged() {
            return Ok(Fetched::Unchanged);
        }
        let series = read(published(&answer)?)?.asked_for(query.window)?;
        Ok(series.into_fetched(&self.source, &self.settings.zone, answer.validator))
    }
}

/// 404 says that there are no values yet.
fn published(answer: &Answer) -> Result<&str, FeedError> {
    match answer.status {
        404 => Err(FeedError::not_published("status 404")),
        _ if answer.text.trim().is_empty() && answer.status == 200 => {
            Err(FeedError::transient("an empty answer"))
        }
        _ => answer.success(),
    }
}

fn day(instant: Timestamp) -> Result<String, FeedError> {
    let local = LocalTime::named(map::ZONE).map_err(FeedError::calendar)?;
    Ok(local.date(instant).map_err(FeedError::calendar)?.to_string())
}

impl PriceFeed for Client {
    fn prices<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query, ("/price", "bzn"), map::prices))
    }
}

impl CarbonFeed for Client {
    fn intensities<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query, ("/co2eq", "country"), map::intensities))
    }
}
