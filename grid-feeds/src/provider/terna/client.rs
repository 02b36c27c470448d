//! Requests: a token for minutes, and whole days of Italy at once.

use std::time::Duration;

use jiff::civil::Date;
use planner::time::{Seconds, Span, Timestamp};
use reqwest::header::ACCEPT;

use super::map;
use super::wire::Token;
use crate::feed::{
    CarbonFeed, Factors, FeedError, Fetched, Fetching, Quantity, Query, Role, Secret, SecretSource,
};
use crate::http::{Answer, Http, send};
use crate::local_time::LocalTime;
use crate::provider::Declaration;
use crate::provider::token::{TokenCache, granted};
use crate::schedule::Rhythm;

const PATH: &str = "/generation/v2.0/actual-generation";

const TOKEN_PATH: &str = "/public-api/access-token";

/// A token is renewed this long before it expires.
const MARGIN: Seconds = Seconds::new(60);

/// No token is kept for longer.
const LONGEST_TOKEN: Seconds = Seconds::new(86_400);

/// The wait before a question is no longer, so that a token that lasts minutes still holds.
const LONGEST_PAUSE_S: u32 = 60;

/// So long after its time a value may come first, or be revised.
const LATENESS: Seconds = Seconds::new(10 * 86_400);

/// An account for what all of Italy generates.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The application's key.
    pub client_id: String,
    /// The application's secret.
    pub client_secret: SecretSource,
    /// What a kWh emits: `direct` or `lifecycle`.
    #[serde(default)]
    pub factors: Factors,
    /// Seconds between the request for a token and the next one: few requests in a second are answered.
    /// At most 60.
    #[serde(default = "pause_s")]
    pub pause_s: u32,
    /// Where the service is.
    #[serde(default = "host")]
    pub base_url: String,
}

const fn pause_s() -> u32 {
    2
}

fn host() -> String {
    "https://api.terna.it".to_owned()
}

impl Declaration for Settings {
    /// No more than 60 days may be asked for, and whole days are: this touches 59, or 60 where the clock goes forward. So many
    /// have some 34,500 rows of six kinds, about 6 MB of the 32 MiB that are read.
    const LONGEST_WINDOW: Seconds = Seconds::new(58 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = "client_id = \"c\"\nclient_secret = { file = \"s\" }";

    fn connect(
        &self,
        source: &str,
        quantity: Quantity,
        http: &Http,
    ) -> Result<Option<Role>, FeedError> {
        let client = || Ok(Role::Carbon(Box::new(Client::new(source, self, http)?)));
        (quantity == Quantity::Co2).then(client).transpose()
    }

    /// An account has 300 requests a day, of which hourly polls take 48, each with a token. A back-fill asks for a part every six
    /// seconds: a token of five minutes is of use for many.
    fn rhythm(_quantity: Quantity) -> Rhythm {
        Rhythm { poll_every_s: 3600, budget_requests: 10, budget_per_s: 60, ..Rhythm::default() }
    }
}

/// Asks about Italy.
#[derive(Debug)]
pub struct Client {
    source: Box<str>,
    settings: Settings,
    secret: Secret,
    http: Http,
    token: TokenCache,
}

impl Client {
    /// A client of `settings`, whose secret is read now.
    ///
    /// # Errors
    /// Where the pause is too long, or the secret cannot be read.
    pub fn new(source: &str, settings: &Settings, http: &Http) -> Result<Self, FeedError> {
        let pause_s = settings.pause_s;
        if pause_s > LONGEST_PAUSE_S {
            let message = format!("`pause_s` is {pause_s}; {LONGEST_PAUSE_S} is the most");
            return Err(FeedError::configuration(message));
        }
        let secret = settings.client_secret.read().map_err(FeedError::configuration)?;
        let (settings, http) = (settings.clone(), http.clone());
        Ok(Self { source: source.into(), settings, secret, http, token: TokenCache::default() })
    }

    async fn fetch(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let window = with_late_values(query);
        let days = days(window, query.now)?;
        let token = self.token.token(query.now, self.log_in(query.now)).await?;
        let request = self
            .http
            .get(&self.settings.base_url, PATH)
            .bearer_auth(token.expose())
            .header(ACCEPT, "application/json")
            .query(&[("dateFrom", day_month_year(days.0)), ("dateTo", day_month_year(days.1))]);
        let answer = send(request, Some(&token), query.now).await?;
        within_limits(&answer)?;
        let samples = map::read(self.token.success(&answer)?, days)?;
        let series = map::intensities(&samples, window, self.settings.factors)?;
        Ok(series.into_fetched(&self.source, "IT", None))
    }

