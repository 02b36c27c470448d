//! Requests day by day of New York.

use jiff::civil::Date;
use planner::time::Seconds;

use super::map;
use crate::feed::{FeedError, Fetched, Fetching, PriceFeed, Quantity, Query, Role};
use crate::http::Http;
use crate::provider::american::daily_files;
use crate::provider::{Declaration, PlainClient};
use crate::schedule::Rhythm;

/// One zone.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The zone's name in the files, such as `N.Y.C.`, `WEST` or `HUD VL`.
    pub zone: String,
    /// Where the files are.
    #[serde(default = "host")]
    pub base_url: String,
}

fn host() -> String {
    "https://mis.nyiso.com".to_owned()
}

impl Declaration for Settings {
    const LONGEST_WINDOW: Seconds = Seconds::new(14 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = "zone = \"N.Y.C.\"";

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
        Rhythm::daily(map::ZONE, &["10:30"])
    }
}

/// Asks for one zone.
pub type Client = PlainClient<Settings>;

impl Client {
    async fn fetch(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let Settings { zone, base_url } = &self.settings;
        let request = |day| self.http.get(base_url, &path(day));
        let read = |text: &str, day| map::read(text, day, zone);
        let (days, missing) = daily_files(query, map::ZONE, request, read).await?;
        let mut series = map::prices(days)?.asked_for(query.window)?;
        series.notes.extend(missing);
        Ok(series.into_fetched(&self.source, zone, None))
    }
}

fn path(day: Date) -> String {
    format!("/public/csv/damlbmp/{}damlbmp_zone.csv", day.strftime("%Y%m%d"))
}

impl PriceFeed for Client {
    fn prices<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}
