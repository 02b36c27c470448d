//! Requests: the index of a series, then the files of its weeks.

use planner::time::{Seconds, Span, Timestamp};

use super::filter;
use super::map::{self, FileStep, GenerationWeek, SeriesWeek};
use crate::feed::{
    CarbonFeed, Factors, FeedError, Fetched, Fetching, PriceFeed, Quantity, Query, Role, Series,
};
use crate::http::{Http, send};
use crate::local_time::LocalTime;
use crate::provider::Declaration;
use crate::schedule::Rhythm;

/// The zone whose generation is told.
const GERMANY: &str = "DE";

/// Wind on shore: a series whose index tells the weeks of generation.
const INDEXED: u32 = 4067;

/// A zone.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// For prices the bidding zone, such as `DE-LU`; for CO2 `DE`.
    pub zone: String,
    /// How long values hold: `quarterhour` or `hour`.
    #[serde(default = "quarter_hours")]
    pub resolution: FileStep,
    /// What a kWh emits: `direct` or `lifecycle`.
    #[serde(default)]
    pub factors: Factors,
    /// Where the service is.
    #[serde(default = "host")]
    pub base_url: String,
}

const fn quarter_hours() -> FileStep {
    FileStep::QuarterHour
}

fn host() -> String {
    "https://www.smard.de".to_owned()
}

impl Declaration for Settings {
    /// Three weeks of generation are more than thirty files.
    const LONGEST_WINDOW: Seconds = Seconds::new(14 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = r#"zone = "DE-LU""#;

    fn connect(
        &self,
        source: &str,
        quantity: Quantity,
        http: &Http,
    ) -> Result<Option<Role>, FeedError> {
        let zone = self.zone.as_str();
        let client = |prices| Box::new(Client::new(source, self, prices, http));
        match quantity {
            Quantity::Price => {
                let filter = filter::of_zone(zone).ok_or_else(|| {
                    let zones = filter::zones();
                    FeedError::configuration(format!("zone {zone:?} has no prices, but {zones}"))
                })?;
                Ok(Some(Role::Price(client(filter))))
            }
            Quantity::Co2 if zone == GERMANY => Ok(Some(Role::Carbon(client(INDEXED)))),
            Quantity::Co2 => {
                let message = format!("zone {zone:?}: generation is told of {GERMANY} alone");
                Err(FeedError::configuration(message))
            }
            Quantity::PowerCap => Ok(None),
        }
    }

    fn rhythm(quantity: Quantity) -> Rhythm {
        match quantity {
            Quantity::Price => Rhythm::daily(map::ZONE, &["13:00"]),
            // A poll asks for a dozen files, twice as many where a week begins.
            Quantity::Co2 | Quantity::PowerCap => {
                Rhythm { poll_every_s: 3600, budget_requests: 60, ..Rhythm::default() }
            }
        }
    }
}

/// Asks about one zone.
#[derive(Debug)]
pub struct Client {
    source: Box<str>,
    settings: Settings,
    /// The series whose index tells the weeks.
    indexed: u32,
    http: Http,
}

impl Client {
    /// A client of `settings`, which finds weeks in the index of the series `indexed`.
    pub(super) fn new(source: &str, settings: &Settings, indexed: u32, http: &Http) -> Self {
        Self { source: source.into(), settings: settings.clone(), indexed, http: http.clone() }
    }

    async fn price_series(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let mut weeks = Vec::new();
        for week in self.weeks(query).await? {
            weeks.extend(self.week(query.now, self.indexed, week).await?);
        }
        Ok(self.revision(map::prices(&weeks, query.window)?))
    }

    async fn generation_series(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let local = LocalTime::named(map::ZONE).map_err(FeedError::calendar)?;
        let mut weeks = Vec::new();
        for week in self.weeks(query).await? {
            let monday = local.date(week.start()).map_err(FeedError::calendar)?;
            let mut kinds = GenerationWeek::new();
            for series in filter::generation(monday) {
                kinds.insert(series, self.week(query.now, series, week).await?);
            }
            weeks.push(kinds);
        }
        let Settings { resolution, factors, .. } = self.settings;
        Ok(self.revision(map::intensities(&weeks, query.window, resolution, factors)?))
    }

    /// The weeks that there are of those that touch the span asked for.
    async fn weeks(&self, query: Query<'_>) -> Result<Vec<Span>, FeedError> {
        let name = format!("index_{}.json", self.settings.resolution.word());
        let request = self.http.get(&self.settings.base_url, &path(self.indexed, &name));
        let answer = send(request, None, query.now).await?;
        map::weeks(answer.success()?, query.window)
    }

    /// The week of a series; `None` where there is no file of it.
    async fn week(
        &self,
        now: Timestamp,
        series: u32,
        week: Span,
    ) -> Result<Option<SeriesWeek>, FeedError> {
        let Settings { resolution, base_url, .. } = &self.settings;
        let start = week.start().as_unix_seconds() * 1000;
        let name = format!("{series}_DE_{}_{start}.json", resolution.word());
        let answer = send(self.http.get(base_url, &path(series, &name)), None, now).await?;
        if answer.status == 404 {
            return Ok(None);
        }
        map::read(answer.success()?, week, *resolution).map(Some)
    }

    fn revision(&self, series: Series) -> Fetched {
        series.into_fetched(&self.source, &self.settings.zone, None)
    }
}

/// All series, those of neighbours too, are listed under Germany.
fn path(series: u32, name: &str) -> String {
    format!("/app/chart_data/{series}/DE/{name}")
}

impl PriceFeed for Client {
    fn prices<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.price_series(query))
    }
}

impl CarbonFeed for Client {
    fn intensities<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.generation_series(query))
    }
}
