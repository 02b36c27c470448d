//! Requests: what was, by a span, and what is expected, by its horizon of 48 h.

use planner::time::{Seconds, Timestamp};

use super::map;
use super::wire::HalfHour;
use crate::feed::{CarbonFeed, FeedError, Fetched, Fetching, Quantity, Query, Role};
use crate::http::{Http, send};
use crate::provider::{Declaration, PlainClient};

/// Great Britain or a region of it.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// 1 to 17; Great Britain without.
    pub region: Option<u8>,
    /// Where the service is.
    #[serde(default = "host")]
    pub base_url: String,
}

fn host() -> String {
    "https://api.carbonintensity.org.uk".to_owned()
}

impl Declaration for Settings {
    const LONGEST_WINDOW: Seconds = Seconds::new(14 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = "";

    fn connect(
        &self,
        source: &str,
        quantity: Quantity,
        http: &Http,
    ) -> Result<Option<Role>, FeedError> {
        let client = || Client::new(source, self, http);
        Ok((quantity == Quantity::Co2).then(|| Role::Carbon(Box::new(client()))))
    }
}

/// Asks for half-hours.
pub type Client = PlainClient<Settings>;

impl Client {
    async fn fetch(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let (start, end) = (query.window.start(), query.window.end());
        let mut half_hours = Vec::new();
        let mut nothing = FeedError::not_published("nothing asked");
        let past = (start < query.now)
            .then(|| format!("{}/{}", minute(start), minute(end.min(query.now))));
        let future = (query.now < end).then(|| format!("{}/fw48h", minute(start.max(query.now))));
        for span in [past, future].into_iter().flatten() {
            match self.half_hours(&span, query.now).await {
                Ok(more) => half_hours.extend(more),
                Err(error @ FeedError::NotPublished { .. }) => nothing = error,
                Err(error) => return Err(error),
            }
        }
        if half_hours.is_empty() {
            return Err(nothing);
        }
        let zone = self.settings.region.map_or("GB".to_owned(), |region| format!("GB-{region}"));
        let series = map::intensities(&half_hours)?.asked_for(query.window)?;
        Ok(series.into_fetched(&self.source, &zone, None))
    }

    async fn half_hours(&self, span: &str, now: Timestamp) -> Result<Vec<HalfHour>, FeedError> {
        let path = match self.settings.region {
            Some(region) => format!("/regional/intensity/{span}/regionid/{region}"),
            None => format!("/intensity/{span}"),
        };
        let answer = send(self.http.get(&self.settings.base_url, &path), None, now).await?;
        map::read(answer.success()?, self.settings.region)
    }
}

/// `2018-01-20T12:00Z`.
fn minute(instant: Timestamp) -> String {
    let mut text = instant.to_string();
    text.truncate("2018-01-20T12:00".len());
    text + "Z"
}

impl CarbonFeed for Client {
    fn intensities<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}
