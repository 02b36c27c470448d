//! Requests by pages, of products and of rates; the page number is counted here, links are not followed.

use std::collections::BTreeSet;

use planner::time::{Seconds, Span, Timestamp};

use super::catalogue::{self, Family, Offering, Stretch};
use super::map::{self, Terms};
use crate::feed::{FeedError, Fetched, Fetching, PriceFeed, Quantity, Query, Role, Series};
use crate::http::{Http, send};
use crate::provider::{Declaration, PlainClient};
use crate::schedule::Rhythm;

/// Pages of 1500 half-hours: a year has 12. Lists of products have one or two.
const MOST_PAGES: usize = 20;

/// So many products follow each other at most in one fetch.
const MOST_PRODUCTS: usize = 8;

/// Distribution regions: `I` and `O` are none.
const REGIONS: &str = "ABCDEFGHJKLMNP";

/// Whether energy is bought or fed in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TradeDirection {
    /// What is paid for what is bought.
    #[default]
    Import,
    /// What is paid for what is fed in.
    Export,
}

/// One tariff.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// A product such as `AGILE-24-10-01`, or a family such as `AGILE`, whose products are found and follow each
    /// other.
    #[serde(default = "agile")]
    pub product: String,
    /// The letter of the distribution region, `A` to `P`.
    pub region: char,
    /// Of a family: `import` or `export`.
    #[serde(default)]
    pub direction: TradeDirection,
    /// Of a family: who sells it.
    #[serde(default = "octopus")]
    pub brand: String,
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

fn agile() -> String {
    "AGILE".to_owned()
}

fn octopus() -> String {
    "OCTOPUS_ENERGY".to_owned()
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
    const EXAMPLE: &'static str = "region = \"C\"";

    fn connect(
        &self,
        source: &str,
        quantity: Quantity,
        http: &Http,
    ) -> Result<Option<Role>, FeedError> {
        if !REGIONS.contains(self.region) {
            let message = format!("`region` is {:?}, which is none of {REGIONS}", self.region);
            return Err(FeedError::configuration(message));
        }
        let client = || Client::new(source, self, http);
        Ok((quantity == Quantity::Price).then(|| Role::Price(Box::new(client()))))
    }

    fn rhythm(_quantity: Quantity) -> Rhythm {
        Rhythm::daily("Europe/London", &["16:00"])
    }
}

/// Asks for rates.
pub type Client = PlainClient<Settings>;

impl Client {
    async fn fetch(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let product = &self.settings.product;
        let (series, last) = if catalogue::family_of(product).is_some() {
            let series = match self.prices_of(product, query.window, query.now).await {
                Ok(series) => series,
                Err(error) => return Err(self.explained(error, query).await),
            };
            (series, product.clone())
        } else {
            self.prices_of_family(query).await?
        };
        let series = series.asked_for(query.window)?;
        Ok(series.into_fetched(&self.source, &self.tariff(&last), None))
    }

    /// Such as `E-1R-AGILE-24-10-01-C`.
    fn tariff(&self, product: &str) -> String {
        format!("E-1R-{product}-{}", self.settings.region)
    }

    /// The prices of one product.
    async fn prices_of(
        &self,
        product: &str,
        span: Span,
        now: Timestamp,
    ) -> Result<Series, FeedError> {
        let tariff = self.tariff(product);
        let path =
            format!("/v1/products/{product}/electricity-tariffs/{tariff}/standard-unit-rates/");
        let asked = [("period_from", span.start()), ("period_to", span.end())];
        let mut rates = Vec::new();
        for page in 1..=MOST_PAGES {
            let request = self
                .http
                .get(&self.settings.base_url, &path)
                .query(&asked.map(|(name, instant)| (name, instant.to_string())))
                .query(&[("page_size", 1500), ("page", page)]);
            let answer = send(request, None, now).await?;
            let part = map::read(answer.success()?, &tariff)?;
            rates.extend(part.results);
            if part.next.is_none() {
                break;
            }
        }
        let Settings { with_vat, direct_debit, .. } = self.settings;
        map::prices(&rates, span, Terms { with_vat, direct_debit })
    }

