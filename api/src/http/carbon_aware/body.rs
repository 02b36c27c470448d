//! Bodies: arrays of objects with a location and times, names in any case.

use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use planner::time::{Seconds, Timestamp};
use serde_json::{Map, Value};

use super::error::SdkError;
use super::instant;
use crate::http::App;
use crate::http::body::read_text;
use crate::http::problem::Problem;

/// More requests in one body are refused.
const MOST: usize = 1000;

/// The objects of a body.
pub struct Batch(Vec<Map<String, Value>>);

/// One object of a body; what is wrong with it is collected.
pub struct Item<'a> {
    index: usize,
    members: &'a Map<String, Value>,
    errors: &'a mut Vec<(String, String)>,
}

impl FromRequest<App> for Batch {
    type Rejection = SdkError;

    async fn from_request(request: Request, app: &App) -> Result<Self, SdkError> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.map(|kind| kind.split(';').next().unwrap_or_default().trim());
        let json = kind.is_some_and(|kind| {
            kind.eq_ignore_ascii_case("application/json") || kind.ends_with("+json")
        });
        if !json {
            return Err(SdkError::Problem(Box::new(Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "unsupported_media_type",
                "Unsupported media type",
                "The Content-Type must be application/json.",
            ))));
        }
        let (text, _room) = read_text(request, app)
            .await
            .map_err(|problem| SdkError::Problem(Box::new(problem)))?;
        let unreadable = |message: String| SdkError::unreadable(vec![("$".to_owned(), message)]);
        let objects: Vec<Map<String, Value>> =
            serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))?;
        if objects.len() > MOST {
            return Err(unreadable(format!("The body may have at most {MOST} requests.")));
        }
        Ok(Self(objects))
    }
}

impl Batch {
    /// Reads every object.
    ///
    /// # Errors
    /// Everything that cannot be read, by its place.
    pub fn read<T>(&self, part: impl Fn(&mut Item<'_>) -> T) -> Result<Vec<T>, SdkError> {
        let mut errors = Vec::new();
        let items = self.0.iter().enumerate();
        let read = items
            .map(|(index, members)| part(&mut Item { index, members, errors: &mut errors }))
            .collect();
        if errors.is_empty() { Ok(read) } else { Err(SdkError::unreadable(errors)) }
    }
}

impl Item<'_> {
    /// A text that is not empty.
    pub fn text(&mut self, name: &str) -> Option<String> {
        self.part(name, |value| value.as_str().map(str::to_owned)).filter(|text| !text.is_empty())
    }

    /// An instant, read from the member `name`.
    pub fn time(&mut self, name: &str) -> Option<Timestamp> {
        self.part(name, |value| instant::parse_strictly(value.as_str()?))
    }

    /// A whole number of minutes.
    pub fn minutes(&mut self, name: &str) -> Option<Seconds> {
        let minutes = self.part(name, |value| i32::try_from(value.as_i64()?).ok());
        minutes.map(|minutes| Seconds::new(60 * i64::from(minutes)))
    }

    /// A member that may be absent or null.
    fn part<T>(&mut self, name: &str, read: impl Fn(&Value) -> Option<T>) -> Option<T> {
        let member = self.members.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        let value = member.map(|(_, value)| value).filter(|value| !value.is_null())?;
        let read = read(value);
        if read.is_none() {
            let place = format!("$[{}].{name}", self.index);
            self.errors.push((place, format!("The JSON value {value} could not be converted.")));
        }
        read
    }
}
