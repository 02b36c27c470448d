//! HTTP to suppliers: the one place where a client is built, with time-outs and limits.
//!
//! Errors never carry a URL, since suppliers take tokens in queries. Redirects are followed by [`follow`] alone. Those that
//! it does not follow pass, as maintenance does.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use planner::time::{Seconds, Timestamp};
use reqwest::header::{
    ETAG, HeaderMap, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, RETRY_AFTER,
};
use reqwest::redirect::Policy;
use reqwest::{
    Certificate, ClientBuilder, IntoUrl, Method, RequestBuilder, Response, StatusCode, Url,
};

use crate::archive::ARCHIVE;
use crate::feed::{FeedError, Query, Secret, Validator, beginning, excerpt, scrub};
use crate::reach::PublicNames;
pub use crate::redirects::follow;
use crate::redirects::{MOST_REDIRECTS, target};

/// An answer is read up to this size.
const MAX_BODY_BYTES: usize = 32 * 1024 * 1024;

/// No supplier is believed that asks to wait longer.
const LONGEST_WAIT_S: i64 = 86_400;

/// Makes a text of a body.
type Decode = fn(Vec<u8>) -> Result<String, FeedError>;

/// How long to wait for a supplier.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// For the connection.
    pub connect: Duration,
    /// For the whole answer.
    pub total: Duration,
}

/// A client for suppliers' sites; clones share their connections and their count of requests.
#[derive(Clone, Debug)]
pub struct Http {
    client: reqwest::Client,
    requests: Arc<AtomicU64>,
}

fn misconfigured(error: reqwest::Error) -> FeedError {
    FeedError::configuration(error.without_url())
}

/// What a site said.
#[derive(Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub text: String,
    /// To ask the next time whether anything changed.
    pub validator: Option<Validator>,
    retry_after: Option<Seconds>,
    /// Where the site wants us to go instead, without what may be secret there.
    elsewhere: Option<String>,
}

impl Default for Timeouts {
    /// 10 s and 60 s: some suppliers take most of a minute for a year.
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), total: Duration::from_mins(1) }
    }
}

/// Whose certificates a client trusts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Those that the system trusts.
    #[default]
    System,
    /// Those of a site's own authority too: certificates as PEM.
    Also(Box<[u8]>),
    /// Any: whoever is between here and there may read and change what is said.
    Anything,
}

impl Http {
    /// A client with these time-outs, which trusts the certificates that the system trusts.
    ///
    /// # Errors
    /// Where TLS cannot be set up.
    pub fn new(timeouts: Timeouts) -> Result<Self, FeedError> {
        Self::trusting(timeouts, &Trust::System)
    }

    /// A client with these time-outs and this trust.
    ///
    /// # Errors
    /// As [`Http::new`]; where certificates are no PEM.
    pub fn trusting(timeouts: Timeouts, trust: &Trust) -> Result<Self, FeedError> {
        let builder = match trust {
            Trust::System => reqwest::Client::builder(),
            Trust::Also(pem) => reqwest::Client::builder()
                .tls_certs_merge(Certificate::from_pem_bundle(pem).map_err(misconfigured)?),
            Trust::Anything => reqwest::Client::builder().tls_danger_accept_invalid_certs(true),
        };
        Self::built(builder, timeouts)
    }

    /// A client for messages to addresses that somebody from outside named: only to public ones, and by no proxy, which
    /// would look names up by itself.
    ///
    /// # Errors
    /// As [`Http::new`].
    pub fn for_public_messages(timeouts: Timeouts) -> Result<Self, FeedError> {
        let builder = reqwest::Client::builder().no_proxy().dns_resolver(Arc::new(PublicNames));
        Self::built(builder, timeouts)
    }

