//! Requests: a token by name and password, days of the market at once, by pages.

use planner::time::{Seconds, Timestamp};

use super::map;
use super::wire::{Page, Token};
use crate::feed::{
    FeedError, Fetched, Fetching, PriceFeed, Quantity, Query, Role, Secret, SecretSource,
};
use crate::http::{Http, send};
use crate::local_time::LocalTime;
use crate::provider::Declaration;
use crate::provider::american::delivery_days;
use crate::provider::token::{TokenCache, granted};
use crate::schedule::Rhythm;

/// A token lasts an hour, by some accounts half of one.
const TOKEN_LASTS: Seconds = Seconds::new(29 * 60);

/// What all clients of the public interface are.
const CLIENT_ID: &str = "fec253ea-0d06-4272-a5e6-b478baeecd70";

/// Rows on a page: a month has 744 hours.
const PAGE: usize = 1000;

/// So many pages are asked for, should they be shorter.
const MOST_PAGES: usize = 20;

/// One settlement point.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// A hub such as `HB_NORTH`, or a load zone such as `LZ_HOUSTON`.
    pub settlement_point: String,
    /// The account's name.
    pub user: String,
    /// The account's password.
    pub password: SecretSource,
    /// The subscription's key.
    pub key: SecretSource,
    /// Where the service is.
    #[serde(default = "host")]
    pub base_url: String,
    /// Where tokens are.
    #[serde(default = "token_host")]
    pub token_url: String,
}

fn host() -> String {
    "https://api.ercot.com".to_owned()
}

fn token_host() -> String {
    "https://ercotb2c.b2clogin.com".to_owned()
}

impl Declaration for Settings {
    const LONGEST_WINDOW: Seconds = Seconds::new(31 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = "settlement_point = \"HB_NORTH\"\nuser = \"u\"
password = { file = \"p\" }\nkey = { file = \"k\" }";

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
        Rhythm::daily(map::ZONE, &["12:30"])
    }
}

/// Asks about one settlement point.
#[derive(Debug)]
pub struct Client {
    source: Box<str>,
    settings: Settings,
    password: Secret,
    key: Secret,
    http: Http,
    token: TokenCache,
}

impl Client {
    /// A client of `settings`, whose secrets are read now.
    ///
    /// # Errors
    /// Where a secret cannot be read.
    pub fn new(source: &str, settings: &Settings, http: &Http) -> Result<Self, FeedError> {
        let password = settings.password.read().map_err(FeedError::configuration)?;
        let key = settings.key.read().map_err(FeedError::configuration)?;
        let (source, settings, http) = (source.into(), settings.clone(), http.clone());
        Ok(Self { source, settings, password, key, http, token: TokenCache::default() })
    }

    async fn fetch(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let local = LocalTime::named(map::ZONE).map_err(FeedError::calendar)?;
        let days = delivery_days(query, &local)?;
        let (Some(first), Some(last)) = (days.first(), days.last()) else {
            return Err(FeedError::not_published("no days"));
        };
        let (first, last) = (first.to_string(), last.to_string());
        let mut pages = Vec::new();
        for number in 1..=MOST_PAGES {
            let page = self.page((&first, &last), number, query.now).await?;
            let all = page.meta.as_ref().and_then(|meta| meta.total_pages).unwrap_or(1);
            pages.push(page);
            if number >= all {
                break;
            }
        }
        let point = &self.settings.settlement_point;
        let series = map::prices(&pages, point)?.asked_for(query.window)?;
        Ok(series.into_fetched(&self.source, point, None))
    }

    async fn page(
        &self,
        (first, last): (&str, &str),
        number: usize,
        now: Timestamp,
    ) -> Result<Page, FeedError> {
        let token = self.token.token(now, self.log_in(now)).await?;
        let request = self
            .http
            .get(&self.settings.base_url, "/api/public-reports/np4-190-cd/dam_stlmnt_pnt_prices")
            .bearer_auth(token.expose())
            .header("Ocp-Apim-Subscription-Key", self.key.expose())
            .query(&[
                ("settlementPoint", self.settings.settlement_point.as_str()),
                ("deliveryDateFrom", first),
                ("deliveryDateTo", last),
            ])
            .query(&[("size", PAGE), ("page", number)]);
        let answer = send(request, Some(&token), now).await?;
        map::read(self.token.success(&answer)?)
    }

    async fn log_in(&self, now: Timestamp) -> Result<(Secret, Timestamp), FeedError> {
        let path = "/ercotb2c.onmicrosoft.com/B2C_1_PUBAPI-ROPC-FLOW/oauth2/v2.0/token";
        let request = self.http.post(&self.settings.token_url, path).form(&[
            ("grant_type", "password"),
            ("response_type", "id_token"),
            ("client_id", CLIENT_ID),
            ("scope", &format!("openid {CLIENT_ID} offline_access")),
            ("username", &self.settings.user),
            ("password", self.password.expose()),
        ]);
        let answer = send(request, Some(&self.password), now).await?;
        let token: Token = granted(&answer, "the answer with a token")?;
        Ok((Secret::granted(&token.id_token), now + TOKEN_LASTS))
    }
}

impl PriceFeed for Client {
    fn prices<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}
