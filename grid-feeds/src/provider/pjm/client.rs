//! Requests: days of the market at once, by pages, with the key in a header.

use planner::time::Seconds;

use super::map;
use super::wire::Row;
use crate::feed::{
    FeedError, Fetched, Fetching, PriceFeed, Quantity, Query, Role, Secret, SecretSource,
};
use crate::http::{Http, send};
use crate::local_time::LocalTime;
use crate::provider::Declaration;
use crate::provider::american::delivery_days;
use crate::schedule::Rhythm;

/// Rows on a page at the most, by the service's rules; a year has 8760 hours.
const PAGE: usize = 50_000;

/// So many pages are asked for, should they be shorter.
const MOST_PAGES: usize = 20;

/// One pricing node.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The number of the node: 51288 is the western hub.
    pub pnode_id: u64,
    /// The subscription's key.
    pub key: SecretSource,
    /// Where the service is.
    #[serde(default = "host")]
    pub base_url: String,
}

fn host() -> String {
    "https://api.pjm.com".to_owned()
}

impl Declaration for Settings {
    const LONGEST_WINDOW: Seconds = Seconds::new(365 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = "pnode_id = 51288\nkey = { file = \"k\" }";

    fn connect(
        &self,
        source: &str,
        quantity: Quantity,
        http: &Http,
    ) -> Result<Option<Role>, FeedError> {
        let client = || Ok(Role::Price(Box::new(Client::new(source, self, http)?)));
        (quantity == Quantity::Price).then(client).transpose()
    }

    fn rhythm(_quantity: Quantity) -> Rhythm {
        Rhythm { budget_requests: 6, ..Rhythm::daily(map::ZONE, &["13:30"]) }
    }
}

/// Asks about one node.
#[derive(Debug)]
pub struct Client {
    source: Box<str>,
    settings: Settings,
    node: Box<str>,
    key: Secret,
    http: Http,
}

impl Client {
    /// A client of `settings`, whose key is read now.
    ///
    /// # Errors
    /// Where the key cannot be read.
    pub fn new(source: &str, settings: &Settings, http: &Http) -> Result<Self, FeedError> {
        let key = settings.key.read().map_err(FeedError::configuration)?;
        let node = settings.pnode_id.to_string().into();
        let (source, settings) = (source.into(), settings.clone());
        Ok(Self { source, settings, node, key, http: http.clone() })
    }

    async fn fetch(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let local = LocalTime::named(map::ZONE).map_err(FeedError::calendar)?;
        let days = delivery_days(query, &local)?;
        let (Some(first), Some(last)) = (days.first(), days.last()) else {
            return Err(FeedError::not_published("no days"));
        };
        let rows = self.rows(&format!("{first} 00:00 to {last} 23:00"), query).await?;
        let series = map::prices(&rows, &self.node)?.asked_for(query.window)?;
        Ok(series.into_fetched(&self.source, &self.node, None))
    }

    /// The rows of the hours that begin in `span`, on however many pages they are.
    async fn rows(&self, span: &str, query: Query<'_>) -> Result<Vec<Row>, FeedError> {
        let mut rows = Vec::new();
        for _ in 0..MOST_PAGES {
            let request = self
                .http
                .get(&self.settings.base_url, "/api/v1/da_hrl_lmps")
                .header("Ocp-Apim-Subscription-Key", self.key.expose())
                .query(&[
                    ("format", "json"),
                    ("pnode_id", &self.node),
                    ("datetime_beginning_ept", span),
                ])
                .query(&[("startRow", rows.len() + 1), ("rowCount", PAGE)]);
            let answer = send(request, Some(&self.key), query.now).await?;
            let page = map::read(answer.success()?)?;
            let is_last = page.items.is_empty() || rows.len() + page.items.len() >= page.total_rows;
            rows.extend(page.items);
            if is_last {
                break;
            }
        }
        Ok(rows)
    }
}

impl PriceFeed for Client {
    fn prices<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}
