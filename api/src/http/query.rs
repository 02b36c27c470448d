//! Query parameters, read with every error as a problem document.

use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use planner::node::{NAME_RULE, is_name};
use planner::time::{Span, Timestamp};
use serde::de::DeserializeOwned;

use super::problem::Problem;
use crate::service::shared::IdempotencyKey;
use crate::service::shared::digest;

/// `Query` whose rejections are problem documents.
pub struct Parameters<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Parameters<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let query = Query::<T>::from_request_parts(parts, state).await;
        let Query(parameters) = query.map_err(|rejection: QueryRejection| {
            Problem::invalid_parameter("query", rejection.body_text())
        })?;
        Ok(Self(parameters))
    }
}

/// The instant that a parameter names.
///
/// # Errors
/// Names the parameter.
pub fn instant(name: &str, text: Option<&str>) -> Result<Option<Timestamp>, Problem> {
    text.map(|text| {
        // An unescaped `+02:00` arrives as a space.
        Timestamp::parse(&text.replace(' ', "+"))
            .map_err(|error| Problem::invalid_parameter(name, error.to_string()))
    })
    .transpose()
}

/// The longest span that one answer covers.
const LONGEST_SPAN: planner::time::Seconds = planner::time::Seconds::new(366 * 86_400);

/// The span `[from, to)`; absent ends default to the day from `now` on.
///
/// # Errors
/// Names the parameter that is wrong.
pub fn span(from: Option<&str>, to: Option<&str>, now: Timestamp) -> Result<Span, Problem> {
    let day = planner::time::Seconds::new(86_400);
    let from = instant("from", from)?.unwrap_or(now);
    let to = instant("to", to)?.unwrap_or_else(|| (from + day).min(Timestamp::MAX));
    match Span::new(from, to) {
        Some(span) if span.length() <= LONGEST_SPAN => Ok(span),
        Some(_) => Err(Problem::invalid_parameter("to", "must be at most 366 days after from")),
        None => Err(Problem::invalid_parameter("to", "must be after from")),
    }
}

/// A name as a parameter: the same as in bodies.
///
/// # Errors
/// Names the parameter.
pub fn name(parameter: &str, text: Option<String>) -> Result<Option<String>, Problem> {
    match text {
        Some(name) if !is_name(&name) => Err(Problem::invalid_parameter(parameter, NAME_RULE)),
        name => Ok(name),
    }
}

/// What the words of a parameter stand for, which commas separate.
///
/// # Errors
/// Names the parameter and the word that stands for nothing.
pub fn words<T>(
    parameter: &str,
    text: Option<&str>,
    from_word: fn(&str) -> Option<T>,
) -> Result<Vec<T>, Problem> {
    let read = |word: &str| {
        from_word(word.trim()).ok_or_else(|| {
            Problem::invalid_parameter(parameter, format!("{word:?} is not a {parameter}"))
        })
    };
    text.into_iter().flat_map(|text| text.split(',')).map(read).collect()
}

/// How many items a page has: between 1 and `most`.
///
/// # Errors
/// Any other number.
pub fn limit(given: Option<u16>, unless_given: u16, most: u16) -> Result<u16, Problem> {
    match given.unwrap_or(unless_given) {
        limit if (1..=most).contains(&limit) => Ok(limit),
        _ => {
            let message = format!("must lie between 1 and {most}");
            Err(Problem::invalid_parameter("limit", message))
        }
    }
}

/// The `Idempotency-Key` of a request with this body.
///
/// # Errors
/// A key that is none.
pub fn idempotency_key(headers: &HeaderMap, body: &str) -> Result<Option<IdempotencyKey>, Problem> {
    let Some(value) = headers.get("Idempotency-Key") else { return Ok(None) };
    match value.to_str() {
        Ok(key) if (1..=255).contains(&key.len()) => {
            Ok(Some(IdempotencyKey { key: key.to_owned(), fingerprint: digest(body) }))
        }
        _ => Err(Problem::invalid_parameter("Idempotency-Key", "must have 1 to 255 characters")),
    }
}

/// The row version of an `If-Match` header.
///
/// # Errors
/// A header that is not one of our entity tags.
pub fn if_match(headers: &HeaderMap) -> Result<Option<i64>, Problem> {
    let Some(value) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(None);
    }
    let version = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    match version.and_then(|version| version.parse().ok()) {
        Some(version) => Ok(Some(version)),
        None => Err(Problem::invalid_parameter("If-Match", "must be the ETag of a reservation")),
    }
}

/// The ordinals between two that may be given.
///
/// # Errors
/// A last one before the first.
pub fn nodes(first: Option<u32>, last: Option<u32>) -> Result<std::ops::Range<u32>, Problem> {
    let first = first.unwrap_or(0);
    let end = last.map_or(u32::MAX, |last| last.saturating_add(1));
    if first < end {
        Ok(first..end)
    } else {
        Err(Problem::invalid_parameter("last_node", "must not be before first_node"))
    }
}

/// How many rows or columns a picture has: between 1 and 500.
///
/// # Errors
/// Names the parameter.
pub fn cells(name: &str, given: Option<u16>, unless_given: u32) -> Result<u32, Problem> {
    match given.map_or(unless_given, u32::from) {
        cells if (1..=500).contains(&cells) => Ok(cells),
        _ => Err(Problem::invalid_parameter(name, "must lie between 1 and 500")),
    }
}
