//! Requests: the listing, and the newest file of it.

use planner::time::Seconds;

use super::map;
use crate::archive::one_file;
use crate::feed::{FeedError, Fetched, Fetching, PriceFeed, Quantity, Query, Role, Validator};
use crate::http::{Http, send, send_decoded};
use crate::provider::{Declaration, PlainClient};
use crate::schedule::Rhythm;

/// Where the files of about two days are.
const FOLDER: &str = "/Reports/Current/PredispatchIS_Reports/";

/// One region of the market.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// `NSW1`, `QLD1`, `SA1`, `TAS1` or `VIC1`.
    pub region: String,
    /// Where the files are.
    #[serde(default = "host")]
    pub base_url: String,
}

fn host() -> String {
    "https://nemweb.com.au".to_owned()
}

impl Declaration for Settings {
    const LONGEST_WINDOW: Seconds = Seconds::new(14 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = "region = \"NSW1\"";

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
        Rhythm { poll_every_s: 1800, ..Rhythm::default() }
    }

    /// A pre-dispatch is never more than a forecast.
    fn is_binding(&self, _quantity: Quantity) -> bool {
        false
    }
}

/// Asks about one region.
pub type Client = PlainClient<Settings>;

impl Client {
    async fn fetch(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let Settings { region, base_url } = &self.settings;
        if query.window.end() <= query.now {
            return Err(FeedError::not_published("a pre-dispatch tells nothing of the past"));
        }
        let listing = send(self.http.get(base_url, FOLDER), None, query.now).await?;
        let file = map::newest(listing.success()?)?;
        let validator = Validator(file.into());
        if query.validator == Some(&validator) {
            return Ok(Fetched::Unchanged);
        }
        let request = self.http.get(base_url, &format!("{FOLDER}{file}"));
        let answer = send_decoded(request, query.now, one_file).await?;
        if answer.status == 404 {
            return Err(FeedError::transient(format!("{file} is listed, but not there")));
        }
        let run = map::read(answer.success()?, region)?;
        let series = map::prices(&run)?.asked_for(query.window)?;
        Ok(series.into_fetched(&self.source, region, Some(validator)))
    }
}

impl PriceFeed for Client {
    fn prices<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}
