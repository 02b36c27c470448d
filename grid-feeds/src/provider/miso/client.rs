//! Requests: a file for each day.

use jiff::civil::Date;
use planner::time::Seconds;

use super::map;
use crate::feed::{FeedError, Fetched, Fetching, PriceFeed, Quantity, Query, Role};
use crate::http::Http;
use crate::provider::american::daily_files;
use crate::provider::{Declaration, PlainClient};
use crate::schedule::Rhythm;

/// One node.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Such as `INDIANA.HUB`.
    pub node: String,
    /// Where the files are.
    #[serde(default = "host")]
    pub base_url: String,
}

fn host() -> String {
    "https://docs.misoenergy.org".to_owned()
}

impl Declaration for Settings {
    /// A day is more than a megabyte.
    const LONGEST_WINDOW: Seconds = Seconds::new(14 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = r#"node = "INDIANA.HUB""#;

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
        Rhythm::daily(map::ZONE, &["13:15"])
    }
}

/// Asks for files, and reads one node in them.
pub type Client = PlainClient<Settings>;

impl Client {
    async fn fetch(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let Settings { node, base_url } = &self.settings;
        let request = |day: Date| {
            let path = format!("/marketreports/{}_da_expost_lmp.csv", day.strftime("%Y%m%d"));
            self.http.get(base_url, &path)
        };
        let read = |text: &str, day| map::read(text, day, node);
        let (reports, missing) = daily_files(query, map::ZONE, request, read).await?;
        let mut series = map::prices(&reports)?.asked_for(query.window)?;
        series.notes.extend(missing);
        Ok(series.into_fetched(&self.source, node, None))
    }
}

impl PriceFeed for Client {
    fn prices<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}