    async fn log_in(&self, now: Timestamp) -> Result<(Secret, Timestamp), FeedError> {
        let request = self.http.post(&self.settings.base_url, TOKEN_PATH).form(&[
            ("grant_type", "client_credentials"),
            ("client_id", self.settings.client_id.as_str()),
            ("client_secret", self.secret.expose()),
        ]);
        let answer = send(request, Some(&self.secret), now).await?;
        within_limits(&answer)?;
        let token: Token = granted(&answer, TOKEN_PATH)?;
        let secret = Secret::granted(&token.access_token);
        let lasts = Seconds::new(token.expires_in.clamp(0, LONGEST_TOKEN.get()));
        tokio::time::sleep(Duration::from_secs(u64::from(self.settings.pause_s))).await;
        Ok((secret, now + lasts - MARGIN))
    }
}

/// The window that is asked for; one that now is in begins where values may still come or change.
fn with_late_values(query: Query<'_>) -> Span {
    let Query { now, window, .. } = query;
    let start = window.start().min(now - LATENESS).max(Timestamp::MIN);
    Span::new(start, window.end()).filter(|_| window.contains(now)).unwrap_or(window)
}

/// The first and the last day of Italy that touch `window`, to today at the latest.
fn days(window: Span, now: Timestamp) -> Result<(Date, Date), FeedError> {
    let local = LocalTime::named(map::ZONE).map_err(FeedError::calendar)?;
    let date = |instant| local.date(instant).map_err(FeedError::calendar);
    let (first, last) = (date(window.start())?, date(window.end() - Seconds::ONE)?);
    let last = last.min(date(now)?);
    if last < first {
        return Err(FeedError::not_published("nothing is told of days to come"));
    }
    Ok((first, last))
}

/// `10/03/2026`.
fn day_month_year(day: Date) -> String {
    day.strftime("%d/%m/%Y").to_string()
}

/// What is beyond the limits is refused for now.
fn within_limits(answer: &Answer) -> Result<(), FeedError> {
    let is_beyond = is_beyond_limits(answer.status, &answer.text);
    if is_beyond { Err(answer.busy()) } else { Ok(()) }
}

/// The gateway refuses with 403 what comes too fast and what is beyond the number of a day: both pass.
fn is_beyond_limits(status: u16, text: &str) -> bool {
    status == 403 && text.to_ascii_lowercase().contains("developer over ")
}

impl CarbonFeed for Client {
    fn intensities<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Timeouts;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn asked(now: &str, start: &str, end: &str) -> Result<(String, String), FeedError> {
        let window = Span::new(at(start), at(end)).unwrap();
        let query = Query { now: at(now), window, validator: None };
        let (first, last) = days(with_late_values(query), query.now)?;
        Ok((day_month_year(first), day_month_year(last)))
    }

    /// 23:30 UTC is after midnight in Italy. The window's last instant is not part of it; ten days before 00:30 of March 11
    /// are 00:30 of March 1.
    #[test]
    fn days_are_those_of_italy_from_ten_days_ago_to_today() {
        let now = "2026-03-10T23:30:00Z";
        let days = |first: &str, last: &str| (first.to_owned(), last.to_owned());
        let current = asked(now, "2026-03-09T23:30:00Z", "2026-03-12T23:30:00Z").unwrap();
        assert_eq!(current, days("01/03/2026", "11/03/2026"));
        let past = asked(now, "2026-01-31T23:00:00Z", "2026-02-28T23:00:00Z").unwrap();
        assert_eq!(past, days("01/02/2026", "28/02/2026"));
        let to_come = asked(now, "2026-03-11T23:00:00Z", "2026-03-12T23:00:00Z");
        assert!(matches!(to_come, Err(FeedError::NotPublished { .. })), "{to_come:?}");
    }

    #[test]
    fn limits_pass_and_other_refusals_do_not() {
        for text in ["<h1>Developer Over Qps</h1>", "{\"message\": \"Developer Over Rate\"}"] {
            assert!(is_beyond_limits(403, text), "{text}");
        }
        assert!(!is_beyond_limits(403, "<h1>Not Authorized</h1>"));
        assert!(!is_beyond_limits(200, "<h1>Developer Over Qps</h1>"));
    }

    /// From 23:30 in Italy on: a day that is touched for half an hour, 57 whole ones and 23.5 hours of the last. An hour that is
    /// left out on March 29 reaches one day further, one that comes twice on October 25 ends an hour earlier.
    #[test]
    fn the_longest_part_of_a_back_fill_touches_no_more_than_sixty_days() {
        for (start, count) in [
            ("2026-01-09T22:30:00Z", 59),
            ("2026-02-09T22:30:00Z", 60),
            ("2026-09-09T21:30:00Z", 59),
        ] {
            let window = Span::starting(at(start), Settings::LONGEST_WINDOW).unwrap();
            let (first, last) = days(window, at("2027-01-01T00:00:00Z")).unwrap();
            assert_eq!(first.until(last).unwrap().get_days() + 1, count, "{start}");
        }
    }

    #[test]
    fn polls_are_hourly_and_parts_of_a_back_fill_six_seconds_apart() {
        let rhythm = Settings::rhythm(Quantity::Co2);
        assert_eq!(rhythm.poll_every_s, 3600);
        assert_eq!(rhythm.budget_per_s / rhythm.budget_requests, 6);
    }

    #[test]
    fn a_pause_of_more_than_a_minute_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "the application's s3cret").unwrap();
        let http = Http::new(Timeouts::default()).unwrap();
        let client = |pause_s| {
            let settings = Settings {
                client_id: "c".to_owned(),
                client_secret: SecretSource::File(file.path().to_owned()),
                factors: Factors::default(),
                pause_s,
                base_url: host(),
            };
            Client::new("terna", &settings, &http)
        };
        assert!(client(60).is_ok());
        let error = client(61).unwrap_err();
        assert!(matches!(error, FeedError::Configuration { .. }), "{error}");
        assert_eq!(error.to_string(), "configuration: `pause_s` is 61; 60 is the most");
    }
}
