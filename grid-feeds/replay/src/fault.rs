//! What can go wrong.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// No answer of a replay is longer.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// A fault of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// 429 with `Retry-After: 30`.
    TooManyRequests,
    /// 503 and a page of HTML.
    Unavailable,
    /// 404 and a text.
    NotFoundText,
    /// 200 and nothing.
    Empty,
    /// 200 and `{}`.
    EmptyObject,
    /// The right answer after this many milliseconds.
    Slow(u64),
    /// Half of the right answer.
    Truncated,
    /// Some values are null, or missing in XML.
    Nulls,
    /// What is published today comes six hours late.
    Late,
    /// Values are a unit higher than before, and issued now.
    Revised,
    /// Data of a trial account, where the supplier has such.
    Sandbox,
}

/// Which answers have which fault.
pub(crate) enum Faults {
    None,
    Always(Fault),
    Random { seed: u64, percent: u64, kinds: Vec<Fault> },
}

impl Faults {
    pub fn of_turn(&self, turn: u64) -> Option<Fault> {
        match self {
            Self::None => None,
            Self::Always(fault) => Some(*fault),
            Self::Random { seed, percent, kinds } => {
                let mut random = ChaCha8Rng::seed_from_u64(*seed);
                random.set_stream(turn);
                let faulty = random.next_u64() % 100 < *percent;
                let kind = usize::try_from(random.next_u64() % 1024).unwrap_or(0);
                kinds.get(kind % kinds.len().max(1)).copied().filter(|_| faulty)
            }
        }
    }
}

impl Fault {
    /// The fault of a name such as `too-many-requests`.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "too-many-requests" => Self::TooManyRequests,
            "unavailable" => Self::Unavailable,
            "not-found-text" => Self::NotFoundText,
            "empty" => Self::Empty,
            "empty-object" => Self::EmptyObject,
            "slow" => Self::Slow(5000),
            "truncated" => Self::Truncated,
            "nulls" => Self::Nulls,
            "late" => Self::Late,
            "revised" => Self::Revised,
            "sandbox" => Self::Sandbox,
            _ => return None,
        })
    }
}

/// Answers with the fault; those of values are the handlers' to make.
pub(crate) async fn applied(fault: Option<Fault>, request: Request, next: Next) -> Response {
    match fault {
        Some(Fault::TooManyRequests) => {
            (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, "30")], "slow down")
                .into_response()
        }
        Some(Fault::Unavailable) => {
            let page = "<html><body>Scheduled maintenance</body></html>";
            (StatusCode::SERVICE_UNAVAILABLE, page).into_response()
        }
        Some(Fault::NotFoundText) => (StatusCode::NOT_FOUND, "404 page not found").into_response(),
        Some(Fault::Empty) => StatusCode::OK.into_response(),
        Some(Fault::EmptyObject) => "{}".into_response(),
        Some(Fault::Slow(milliseconds)) => {
            tokio::time::sleep(Duration::from_millis(milliseconds)).await;
            next.run(request).await
        }
        Some(Fault::Truncated) => {
            let (parts, body) = next.run(request).await.into_parts();
            let bytes = to_bytes(body, MAX_BYTES).await.unwrap_or_default();
            let half = Body::from(bytes.slice(..bytes.len() / 2));
            let mut response = Response::from_parts(parts, half);
            response.headers_mut().remove(header::CONTENT_LENGTH);
            response
        }
        _ => tagged(request, next).await,
    }
}

/// The right answer with an entity tag, or 304 where the asker has it.
async fn tagged(request: Request, next: Next) -> Response {
    let known = request.headers().get(header::IF_NONE_MATCH).cloned();
    let response = next.run(request).await;
    if response.status() != StatusCode::OK {
        return response;
    }
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, MAX_BYTES).await.unwrap_or_default();
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    let tag = format!("\"{:016x}\"", hasher.finish());
    if known.is_some_and(|known| known == tag.as_str()) {
        return StatusCode::NOT_MODIFIED.into_response();
    }
    let mut response = Response::from_parts(parts, Body::from(bytes));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}
