//! Requests: a file for each fiscal year.

use planner::time::Seconds;
use reqwest::header::REFERER;

use super::{SpotArea, map};
use crate::feed::{FeedError, Fetched, Fetching, PriceFeed, Quantity, Query, Role};
use crate::http::{Http, send_decoded};
use crate::local_time::LocalTime;
use crate::provider::american::delivery_days;
use crate::provider::japanese;
use crate::provider::{Declaration, PlainClient};
use crate::schedule::Rhythm;

/// The page of the market: files are told to nobody who does not come from there.
const PAGE: &str = "/electricpower/market-data/spot/";

/// One area.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Such as `tokyo`, or `system` for the market as a whole.
    pub area: SpotArea,
    /// Where the exchange is.
    #[serde(default = "host")]
    pub base_url: String,
}

fn host() -> String {
    "https://www.jepx.jp".to_owned()
}

impl Declaration for Settings {
    /// A year is nearly three megabytes.
    const LONGEST_WINDOW: Seconds = Seconds::new(365 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = "area = \"tokyo\"";

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
        Rhythm::daily(japanese::ZONE, &["10:00"])
    }
}

/// Asks for files, and reads one area in them.
pub type Client = PlainClient<Settings>;

impl Client {
    async fn fetch(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let Settings { area, base_url } = &self.settings;
        let local = LocalTime::named(japanese::ZONE).map_err(FeedError::calendar)?;
        let days = delivery_days(query, &local)?;
        let (Some(first), Some(last)) = (days.first(), days.last()) else {
            return Err(FeedError::not_published("no days"));
        };
        let first_year = map::fiscal_year(*first);
        let (mut files, mut missing) = (Vec::new(), Vec::new());
        for year in first_year..=map::fiscal_year(*last) {
            let file = format!("spot_summary_{year}.csv");
            let request = self
                .http
                .get(base_url, "/js/csv_read.php")
                .query(&[("dir", "spot_summary"), ("file", &file)])
                .header(REFERER, format!("{}{PAGE}", base_url.trim_end_matches('/')));
            let answer = send_decoded(request, query.now, japanese::text).await?;
            // The file of a year begins with the auction for its first day.
            let is_empty = answer.success().is_ok_and(|text| text.trim().is_empty());
            if answer.status == 404 || is_empty && year > first_year {
                missing.push(format!("there is no file of the fiscal year {year}"));
            } else {
                files.push(map::read(answer.success()?, year, *area, (*first, *last))?);
            }
        }
        if files.is_empty() {
            return Err(FeedError::not_published(missing.join(", ")));
        }
        let mut series = map::prices(files)?.asked_for(query.window)?;
        series.notes.extend(missing);
        Ok(series.into_fetched(&self.source, area.word(), None))
    }
}

impl PriceFeed for Client {
    fn prices<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}
