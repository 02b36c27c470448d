//! Parameters of a query: names in any case, unknown ones ignored, as the SDK's framework does.

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use planner::time::{Seconds, Timestamp};

use super::error::SdkError;
use super::instant;

/// The parameters in the order given.
pub struct SdkParameters(Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for SdkParameters {
    type Rejection = SdkError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, SdkError> {
        match Query::from_request_parts(parts, state).await {
            Ok(Query(pairs)) => Ok(Self(pairs)),
            Err(rejection) => {
                Err(SdkError::unreadable(vec![(String::new(), rejection.body_text())]))
            }
        }
    }
}

impl SdkParameters {
    /// Every value of a parameter that is not empty.
    pub fn all(&self, name: &str) -> Vec<&str> {
        let named = self.0.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty()).collect()
    }

    /// The first value of a parameter that is not empty.
    pub fn one(&self, name: &str) -> Option<&str> {
        self.all(name).first().copied()
    }

    /// A time; what cannot be read is in `errors`.
    pub fn time(&self, name: &str, errors: &mut Vec<(String, String)>) -> Option<Timestamp> {
        let text = self.one(name)?;
        // An unescaped `+02:00` arrives as a space.
        let time = instant::parse(&text.replace(' ', "+"));
        if time.is_none() {
            errors.push((name.to_owned(), format!("The value '{text}' is not valid.")));
        }
        time
    }

    /// A whole number of minutes; what cannot be read is in `errors`.
    pub fn minutes(&self, name: &str, errors: &mut Vec<(String, String)>) -> Option<Seconds> {
        let text = self.one(name)?;
        let minutes = text.trim().parse::<i32>().ok();
        if minutes.is_none() {
            errors.push((name.to_owned(), format!("The value '{text}' is not valid.")));
        }
        minutes.map(|minutes| Seconds::new(60 * i64::from(minutes)))
    }
}