    fn built(builder: ClientBuilder, timeouts: Timeouts) -> Result<Self, FeedError> {
        // An error means that a provider is installed already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = builder
            .user_agent(concat!("wattbook/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(timeouts.connect)
            .timeout(timeouts.total)
            .referer(false)
            // Suppliers' sites were tried so; and a connection for notifications needs it.
            .http1_only()
            .redirect(Policy::none())
            .build();
        let client = client.map_err(misconfigured)?;
        Ok(Self { client, requests: Arc::default() })
    }

    /// How many requests were made since the count began: a fetch may take several.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// A request of any kind, counted.
    pub fn request(&self, method: Method, url: impl IntoUrl) -> RequestBuilder {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.client.request(method, url)
    }

    /// Notes requests that were made for this source by other means.
    pub fn note_requests(&self, count: u64) {
        self.requests.fetch_add(count, Ordering::Relaxed);
    }

    /// The text that is at an address.
    ///
    /// # Errors
    /// Where there is no answer, one that is too long or no text, or one that is no success.
    pub async fn text_at(&self, url: &str, now: Timestamp) -> Result<String, FeedError> {
        let answer = send(self.request(Method::GET, url), None, now).await?;
        Ok(answer.success()?.to_owned())
    }

    pub(crate) fn get(&self, base: &str, path: &str) -> RequestBuilder {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.client.get(joined(base, path))
    }

    pub(crate) fn post(&self, base: &str, path: &str) -> RequestBuilder {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.client.post(joined(base, path))
    }
}

fn joined(base: &str, path: &str) -> String {
    format!("{}{path}", base.trim_end_matches('/'))
}

/// Sends a request; what the answer says is hidden where it repeats `secret`.
///
/// # Errors
/// Where there is no answer, or one that is too long or no text.
pub async fn send(
    request: RequestBuilder,
    secret: Option<&Secret>,
    now: Timestamp,
) -> Result<Answer, FeedError> {
    received(ask(request, secret).await?, secret, now).await
}

/// Sends a request; the head of the answer.
///
/// # Errors
/// Where there is no answer.
pub async fn ask(request: RequestBuilder, secret: Option<&Secret>) -> Result<Response, FeedError> {
    follow(request).await.map_err(|error| no_answer(error, secret))
}

/// As [`ask`], of this address alone: no redirect is followed.
///
/// # Errors
/// Where there is no answer.
pub async fn ask_there_alone(
    request: RequestBuilder,
    secret: Option<&Secret>,
) -> Result<Response, FeedError> {
    request.send().await.map_err(|error| no_answer(error, secret))
}

/// What a site said, once it began to say it.
///
/// # Errors
/// The connection failed or took too long, or the answer is larger than allowed; secrets are hidden in what is told.
pub async fn received(
    response: Response,
    secret: Option<&Secret>,
    now: Timestamp,
) -> Result<Answer, FeedError> {
    decoded(response, secret, now, plain).await
}

/// As [`send`], without a secret; `decode` makes a text of the body.
///
/// # Errors
/// As [`send`], and those of `decode`.
pub(crate) async fn send_decoded(
    request: RequestBuilder,
    now: Timestamp,
    decode: Decode,
) -> Result<Answer, FeedError> {
    decoded(ask(request, None).await?, None, now, decode).await
}

fn plain(bytes: Vec<u8>) -> Result<String, FeedError> {
    if bytes.starts_with(ARCHIVE) {
        return Err(FeedError::payload("the answer", "is a zip archive; ask for a shorter span"));
    }
    String::from_utf8(bytes).map_err(|error| FeedError::payload("the answer", error))
}

async fn decoded(
    mut response: Response,
    secret: Option<&Secret>,
    now: Timestamp,
    decode: Decode,
) -> Result<Answer, FeedError> {
    let status = response.status().as_u16();
    let retry_after = retry_after(response.headers(), now);
    let validator = validator(response.headers());
    let elsewhere = elsewhere(&response);
    let bytes = body(&mut response, secret).await?;
    let text = decode(bytes)?;
    let text = match secret {
        Some(secret) if !(200..300).contains(&status) => secret.redact(beginning(&text)),
        _ => text,
    };
    Ok(Answer { status, text, validator, retry_after, elsewhere })
}

/// The origin that an answer redirects to: paths and queries may have secrets in them.
fn elsewhere(response: &Response) -> Option<String> {
    let url = response.status().is_redirection().then(|| target(response))?;
    Some(url.map_or_else(|| "no address".to_owned(), |url| origin(&url)))
}

/// Scheme, host and port of a URL.
fn origin(url: &Url) -> String {
    let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
    format!("{}://{}{port}", url.scheme(), url.host_str().unwrap_or_default())
}

async fn body(response: &mut Response, secret: Option<&Secret>) -> Result<Vec<u8>, FeedError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| no_answer(error, secret))? {
        if bytes.len() + chunk.len() > MAX_BODY_BYTES {
            return Err(FeedError::payload("the answer", "is longer than 32 MiB"));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// A request that says which state of the document is known already.
pub(crate) fn conditional(request: RequestBuilder, query: Query<'_>) -> RequestBuilder {
    match query.validator.and_then(|validator| validator.0.split_once(':')) {
        Some(("etag", tag)) => request.header(IF_NONE_MATCH, tag),
        Some(("modified", date)) => request.header(IF_MODIFIED_SINCE, date),
        _ => request,
    }
}

impl Answer {
    /// Whether nothing changed since the validator that was sent.
    pub fn is_unchanged(&self) -> bool {
        self.status == StatusCode::NOT_MODIFIED.as_u16()
    }

    /// The text of a success.
    ///
    /// # Errors
    /// 429 and 503 are busy; 408, other 5xx and redirects elsewhere are transient; other statuses are
    /// refusals.
    pub fn success(&self) -> Result<&str, FeedError> {
        match self.status {
            200..=299 => Ok(&self.text),
            429 | 503 => Err(self.busy()),
            300..=399 => Err(self.redirected()),
            408 | 500..=599 => Err(self.transient()),
            status => Err(FeedError::Refused { status, message: excerpt(&self.text) }),
        }
    }

    /// A site that is closed for maintenance may send everybody elsewhere for a while.
    fn redirected(&self) -> FeedError {
        let elsewhere = self.elsewhere.as_deref().unwrap_or("no address");
        FeedError::transient(format!(
            "status {}: redirects to {elsewhere}, which is not followed: secrets go to no other \
             origin, nothing is sent on as another kind of request, and redirects are followed \
             {MOST_REDIRECTS} times at most; if the supplier has moved for good, name its new \
             address in the settings",
            self.status
        ))
    }

    /// This answer as a refusal for now.
    pub const fn busy(&self) -> FeedError {
        FeedError::Busy { status: self.status, retry_after: self.retry_after }
    }

    /// This answer as a failure that passes.
    pub fn transient(&self) -> FeedError {
        FeedError::transient(format!("status {}: {}", self.status, excerpt(&self.text)))
    }
}

fn no_answer(error: reqwest::Error, secret: Option<&Secret>) -> FeedError {
    let error = error.without_url();
    let mut words = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        words = format!("{words}: {cause}");
        source = cause.source();
    }
    let words = secret.map_or_else(|| words.clone(), |secret| secret.redact(&words));
    FeedError::transient(scrub(&words))
}

fn header(headers: &HeaderMap, name: reqwest::header::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

fn validator(headers: &HeaderMap) -> Option<Validator> {
    let tag = header(headers, ETAG).map(|tag| format!("etag:{tag}"));
    let date = || header(headers, LAST_MODIFIED).map(|date| format!("modified:{date}"));
    tag.or_else(date).map(|text| Validator(text.into()))
}

/// `Retry-After` in seconds or as a date, the latter against the site's own clock if it tells it.
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Seconds> {
    let text = header(headers, RETRY_AFTER)?.trim();
    let seconds = if let Ok(seconds) = text.parse::<i64>() {
        seconds
    } else {
        let told = header(headers, reqwest::header::DATE).and_then(http_date);
        (http_date(text)? - told.unwrap_or(now)).get()
    };
    Some(Seconds::new(seconds.clamp(0, LONGEST_WAIT_S)))
}

fn http_date(text: &str) -> Option<Timestamp> {
    let time = httpdate::parse_http_date(text).ok()?;
    let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_secs()).ok().map(Timestamp::from_unix_seconds)
}

#[cfg(test)]
mod tests {
    use reqwest::header::{DATE, HeaderValue};

    use super::*;

    fn wait(retry_after_text: &'static str, date: Option<&'static str>) -> Option<i64> {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_static(retry_after_text));
        if let Some(date) = date {
            headers.insert(DATE, HeaderValue::from_static(date));
        }
        let now = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
        retry_after(&headers, now).map(Seconds::get)
    }

    #[test]
    fn retry_after_is_seconds_or_a_date_by_the_clock_of_the_site() {
        assert_eq!(wait("120", None), Some(120));
        assert_eq!(wait("-5", None), Some(0));
        assert_eq!(wait("99999999", None), Some(LONGEST_WAIT_S));
        assert_eq!(wait("Thu, 01 Jan 2026 00:01:00 GMT", None), Some(60));
        let skewed = Some("Thu, 01 Jan 2026 00:00:45 GMT");
        assert_eq!(wait("Thu, 01 Jan 2026 00:01:00 GMT", skewed), Some(15));
        assert_eq!(wait("soon", None), None);
    }

    #[test]
    fn statuses_are_permanent_busy_or_passing() {
        let answer = |status| Answer {
            status,
            text: "<h1>Scheduled\n maintenance</h1>".into(),
            validator: None,
            retry_after: None,
            elsewhere: Some("https://elsewhere.example:8443".into()),
        };
        assert!(matches!(answer(503).success(), Err(FeedError::Busy { status: 503, .. })));
        assert!(matches!(answer(500).success(), Err(FeedError::Transient { .. })));
        let message = "<h1>Scheduled maintenance</h1>".to_owned();
        assert_eq!(answer(403).success(), Err(FeedError::Refused { status: 403, message }));
        assert!(answer(200).success().is_ok());
        let retry_after = Some(Seconds::new(7));
        let busy = Answer { retry_after, ..answer(403) }.busy();
        assert_eq!(busy, FeedError::Busy { status: 403, retry_after });
        for status in [301, 302, 307, 308] {
            let error = answer(status).success().unwrap_err();
            assert!(matches!(error, FeedError::Transient { .. }), "{error}");
            assert!(error.to_string().contains("https://elsewhere.example:8443"), "{error}");
        }
    }
}
