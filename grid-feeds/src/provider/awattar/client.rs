//! One request; without an end the service answers for 24 h only, so the end is always sent.

use planner::time::Seconds;

use super::map;
use crate::feed::{FeedError, Fetched, Fetching, PriceFeed, Quantity, Query, Role};
use crate::http::{Http, conditional, send};
use crate::provider::{Declaration, PlainClient};
use crate::schedule::Rhythm;

/// Whose prices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Country {
    /// DE-LU.
    Germany,
    /// AT.
    Austria,
}

/// One country.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Whose prices.
    pub country: Country,
    /// Where the service is; the country's own unless given.
    pub base_url: Option<String>,
}

impl Declaration for Settings {
    const LONGEST_WINDOW: Seconds = Seconds::new(31 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = r#"country = "austria""#;

    fn connect(
        &self,
        source: &str,
        quantity: Quantity,
        http: &Http,
    ) -> Result<Option<Role>, FeedError> {
        let client = || Client::new(source, self, http);
        Ok((quantity == Quantity::Price).then(|| Role::Price(Box::new(client()))))
    }

    fn rhythm(_quantity: Quantity) -> Rhythm {
        Rhythm::daily("Europe/Berlin", &["14:00"])
    }
}

/// Asks for one country.
pub type Client = PlainClient<Settings>;

impl Client {
    async fn fetch(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let (host, country, zone) = match self.settings.country {
            Country::Germany => ("https://api.awattar.de", "de", "DE-LU"),
            Country::Austria => ("https://api.awattar.at", "at", "AT"),
        };
        let milliseconds = |seconds: i64| seconds.saturating_mul(1000);
        let (start, end) = (query.window.start(), query.window.end());
        let request = self
            .http
            .get(self.settings.base_url.as_deref().unwrap_or(host), "/v1/marketdata")
            .query(&[
                ("start", milliseconds(start.as_unix_seconds())),
                ("end", milliseconds(end.as_unix_seconds())),
            ]);
        let answer = send(conditional(request, query), None, query.now).await?;
        if answer.is_unchanged() {
            return Ok(Fetched::Unchanged);
        }
        let series = map::prices(answer.success()?, country)?.asked_for(query.window)?;
        Ok(series.into_fetched(&self.source, zone, answer.validator))
    }
}

impl PriceFeed for Client {
    fn prices<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}
