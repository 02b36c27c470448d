//! Requests: a file for each month.

use jiff::ToSpan;
use planner::time::Seconds;

use super::{RecordArea, map};
use crate::feed::{CarbonFeed, Factors, FeedError, Fetched, Fetching, Quantity, Query, Role};
use crate::http::{Http, send_decoded};
use crate::local_time::LocalTime;
use crate::provider::{Declaration, PlainClient, japanese};
use crate::schedule::Rhythm;

/// One area.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Such as `tokyo`.
    pub area: RecordArea,
    /// What a kWh emits: `direct` or `lifecycle`.
    #[serde(default)]
    pub factors: Factors,
    /// The folder of the files; that of the area's company unless given.
    pub base_url: Option<String>,
}

impl Declaration for Settings {
    const LONGEST_WINDOW: Seconds = Seconds::new(60 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = "area = \"tokyo\"";

    fn connect(
        &self,
        source: &str,
        quantity: Quantity,
        http: &Http,
    ) -> Result<Option<Role>, FeedError> {
        let client = || Client::new(source, self, http);
        Ok((quantity == Quantity::Co2).then(|| Role::Carbon(Box::new(client()))))
    }

    fn rhythm(_quantity: Quantity) -> Rhythm {
        Rhythm { poll_every_s: 1800, ..Rhythm::default() }
    }
}

/// Asks for files of one area.
pub type Client = PlainClient<Settings>;

impl Client {
    async fn fetch(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let Settings { area, factors, base_url } = &self.settings;
        let local = LocalTime::named(japanese::ZONE).map_err(FeedError::calendar)?;
        let date = |instant| local.date(instant).map_err(FeedError::calendar);
        let until = query.window.end().min(query.now);
        if until <= query.window.start() {
            return Err(FeedError::not_published("nothing is known ahead"));
        }
        let first = date(query.window.start())?.first_of_month();
        let last = date(until - Seconds::ONE)?;
        let folder = base_url.as_deref().unwrap_or(area.folder());
        let (mut records, mut missing) = (Vec::new(), Vec::new());
        for month in first.series(1.month()).take_while(|month| *month <= last) {
            let file = format!("/eria_jukyu_{}_{}.csv", month.strftime("%Y%m"), area.number());
            let request = self.http.get(folder, &file);
            let answer = send_decoded(request, query.now, japanese::text).await?;
            // Not out yet, or kept no longer.
            if answer.status == 404 {
                missing.push(format!("there is no file of {}", month.strftime("%Y-%m")));
            } else {
                records.push(map::read(answer.success()?, month)?);
            }
        }
        if records.is_empty() {
            return Err(FeedError::not_published(missing.join(", ")));
        }
        let mut series = map::intensities(&records, query.window, *factors)?;
        series.notes.extend(missing);
        Ok(series.into_fetched(&self.source, area.word(), None))
    }
}

impl CarbonFeed for Client {
    fn intensities<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}
