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
    /// 302 to another origin, as in maintenance.
    Elsewhere,
    /// 401 and a text.
    Unauthorised,
    /// 200 and an acknowledgement that repeats the request, its token too.
    Echo,
    /// Values of another area than asked for, where the supplier names it.
    OtherArea,
    /// Prices of tomorrow are provisional, a unit lower, and early.
    Provisional,
    /// One value in fifty cannot be.
    Absurd,
}

/// The faults of answers, and how they are spread.
pub(crate) enum Faults {
    None,
    Always(Fault),
    Random { seed: u64, shares: Vec<(Fault, f64)> },
}

impl Faults {
    pub fn of_turn(&self, turn: u64) -> Option<Fault> {
        match self {
            Self::None => None,
            Self::Always(fault) => Some(*fault),
            Self::Random { seed, shares } => {
                let mut random = ChaCha8Rng::seed_from_u64(*seed);
                random.set_stream(turn);
                let mut drawn = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
                let of_drawn = shares.iter().find(|(_, share)| {
                    drawn -= share;
                    drawn < 0.0
                });
                of_drawn.map(|(fault, _)| *fault)
            }
        }
    }
}

impl Fault {
    /// The fault of a name such as `too-many-requests` or, for some of them, of a status.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "too-many-requests" | "429" => Self::TooManyRequests,
            "unavailable" | "503" => Self::Unavailable,
            "not-found-text" | "404" => Self::NotFoundText,
            "empty" => Self::Empty,
            "empty-object" => Self::EmptyObject,
            "slow" => Self::Slow(5000),
            "truncated" => Self::Truncated,
            "nulls" => Self::Nulls,
            "late" => Self::Late,
            "revised" => Self::Revised,
            "sandbox" => Self::Sandbox,
            "elsewhere" | "302" => Self::Elsewhere,
            "unauthorised" | "401" => Self::Unauthorised,
            "echo" => Self::Echo,
            "other-area" => Self::OtherArea,
            "provisional" => Self::Provisional,
            "absurd" => Self::Absurd,
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
        Some(Fault::Elsewhere) => {
            let elsewhere = [(header::LOCATION, "https://maintenance.invalid/")];
            (StatusCode::FOUND, elsewhere).into_response()
        }
        Some(Fault::Unauthorised) => {
            (StatusCode::UNAUTHORIZED, "the token is not valid").into_response()
        }
        Some(Fault::Echo) => repeated(&request).into_response(),
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

fn repeated(request: &Request) -> String {
    let asked = format!("{} {:?}", request.uri(), request.headers()).replace('&', "&amp;");
    format!(
        "<Acknowledgement_MarketDocument><Reason><code>999</code>\
         <text>The request is not understood: {asked}</text></Reason></Acknowledgement_MarketDocument>"
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 10 000 turns 1000 and 3000 are expected; the standard deviations are 30 and 46.
    #[test]
    fn each_fault_has_its_share_and_a_seed_always_the_same_turns() {
        let shares = vec![(Fault::Empty, 0.1), (Fault::Truncated, 0.3)];
        let faults = |seed| Faults::Random { seed, shares: shares.clone() };
        let turns = |seed| (0..10_000).map(|turn| faults(seed).of_turn(turn)).collect::<Vec<_>>();
        let count = |fault| turns(7).iter().filter(|drawn| **drawn == fault).count();
        assert!((850..1150).contains(&count(Some(Fault::Empty))));
        assert!((2770..3230).contains(&count(Some(Fault::Truncated))));
        assert_eq!(turns(7), turns(7));
        assert_ne!(turns(7), turns(8));
    }

    #[test]
    fn a_share_of_one_is_every_turn_and_nothing_is_left_behind_it() {
        let faults =
            Faults::Random { seed: 1, shares: vec![(Fault::Nulls, 1.0), (Fault::Late, 1.0)] };
        assert!((0..1000).all(|turn| faults.of_turn(turn) == Some(Fault::Nulls)));
    }
}
