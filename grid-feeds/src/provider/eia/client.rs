//! Requests: whole hours, the newest first, page by page.

use planner::time::{Seconds, Timestamp};

use super::map;
use super::wire::Page;
use crate::feed::{
    CarbonFeed, Factors, FeedError, Fetched, Fetching, Quantity, Query, Role, Secret, SecretSource,
};
use crate::http::{Http, send};
use crate::provider::Declaration;

const PATH: &str = "/v2/electricity/rto/fuel-type-data/data/";

/// Rows on one page, the most there are.
const PAGE: usize = 5000;

/// No span that may be asked for has more rows.
const MOST_ROWS: usize = 40_000;

const HOUR: Seconds = Seconds::new(3600);

/// One balancing authority.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The balancing authority's code, such as `CISO`, `ERCO`, `PJM`, `MISO`, `NYIS`, `ISNE` or `SWPP`.
    pub respondent: String,
    /// The key.
    pub api_key: SecretSource,
    /// What a kWh emits: `direct` or `lifecycle`.
    #[serde(default)]
    pub factors: Factors,
    /// Where the service is.
    #[serde(default = "host")]
    pub base_url: String,
}

fn host() -> String {
    "https://api.eia.gov".to_owned()
}

impl Declaration for Settings {
    // A fuel that is not reported any more makes gaps of all other hours of a part.
    const LONGEST_WINDOW: Seconds = Seconds::new(7 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = "respondent = \"CISO\"\napi_key = { environment = \"X\" }";

    fn connect(
        &self,
        source: &str,
        quantity: Quantity,
        http: &Http,
    ) -> Result<Option<Role>, FeedError> {
        let client = || Ok(Role::Carbon(Box::new(Client::new(source, self, http)?)));
        (quantity == Quantity::Co2).then(client).transpose()
    }
}

/// Asks about one balancing authority.
#[derive(Debug)]
pub struct Client {
    source: Box<str>,
    settings: Settings,
    key: Secret,
    http: Http,
}

impl Client {
    /// A client of `settings`, whose key is read now.
    ///
    /// # Errors
    /// Where the key cannot be read.
    pub fn new(source: &str, settings: &Settings, http: &Http) -> Result<Self, FeedError> {
        let key = settings.api_key.read().map_err(FeedError::configuration)?;
        Ok(Self { source: source.into(), settings: settings.clone(), key, http: http.clone() })
    }

    async fn fetch(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let Settings { respondent, factors, .. } = &self.settings;
        let (mut pages, mut rows) = (Vec::new(), 0);
        while rows < MOST_ROWS {
            let page = self.page(query, rows).await?;
            let total = map::total(&page).unwrap_or(0);
            let here = page.data.len();
            rows += here;
            pages.push(page);
            if here == 0 || rows >= total {
                break;
            }
        }
        if rows == 0 {
            let message = format!("no rows; unless they come, check `respondent` {respondent:?}");
            return Err(FeedError::not_published(message));
        }
        let series = map::intensities(&pages, respondent, *factors)?.asked_for(query.window)?;
        Ok(series.into_fetched(&self.source, respondent, None))
    }

    /// The rows from `offset` on. Without an order of rows, pages overlap and leave rows out.
    async fn page(&self, query: Query<'_>, offset: usize) -> Result<Page, FeedError> {
        let (start, end) = (query.window.start() + Seconds::ONE, query.window.end());
        let request = self
            .http
            .get(&self.settings.base_url, PATH)
            .query(&[("api_key", self.key.expose())])
            .query(&[
                ("frequency", "hourly"),
                ("data[]", "value"),
                ("facets[respondent][]", &self.settings.respondent),
                ("start", &hour_ending(start)),
                ("end", &hour_ending(end)),
                ("sort[0][column]", "period"),
                ("sort[0][direction]", "desc"),
                ("sort[1][column]", "fueltype"),
                ("sort[1][direction]", "asc"),
            ])
            .query(&[("offset", offset), ("length", PAGE)]);
        let answer = send(request, Some(&self.key), query.now).await?;
        map::read(answer.success()?)
    }
}

/// The end of the hour that has the second before `instant`, such as `2026-03-10T14`.
fn hour_ending(instant: Timestamp) -> String {
    instant.ceil_to(HOUR).to_string().chars().take(13).collect()
}

impl CarbonFeed for Client {
    fn intensities<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}