    /// The prices of the products that follow each other, and the last of these.
    async fn prices_of_family(&self, query: Query<'_>) -> Result<(Series, String), FeedError> {
        let mut parts = Vec::new();
        let mut last = String::new();
        let mut missing = Vec::new();
        for stretch in self.stretches(query).await? {
            last.clone_from(&stretch.code);
            match self.prices_of(&stretch.code, stretch.span, query.now).await {
                Ok(series) => parts.push((stretch, series)),
                Err(FeedError::NotPublished { .. }) => {
                    missing.push(format!("no rates of {} over {}", stretch.code, stretch.span));
                }
                Err(error) => return Err(error),
            }
        }
        if parts.is_empty() {
            return Err(FeedError::not_published(missing.join(", ")));
        }
        let mut series = map::joined(parts)?;
        series.notes.extend(missing);
        Ok((series, last))
    }

    /// Which products of the family count when: each is asked for where the one before ends.
    async fn stretches(&self, query: Query<'_>) -> Result<Vec<Stretch>, FeedError> {
        let (family, window) = (self.family(&self.settings.product), query.window);
        let mut known = BTreeSet::new();
        let mut sold = BTreeSet::new();
        let (mut at, mut asked_about_end) = (window.start(), false);
        let mut stretches = Vec::new();
        for _ in 0..MOST_PRODUCTS {
            let (offerings, families) = self.list(family, at, query.now).await?;
            known.extend(offerings);
            sold.extend(families);
            stretches = catalogue::stretches(&known, family.name, window);
            let end = stretches.last().map_or(query.now, |last| last.until);
            if end >= window.end() || asked_about_end {
                break;
            }
            // Where nothing is sold at an end, the next product may come later.
            asked_about_end = end <= at;
            at = if asked_about_end { window.end() - Seconds::ONE } else { end };
        }
        if stretches.is_empty() {
            return Err(none_of(family, &sold));
        }
        Ok(stretches)
    }

    fn family<'a>(&'a self, name: &'a str) -> Family<'a> {
        let direction = match self.settings.direction {
            TradeDirection::Import => "IMPORT",
            TradeDirection::Export => "EXPORT",
        };
        Family { name, direction, brand: &self.settings.brand }
    }

    /// What is sold at an instant of the family, and the families that there are.
    async fn list(
        &self,
        family: Family<'_>,
        at: Timestamp,
        now: Timestamp,
    ) -> Result<(Vec<Offering>, BTreeSet<String>), FeedError> {
        let mut products = Vec::new();
        for page in 1..=MOST_PAGES {
            let request = self
                .http
                .get(&self.settings.base_url, "/v1/products/")
                .query(&[("brand", family.brand), ("available_at", &at.to_string())])
                .query(&[("page", page)]);
            let answer = send(request, None, now).await?;
            let part = catalogue::read(answer.success()?)?;
            products.extend(part.results);
            if part.next.is_none() {
                break;
            }
        }
        let offerings = catalogue::offerings(&products, family)?;
        Ok((offerings, catalogue::families(&products, family)))
    }

    /// The error of a product that has no rates although there should be some: where it has ended, the error
    /// names what is sold now.
    async fn explained(&self, error: FeedError, query: Query<'_>) -> FeedError {
        let is_gone = matches!(
            error,
            FeedError::NotPublished { .. } | FeedError::Refused { status: 404, .. }
        );
        let product = &self.settings.product;
        let first = product.split('-').next().unwrap_or_default();
        if !is_gone || query.window.start() >= query.now {
            return error;
        }
        let Ok((sold, _)) = self.list(self.family(first), query.now, query.now).await else {
            return error;
        };
        let sold = BTreeSet::from_iter(sold);
        if sold.iter().any(|offering| offering.code == *product) {
            return error;
        }
        let family = catalogue::family_of(product).unwrap_or(first);
        let Some(next) = catalogue::sold_at(&sold, family, query.now) else { return error };
        FeedError::configuration(format!(
            "`product` {product} has ended: it is not sold any more and has no rates over {}; {} is \
             sold now: name it, or the family {first:?}, whose products follow each other",
            query.window, next.code
        ))
    }
}

/// No product of the family was ever found: a name that is none, or a list that is empty for a while.
fn none_of(family: Family<'_>, sold: &BTreeSet<String>) -> FeedError {
    if sold.is_empty() {
        return FeedError::not_published("no products are listed");
    }
    let sold = sold.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    FeedError::configuration(format!(
        "no product of the family {:?} is sold by {} for {}; there are {sold}: check `product`",
        family.name, family.brand, family.direction
    ))
}

impl PriceFeed for Client {
    fn prices<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}
