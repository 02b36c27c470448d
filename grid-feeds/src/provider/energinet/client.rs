//! Requests by local days, of the data sets that the days are in, by pages.

use jiff::civil::Date;
use planner::time::{Seconds, Timestamp};
use serde::de::DeserializeOwned;
use serde_json::json;

use super::map::{self, PriceColumn};
use super::wire::{EmissionRecord, PriceRecord, RecordPage};
use crate::feed::{
    CarbonFeed, FeedError, Fetched, Fetching, PriceFeed, Quantity, Query, Role, Series,
};
use crate::http::{Http, send};
use crate::local_time::LocalTime;
use crate::provider::{Declaration, PlainClient};
use crate::schedule::Rhythm;

/// Records on one page: more than a month of five minutes.
const PAGE: usize = 10_000;

/// Pages at most; a service that goes on has lost count.
const MOST_PAGES: usize = 20;

/// The areas whose CO2 is told.
const DENMARK: [&str; 2] = ["DK1", "DK2"];

/// Measurements are this late at most: the forecast is asked for from then on.
const DELAY: Seconds = Seconds::new(2 * 3600);

/// One price area.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Such as `DK1`; for CO2 `DK1` or `DK2`.
    pub area: String,
    /// In what prices are told: `DKK` or `EUR`.
    #[serde(default = "kroner")]
    pub currency: PriceColumn,
    /// Where the service is.
    #[serde(default = "host")]
    pub base_url: String,
}

const fn kroner() -> PriceColumn {
    PriceColumn::Dkk
}

fn host() -> String {
    "https://api.energidataservice.dk".to_owned()
}

impl Declaration for Settings {
    const LONGEST_WINDOW: Seconds = Seconds::new(31 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = r#"area = "DK1""#;

    fn connect(
        &self,
        source: &str,
        quantity: Quantity,
        http: &Http,
    ) -> Result<Option<Role>, FeedError> {
        let client = || Box::new(Client::new(source, self, http));
        match quantity {
            Quantity::Price => Ok(Some(Role::Price(client()))),
            Quantity::Co2 if DENMARK.contains(&self.area.as_str()) => {
                Ok(Some(Role::Carbon(client())))
            }
            Quantity::Co2 => {
                let message = format!("area {:?}: CO2 is told of DK1 and DK2 alone", self.area);
                Err(FeedError::configuration(message))
            }
            Quantity::PowerCap => Ok(None),
        }
    }

    fn rhythm(quantity: Quantity) -> Rhythm {
        match quantity {
            Quantity::Price => Rhythm::daily(map::ZONE, &["13:00"]),
            Quantity::Co2 | Quantity::PowerCap => Rhythm::default(),
        }
    }
}

/// Asks about one area.
pub type Client = PlainClient<Settings>;

impl Client {
    async fn price_series(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let (first, last) = (day(query.window.start())?, day(query.window.end() - Seconds::ONE)?);
        let from = map::QUARTER_HOURS_FROM;
        let mut records: Vec<PriceRecord> = Vec::new();
        if first < from {
            let until = last.min(from.yesterday().map_err(FeedError::calendar)?);
            let hours = ("Elspotprices", "HourUTC");
            records = self.records(query.now, hours, (first, until)).await?;
        }
        if from <= last {
            let quarters = ("DayAheadPrices", "TimeUTC");
            let days = (first.max(from), last);
            records.extend(self.records::<PriceRecord>(query.now, quarters, days).await?);
        }
        let Settings { area, currency, .. } = &self.settings;
        self.revision(map::prices(&records, area, *currency)?, query)
    }

    async fn carbon_series(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let (start, end, now) = (query.window.start(), query.window.end(), query.now);
        let (first, last) = (day(start)?, day(end - Seconds::ONE)?);
        let mut measured: Vec<EmissionRecord> = Vec::new();
        let mut expected: Vec<EmissionRecord> = Vec::new();
        if start < now {
            let days = (first, last.min(day(now)?));
            measured = self.records(now, ("CO2Emis", "Minutes5UTC"), days).await?;
        }
        if now - DELAY < end {
            let days = (first.max(day(now - DELAY)?), last);
            expected = self.records(now, ("CO2EmisProg", "Minutes5UTC"), days).await?;
        }
        self.revision(map::intensities(&measured, &expected, &self.settings.area)?, query)
    }

    /// The records of a data set, sorted by a column, of days: the first and the last included.
    async fn records<R: DeserializeOwned>(
        &self,
        now: Timestamp,
        (dataset, column): (&str, &str),
        (first, last): (Date, Date),
    ) -> Result<Vec<R>, FeedError> {
        let end = last.tomorrow().map_err(FeedError::calendar)?;
        let filter = json!({"PriceArea": [self.settings.area]}).to_string();
        let mut records = Vec::new();
        for _ in 0..MOST_PAGES {
            let request = self
                .http
                .get(&self.settings.base_url, &format!("/dataset/{dataset}"))
                .query(&[("start", first.to_string()), ("end", end.to_string())])
                .query(&[("filter", filter.as_str()), ("sort", column)])
                .query(&[("offset", records.len()), ("limit", PAGE)]);
            let answer = send(request, None, now).await?;
            let page: RecordPage<R> = map::read(answer.success()?, dataset)?;
            // A service that bounds pages more tightly says so.
            let full = if page.limit == 0 { PAGE } else { page.limit.min(PAGE) };
            let is_last = page.records.len() < full;
            records.extend(page.records);
            if is_last {
                return Ok(records);
            }
        }
        let message = format!("more than {MOST_PAGES} pages of {first} to {last}");
        Err(FeedError::payload("/records", message))
    }

    fn revision(&self, series: Series, query: Query<'_>) -> Result<Fetched, FeedError> {
        let series = series.asked_for(query.window)?;
        Ok(series.into_fetched(&self.source, &self.settings.area, None))
    }
}

fn day(instant: Timestamp) -> Result<Date, FeedError> {
    let local = LocalTime::named(map::ZONE).map_err(FeedError::calendar)?;
    local.date(instant).map_err(FeedError::calendar)
}

impl PriceFeed for Client {
    fn prices<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.price_series(query))
    }
}

impl CarbonFeed for Client {
    fn intensities<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.carbon_series(query))
    }
}
