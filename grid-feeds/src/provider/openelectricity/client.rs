//! Requests by spans of the market's time, which end now: nothing is known ahead.

use planner::time::{Seconds, Timestamp};
use reqwest::RequestBuilder;

use super::map;
use crate::feed::{
    CarbonFeed, Factors, FeedError, Fetched, Fetching, PriceFeed, Quantity, Query, Role, Secret,
    SecretSource, Series,
};
use crate::http::{Http, send};
use crate::provider::Declaration;

/// The market's time is ahead of UTC, all year.
const AHEAD_OF_UTC: Seconds = Seconds::new(10 * 3600);

/// One region of the market.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// `NSW1`, `QLD1`, `SA1`, `TAS1` or `VIC1`.
    pub region: String,
    /// The key.
    pub token: SecretSource,
    /// What a kWh emits: `direct` or `lifecycle`.
    #[serde(default)]
    pub factors: Factors,
    /// Where the service is.
    #[serde(default = "host")]
    pub base_url: String,
}

fn host() -> String {
    "https://api.openelectricity.org.au".to_owned()
}

impl Declaration for Settings {
    /// Values of five minutes are told of no more than seven days at once.
    const LONGEST_WINDOW: Seconds = Seconds::new(6 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = "region = \"NSW1\"\ntoken = { environment = \"X\" }";

    fn connect(
        &self,
        source: &str,
        quantity: Quantity,
        http: &Http,
    ) -> Result<Option<Role>, FeedError> {
        let client = || Client::new(source, self, http).map(Box::new);
        Ok(match quantity {
            Quantity::Price => Some(Role::Price(client()?)),
            Quantity::Co2 => Some(Role::Carbon(client()?)),
            Quantity::PowerCap => None,
        })
    }
}

/// Asks about one region.
#[derive(Debug)]
pub struct Client {
    source: Box<str>,
    settings: Settings,
    token: Secret,
    http: Http,
}

impl Client {
    /// A client of `settings`, whose key is read now.
    ///
    /// # Errors
    /// Where the key cannot be read.
    pub fn new(source: &str, settings: &Settings, http: &Http) -> Result<Self, FeedError> {
        let token = settings.token.read().map_err(FeedError::configuration)?;
        Ok(Self { source: source.into(), settings: settings.clone(), token, http: http.clone() })
    }

    async fn price_series(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let asked = self.request("market", query)?.query(&[("metrics", "price")]);
        self.revision(asked, query, |text| map::prices(text, &self.settings.region)).await
    }

    async fn generation_series(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let asked = [("metrics", "power"), ("secondary_grouping", "fueltech")];
        let request = self.request("data", query)?.query(&asked);
        let Settings { region, factors, .. } = &self.settings;
        self.revision(request, query, |text| map::intensities(text, region, *factors)).await
    }

    /// Asks for the intervals that end after the window begins and up to its end. The end that is asked for does not
    /// count; where none is, the supplier leaves out the interval that is still settling.
    fn request(&self, part: &str, query: Query<'_>) -> Result<RequestBuilder, FeedError> {
        let (first, end) = (query.window.start(), query.window.end());
        let settled = query.now - map::STEP - map::STEP;
        if settled <= first {
            return Err(FeedError::not_published("nothing is known ahead"));
        }
        let path = format!("/v4/{part}/network/{}", map::NETWORK);
        let request =
            self.http.get(&self.settings.base_url, &path).bearer_auth(self.token.expose());
        let request = request.query(&[
            ("interval", map::INTERVAL),
            ("date_start", &market_time(first)),
            ("network_region", &self.settings.region),
        ]);
        let is_over = end < settled;
        Ok(if is_over {
            request.query(&[("date_end", market_time(end + map::STEP))])
        } else {
            request
        })
    }

    async fn revision(
        &self,
        request: RequestBuilder,
        query: Query<'_>,
        read: impl FnOnce(&str) -> Result<Series, FeedError>,
    ) -> Result<Fetched, FeedError> {
        let answer = send(request, Some(&self.token), query.now).await?;
        if is_empty(answer.status, &answer.text) {
            return Err(FeedError::not_published(format!("status {}", answer.status)));
        }
        let series = read(answer.success()?)?.asked_for(query.window)?;
        Ok(series.into_fetched(&self.source, &self.settings.region, None))
    }
}

/// Whether an answer says that there are no values yet: 416, and 404 with such words. Another 404 is a wrong address.
fn is_empty(status: u16, text: &str) -> bool {
    status == 416 || status == 404 && text.contains("in the specified time range")
}

/// `2026-03-01T22:00:00`, without an offset.
fn market_time(instant: Timestamp) -> String {
    (instant + AHEAD_OF_UTC).to_string().trim_end_matches('Z').to_owned()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Midnight in Sydney is 01:00 of summer there and 00:00 of the market's time, 14:00 UTC of the day before.
    #[test]
    fn what_is_asked_for_is_in_the_market_s_time_without_an_offset() {
        let at = |text| Timestamp::parse(text).unwrap();
        assert_eq!(market_time(at("2026-01-14T14:00:00Z")), "2026-01-15T00:00:00");
        assert_eq!(market_time(at("2026-07-14T14:00:00Z")), "2026-07-15T00:00:00");
    }

    #[test]
    fn no_values_are_told_from_no_such_address() {
        let none =
            r#"{"success": false, "error": "No data available in the specified time range"}"#;
        assert!(is_empty(416, "{}"));
        assert!(is_empty(404, none));
        assert!(!is_empty(404, "404 page not found"));
        assert!(!is_empty(400, none));
    }
}
