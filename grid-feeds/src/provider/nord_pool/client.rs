//! Requests day by day of Central European Time.

use planner::time::{Seconds, Timestamp};

use super::map;
use super::market::AuctionMarket;
use super::wire::{DataToken, Day};
use crate::feed::{
    FeedError, Fetched, Fetching, PriceFeed, Quantity, Query, Role, Secret, SecretSource,
};
use crate::http::{Http, send};
use crate::local_time::LocalTime;
use crate::provider::Declaration;
use crate::provider::token::{TokenCache, granted};
use crate::schedule::Rhythm;

/// Days of delivery are days of this zone.
const ZONE: &str = "Europe/Berlin";

/// A token is renewed so long before it expires.
const MARGIN: Seconds = Seconds::new(60);

/// One delivery area.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Such as `SE3`; `UK` in the markets of Great Britain.
    pub area: String,
    /// Such as `EUR`.
    pub currency: String,
    /// The auction: `DayAhead`, `N2EX_DayAhead` or `GbHalfHour_DayAhead`.
    #[serde(default)]
    pub market: AuctionMarket,
    /// Of the data service; the data portal is asked without one.
    pub account: Option<DataAccount>,
    /// Where the service is; the portal, or the data service with an account.
    pub base_url: Option<String>,
}

/// An account of the data service.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataAccount {
    /// The account's name.
    pub user: String,
    /// The account's password.
    pub password: SecretSource,
    /// The program's name; the one that the service's documentation has for all, unless given.
    #[serde(default = "program")]
    pub client_id: String,
    /// The program's secret; its name unless given, as in the documentation.
    pub client_secret: Option<SecretSource>,
    /// Where tokens are granted.
    #[serde(default = "token_host")]
    pub login_url: String,
}

fn program() -> String {
    "client_marketdata_api".to_owned()
}

fn token_host() -> String {
    "https://sts.nordpoolgroup.com".to_owned()
}

/// An account whose secrets are read.
#[derive(Debug)]
struct LogIn {
    account: DataAccount,
    password: Secret,
    client_secret: Option<Secret>,
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
        let client = || Ok(Role::Price(Box::new(Client::new(source, self, http)?)));
        (quantity == Quantity::Price).then(client).transpose()
    }

    fn own_rhythm(&self, _quantity: Quantity) -> Rhythm {
        self.market.rhythm()
    }
}

/// Asks for one area.
#[derive(Debug)]
pub struct Client {
    source: Box<str>,
    settings: Settings,
    log_in: Option<LogIn>,
    base_url: String,
    http: Http,
    token: TokenCache,
}

impl Client {
    /// A client of `settings`, whose secrets are read now.
    ///
    /// # Errors
    /// Where a secret cannot be read.
    pub fn new(source: &str, settings: &Settings, http: &Http) -> Result<Self, FeedError> {
        let log_in = settings.account.as_ref().map(LogIn::new).transpose()?;
        let host = match log_in {
            None => "https://dataportal-api.nordpoolgroup.com",
            Some(_) => "https://data-api.nordpoolgroup.com",
        };
        Ok(Self {
            source: source.into(),
            settings: settings.clone(),
            log_in,
            base_url: settings.base_url.clone().unwrap_or_else(|| host.to_owned()),
            http: http.clone(),
            token: TokenCache::default(),
        })
    }

    async fn fetch(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let local = LocalTime::named(ZONE).map_err(FeedError::calendar)?;
        let date = |instant| local.date(instant).map_err(FeedError::calendar);
        let last = date(query.window.end() - Seconds::ONE)?;
        let mut day = date(query.window.start())?;
        let mut days = Vec::new();
        let mut missing = Vec::new();
        while day <= last {
            let prices = match &self.log_in {
                None => self.of_portal(&day.to_string(), query.now).await?,
                Some(log_in) => self.of_service(log_in, &day.to_string(), query.now).await?,
            };
            match prices {
                Some(prices) => days.push(prices),
                None => missing.push(format!("{day} is not published yet")),
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

    /// A day of the data portal; `None` until it is published.
    async fn of_portal(&self, date: &str, now: Timestamp) -> Result<Option<Day>, FeedError> {
        let Settings { area, currency, market, .. } = &self.settings;
        let request = self.http.get(&self.base_url, "/api/DayAheadPrices").query(&[
            ("market", market.name()),
            ("date", date),
            ("deliveryArea", area),
            ("currency", currency),
        ]);
        let answer = send(request, None, now).await?;
        if answer.status == 204 {
            return Ok(None);
        }
        map::read(answer.success()?, date, *market).map(Some)
    }

    /// A day of the data service; `None` until it is published.
    async fn of_service(
        &self,
        log_in: &LogIn,
        date: &str,
        now: Timestamp,
    ) -> Result<Option<Day>, FeedError> {
        let Settings { area, currency, market, .. } = &self.settings;
        let token = self.token.token(now, self.granted_to(log_in, now)).await?;
        let path = "/api/v2/Auction/Prices/ByAreas";
        let request = self.http.get(&self.base_url, path).bearer_auth(token.expose()).query(&[
            ("market", market.name()),
            ("date", date),
            ("areas", area),
            ("currency", currency),
        ]);
        let answer = send(request, Some(&token), now).await?;
        if answer.status == 204 {
            return Ok(None);
        }
        map::read_area(self.token.success(&answer)?, date, *market, area)
    }

    async fn granted_to(
        &self,
        log_in: &LogIn,
        now: Timestamp,
    ) -> Result<(Secret, Timestamp), FeedError> {
        let DataAccount { user, client_id, login_url, .. } = &log_in.account;
        let client_secret = log_in.client_secret.as_ref().map_or(&**client_id, Secret::expose);
        let request = self
            .http
            .post(login_url, "/connect/token")
            .basic_auth(client_id, Some(client_secret))
            .form(&[
                ("grant_type", "password"),
                ("scope", "marketdata_api"),
                ("username", user),
                ("password", log_in.password.expose()),
            ]);
        let answer = send(request, Some(&log_in.password), now).await?;
        let token: DataToken = granted(&answer, "/connect/token")?;
        let expires = now + Seconds::new(token.expires_in) - MARGIN;
        Ok((Secret::granted(&token.access_token), expires))
    }
}

impl LogIn {
    fn new(account: &DataAccount) -> Result<Self, FeedError> {
        let read = |source: &SecretSource| source.read().map_err(FeedError::configuration);
        Ok(Self {
            account: account.clone(),
            password: read(&account.password)?,
            client_secret: account.client_secret.as_ref().map(read).transpose()?,
        })
    }
}

impl PriceFeed for Client {
    fn prices<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}
