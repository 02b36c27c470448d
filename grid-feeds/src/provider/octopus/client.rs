//! Requests by pages; the page number is counted here, links are not followed.

use planner::time::Seconds;

use super::map::{self, Terms};
use crate::feed::{FeedError, Fetched, Fetching, PriceFeed, Quantity, Query, Role};
use crate::http::{Http, send};
use crate::provider::Declaration;
use crate::schedule::Rhythm;

/// Pages of 1500 half-hours: a year has 12.
const MOST_PAGES: usize = 20;

/// One tariff.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Such as `AGILE-24-10-01`.
    pub product: String,
    /// The letter of the distribution region, `A` to `P`.
    pub region: char,
    /// Prices with value-added tax.
    #[serde(default)]
    pub with_vat: bool,
    /// Prices for direct debit, where a product has two.
    #[serde(default = "yes")]
    pub direct_debit: bool,
    /// Where the service is.
    #[serde(default = "host")]
    pub base_url: String,
}

const fn yes() -> bool {
    true
}

fn host() -> String {
    "https://api.octopus.energy".to_owned()
}

impl Declaration for Settings {
    const LONGEST_WINDOW: Seconds = Seconds::new(365 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = "product = \"AGILE\"\nregion = \"C\"";

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
        Rhythm::daily("Europe/London", &["16:00"])
    }
}

/// Asks for rates.
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
        let Settings { product, region, with_vat, direct_debit, base_url } = &self.settings;
        let tariff = format!("E-1R-{product}-{region}");
        let path =
            format!("/v1/products/{product}/electricity-tariffs/{tariff}/standard-unit-rates/");
        let mut rates = Vec::new();
        for page in 1..=MOST_PAGES {
            let request = self
                .http
                .get(base_url, &path)
                .query(&[
                    ("period_from", query.window.start().to_string()),
                    ("period_to", query.window.end().to_string()),
                ])
                .query(&[("page_size", 1500), ("page", page)]);
            let answer = send(request, None, query.now).await?;
            let part = map::read(answer.success()?, &tariff)?;
            rates.extend(part.results);
            if part.next.is_none() {
                break;
            }
        }
        let terms = Terms { with_vat: *with_vat, direct_debit: *direct_debit };
        let series = map::prices(&rates, query.window, terms)?.asked_for(query.window)?;
        Ok(series.into_fetched(&self.source, &tariff, None))
    }
}

impl PriceFeed for Client {
    fn prices<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}
