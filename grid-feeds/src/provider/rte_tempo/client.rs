//! Requests: a token kept until it expires, or the public page by season.

use jiff::ToSpan;
use jiff::civil::Date;
use planner::time::{Seconds, Timestamp};

use super::colour::Colours;
use super::map;
use super::wire::Token;
use crate::feed::{FeedError, Query, Secret, SecretSource};
use crate::http::{Http, send};
use crate::local_time::LocalTime;
use crate::provider::token::{TokenCache, granted};

/// A token is renewed this long before it expires.
const MARGIN: Seconds = Seconds::new(60);

/// How to get at the colours.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Access {
    /// The public page.
    Public,
    /// An account of RTE's data portal.
    Account {
        /// The application's id.
        client_id: String,
        /// The application's secret.
        client_secret: SecretSource,
    },
}

/// The calendar of France.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// `"public"`, or an account.
    pub access: Access,
    /// Where the service is; that of the kind of access unless given.
    pub base_url: Option<String>,
}

/// Asks for colours.
#[derive(Debug)]
pub struct Client {
    account: Option<(String, Secret)>,
    base_url: String,
    http: Http,
    token: TokenCache,
}

impl Client {
    /// A client of `settings`, whose secret is read now.
    ///
    /// # Errors
    /// Where the secret cannot be read.
    pub fn new(settings: &Settings, http: &Http) -> Result<Self, FeedError> {
        let (account, host) = match &settings.access {
            Access::Public => (None, "https://www.services-rte.com"),
            Access::Account { client_id, client_secret } => {
                let secret = client_secret.read().map_err(FeedError::configuration)?;
                (Some((client_id.clone(), secret)), "https://digital.iservices.rte-france.com")
            }
        };
        let base_url = settings.base_url.clone().unwrap_or_else(|| host.to_owned());
        Ok(Self { account, base_url, http: http.clone(), token: TokenCache::default() })
    }

    /// The colours of the days that touch the window, as far as they are known: from the day
    /// before, whose night reaches into it, to tomorrow.
    ///
    /// # Errors
    /// As any fetch.
    pub async fn colours(&self, query: Query<'_>) -> Result<Colours, FeedError> {
        let local = LocalTime::paris().map_err(FeedError::calendar)?;
        let date = |instant| local.date(instant).map_err(FeedError::calendar);
        let day =
            |date: Date, days: i32| date.checked_add(days.days()).map_err(FeedError::calendar);
        let first = day(date(query.window.start())?, -1)?;
        // The end is exclusive and at most the day after tomorrow.
        let end = day(date(query.window.end())?, 1)?.min(day(date(query.now)?, 2)?);
        if end <= first {
            return Ok(Colours::new());
        }
        match &self.account {
            Some((id, secret)) => {
                let midnight = |date| local.rfc_3339(date).map_err(FeedError::calendar);
                let span = (midnight(first)?, midnight(end)?);
                self.calendar((id, secret), span, query.now).await
            }
            None => self.seasons(first, end, query.now).await,
        }
    }

    async fn calendar(
        &self,
        account: (&str, &Secret),
        (start, end): (String, String),
        now: Timestamp,
    ) -> Result<Colours, FeedError> {
        let path = "/open_api/tempo_like_supply_contract/v1/tempo_like_calendars";
        let token = self.token.token(now, self.log_in(account, now)).await?;
        let request = self.http.get(&self.base_url, path).bearer_auth(token.expose()).query(&[
            ("start_date", start.as_str()),
            ("end_date", end.as_str()),
            ("fallback_status", "true"),
        ]);
        let answer = send(request, Some(&token), now).await?;
        map::calendar(self.token.success(&answer)?, now)
    }

    async fn log_in(
        &self,
        (id, secret): (&str, &Secret),
        now: Timestamp,
    ) -> Result<(Secret, Timestamp), FeedError> {
        let request = self
            .http
            .post(&self.base_url, "/token/oauth/")
            .basic_auth(id, Some(secret.expose()))
            .form(&[("grant_type", "client_credentials")]);
        let answer = send(request, Some(secret), now).await?;
        let token: Token = granted(&answer, "/token/oauth")?;
        let expires = now + Seconds::new(token.expires_in) - MARGIN;
        Ok((Secret::granted(&token.access_token), expires))
    }

    async fn seasons(&self, first: Date, end: Date, now: Timestamp) -> Result<Colours, FeedError> {
        let season = |day: Date| if day.month() >= 9 { day.year() } else { day.year() - 1 };
        let mut colours = Colours::new();
        for year in season(first)..=season(end.yesterday().map_err(FeedError::calendar)?) {
            let request = self
                .http
                .get(&self.base_url, "/cms/open_data/v1/tempo")
                .query(&[("season", format!("{year}-{}", year + 1))]);
            let answer = send(request, None, now).await?;
            let told = map::season(answer.success()?, now)?;
            if told.keys().next().is_some_and(|_| told.keys().all(|&day| season(day) != year)) {
                let came = told.keys().next().map(Date::to_string).unwrap_or_default();
                let asked = format!("the season {year}-{}", year + 1);
                return Err(FeedError::mismatch("/values", asked, &came, "`colours`"));
            }
            colours.extend(told);
        }
        Ok(colours)
    }
}
