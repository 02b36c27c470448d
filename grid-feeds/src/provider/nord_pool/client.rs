//! Requests day by day of Central European Time.

use planner::time::Seconds;

use super::map;
use crate::feed::{FeedError, Fetched, Fetching, PriceFeed, Quantity, Query, Role};
use crate::http::{Http, send};
use crate::local_time::LocalTime;
use crate::provider::Declaration;
use crate::schedule::Rhythm;

/// Days of delivery are days of this zone.
const ZONE: &str = "Europe/Berlin";

/// One delivery area.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Such as `SE3`.
    pub area: String,
    /// Such as `EUR`.
    pub currency: String,
    /// Where the service is.
    #[serde(default = "host")]
    pub base_url: String,
}

fn host() -> String {
    "https://dataportal-api.nordpoolgroup.com".to_owned()
}

impl Declaration for Settings {
    const LONGEST_WINDOW: Seconds = Seconds::new(31 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = "area = \"SE3\"\ncurrency = \"EUR\"";

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
        Rhythm::daily("Europe/Berlin", &["12:55"])
    }
}

/// Asks for one area.
#[derive(Debug)]
pub struct Client {
    source: Box<str>,
    settings: Settings,
    http: Http,
}

impl Client {
    /// A client of `settings`.
    pub fn new(source: &str, settings: &Settings, http: &Http) -> Self {
        Self { source: source.into(), settings: settings.clone(), http: http.clone() }
    }

    async fn fetch(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let local = LocalTime::named(ZONE).map_err(FeedError::calendar)?;
        let date = |instant| local.date(instant).map_err(FeedError::calendar);
        let last = date(query.window.end() - Seconds::ONE)?;
        let mut day = date(query.window.start())?;
        let mut days = Vec::new();
        let mut missing = Vec::new();
        while day <= last {
            let request = self.http.get(&self.settings.base_url, "/api/DayAheadPrices").query(&[
                ("market", map::MARKET),
                ("date", &day.to_string()),
                ("deliveryArea", &self.settings.area),
                ("currency", &self.settings.currency),
            ]);
            let answer = send(request, None, query.now).await?;
            if answer.status == 204 {
                missing.push(format!("{day} is not published yet"));
            } else {
                days.push(map::read(answer.success()?, &day.to_string())?);
            }
            day = day.tomorrow().map_err(FeedError::calendar)?;
        }
        if days.is_empty() {
            return Err(FeedError::not_published(missing.join(", ")));
        }
        let Settings { area, currency, .. } = &self.settings;
        let mut series = map::prices(&days, area, currency)?.asked_for(query.window)?;
        series.notes.extend(missing);
        Ok(series.into_fetched(&self.source, area, None))
    }
}

impl PriceFeed for Client {
    fn prices<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}
