//! Requests: a file for each day.

use jiff::civil::Date;
use planner::time::Seconds;

use super::map;
use crate::feed::{FeedError, Fetched, Fetching, PriceFeed, Quantity, Query, Role};
use crate::http::Http;
use crate::provider::american::daily_files;
use crate::provider::{Declaration, PlainClient};
use crate::schedule::Rhythm;

/// One settlement location.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Such as `SPPNORTH_HUB`.
    pub location: String,
    /// The balancing area of the location: `SPP`, or `SWPW` for the west.
    #[serde(default = "eastern")]
    pub area: String,
    /// Where the files are.
    #[serde(default = "host")]
    pub base_url: String,
}

fn eastern() -> String {
    "SPP".to_owned()
}

fn host() -> String {
    "https://portal.spp.org".to_owned()
}

impl Declaration for Settings {
    /// A day is four megabytes.
    const LONGEST_WINDOW: Seconds = Seconds::new(7 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = r#"location = "SPPNORTH_HUB""#;

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
        Rhythm::daily(map::ZONE, &["13:00"])
    }
}

/// Asks for files, and reads one location in them.
pub type Client = PlainClient<Settings>;

impl Client {
    async fn fetch(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let Settings { location, area, base_url } = &self.settings;
        let request = |day: Date| {
            let file = day.strftime("/%Y/%m/By_Day/DA-LMP-SL-%Y%m%d0100.csv").to_string();
            let path = "/file-browser-api/download/da-lmp-by-settlement-location";
            self.http.get(base_url, path).query(&[("path", file)])
        };
        let read = |text: &str, day| map::read(text, day, (location, area));
        let (reports, missing) = daily_files(query, map::ZONE, request, read).await?;
        let mut series = map::prices(&reports)?.asked_for(query.window)?;
        series.notes.extend(missing);
        Ok(series.into_fetched(&self.source, location, None))
    }
}

impl PriceFeed for Client {
    fn prices<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}
