//! Requests: a day each, with the account's name and password.

use jiff::civil::Date;
use planner::time::Seconds;

use super::map;
use super::wire::Hour;
use crate::feed::{
    FeedError, Fetched, Fetching, PriceFeed, Quantity, Query, Role, Secret, SecretSource,
};
use crate::http::{Http, send};
use crate::local_time::LocalTime;
use crate::provider::Declaration;
use crate::provider::american::delivery_days;
use crate::schedule::Rhythm;

/// One location.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The number of the location: 4000 is the hub, 4001 to 4008 are the zones.
    pub location: u32,
    /// The account's name.
    pub user: String,
    /// The account's password.
    pub password: SecretSource,
    /// Where the service is.
    #[serde(default = "host")]
    pub base_url: String,
}

fn host() -> String {
    "https://webservices.iso-ne.com".to_owned()
}

impl Declaration for Settings {
    const LONGEST_WINDOW: Seconds = Seconds::new(31 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = "location = 4000\nuser = \"u\"\npassword = { file = \"p\" }";

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
        Rhythm::daily(map::ZONE, &["13:00"])
    }
}

/// Asks about one location.
#[derive(Debug)]
pub struct Client {
    source: Box<str>,
    settings: Settings,
    location: Box<str>,
    password: Secret,
    http: Http,
}

impl Client {
    /// A client of `settings`, whose password is read now.
    ///
    /// # Errors
    /// Where the password cannot be read.
    pub fn new(source: &str, settings: &Settings, http: &Http) -> Result<Self, FeedError> {
        let password = settings.password.read().map_err(FeedError::configuration)?;
        let location = settings.location.to_string().into();
        let (source, settings) = (source.into(), settings.clone());
        Ok(Self { source, settings, location, password, http: http.clone() })
    }

    async fn fetch(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let local = LocalTime::named(map::ZONE).map_err(FeedError::calendar)?;
        let today = local.date(query.now).map_err(FeedError::calendar)?;
        let mut hours = Vec::new();
        let mut missing = Vec::new();
        for day in delivery_days(query, &local)? {
            let told = self.hours(day, today < day, query).await?;
            if told.is_empty() {
                missing.push(format!("{day} is not there"));
            }
            hours.extend(told);
        }
        if hours.is_empty() {
            return Err(FeedError::not_published(missing.join(", ")));
        }
        let mut series = map::prices(&hours)?.asked_for(query.window)?;
        series.notes.extend(missing);
        Ok(series.into_fetched(&self.source, &self.location, None))
    }

    /// The hours of `day`. Of a day to come 404 says no more than an empty list.
    async fn hours(
        &self,
        day: Date,
        is_to_come: bool,
        query: Query<'_>,
    ) -> Result<Vec<Hour>, FeedError> {
        let (date, location) = (day.strftime("%Y%m%d"), &self.location);
        let path = format!("/api/v1.1/hourlylmp/da/final/day/{date}/location/{location}.json");
        let request = self
            .http
            .get(&self.settings.base_url, &path)
            .basic_auth(&self.settings.user, Some(self.password.expose()));
        let answer = send(request, Some(&self.password), query.now).await?;
        if answer.status == 404 && is_to_come {
            return Ok(Vec::new());
        }
        map::read(answer.success()?, day, location)
    }
}

impl PriceFeed for Client {
    fn prices<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}
