//! Requests: days of the market at once.

use planner::time::{Seconds, Timestamp};

use super::map;
use crate::archive::one_file;
use crate::feed::{FeedError, Fetched, Fetching, PriceFeed, Quantity, Query, Role};
use crate::http::{Http, send_decoded};
use crate::local_time::LocalTime;
use crate::provider::american::delivery_days;
use crate::provider::{Declaration, PlainClient};
use crate::schedule::Rhythm;

/// One node or hub.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Such as `TH_NP15_GEN-APND`.
    pub node: String,
    /// Where the service is.
    #[serde(default = "host")]
    pub base_url: String,
}

fn host() -> String {
    "https://oasis.caiso.com".to_owned()
}

impl Declaration for Settings {
    /// No more than 31 days may be asked for, and whole days are.
    const LONGEST_WINDOW: Seconds = Seconds::new(28 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = "node = \"TH_NP15_GEN-APND\"";

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
        Rhythm { budget_requests: 1, budget_per_s: 6, ..Rhythm::daily(map::ZONE, &["13:00"]) }
    }
}

/// Asks about one node.
pub type Client = PlainClient<Settings>;

impl Client {
    async fn fetch(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let Settings { node, base_url } = &self.settings;
        let local = LocalTime::named(map::ZONE).map_err(FeedError::calendar)?;
        let days = delivery_days(query, &local)?;
        let (Some(first), Some(last)) = (days.first(), days.last()) else {
            return Err(FeedError::not_published("no days"));
        };
        let next = last.tomorrow().map_err(FeedError::calendar)?;
        let start = local.day_start(*first).map_err(FeedError::calendar)?;
        let end = local.day_start(next).map_err(FeedError::calendar)?;
        let request = self.http.get(base_url, "/oasisapi/SingleZip").query(&[
            ("queryname", "PRC_LMP"),
            ("version", "1"),
            ("market_run_id", "DAM"),
            ("node", node),
            ("startdatetime", &oasis_time(start)),
            ("enddatetime", &oasis_time(end)),
            ("resultformat", "6"),
        ]);
        let answer = send_decoded(request, query.now, one_file).await?;
        let rows = map::read(answer.success()?, node)?;
        let series = map::prices(&rows)?.asked_for(query.window)?;
        Ok(series.into_fetched(&self.source, node, None))
    }
}

/// `20260310T07:00-0000`.
fn oasis_time(midnight: Timestamp) -> String {
    let text = midnight.to_string().replace('-', "");
    format!("{}-0000", text.trim_end_matches(":00Z"))
}

impl PriceFeed for Client {
    fn prices<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_utc_in_the_spelling_of_the_service() {
        let at = |text| oasis_time(Timestamp::parse(text).unwrap());
        assert_eq!(at("2026-03-08T08:00:00Z"), "20260308T08:00-0000");
        assert_eq!(at("2026-03-09T07:00:00Z"), "20260309T07:00-0000");
    }
}
