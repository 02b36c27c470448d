//! Reading JSON with every error and its place.
//!
//! A document is cut into raw parts level by level and each part read on its own, so that one bad
//! value does not hide the next. Memory stays near the size of the text.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::decimal::{Fraction, parse_millionths};
use crate::node::{NAME_RULE, is_name};
use crate::quantity::{MILLION, Power};
use crate::time::{Seconds, Span, Timestamp};

/// What is wrong at one place of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// JSON pointer (RFC 6901); empty for the document itself.
    pub pointer: String,
    /// What is wrong, in words.
    pub message: String,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pointer.as_str() {
            "" => f.write_str(&self.message),
            pointer => write!(f, "{pointer}: {}", self.message),
        }
    }
}

/// Errors listed for one document; the rest is counted.
const MAX_ERRORS: usize = 1000;

/// No object here has as many known members; it also bounds the search for repeated ones.
const MAX_MEMBERS: usize = 100;

/// Where the reader is and what it has found wrong.
#[derive(Debug, Default)]
pub struct Reader {
    path: Vec<Step>,
    errors: Vec<JsonError>,
    unlisted: usize,
}

#[derive(Debug)]
enum Step {
    Key(Cow<'static, str>),
    Index(usize),
}

/// The members of a JSON object, in the order written.
pub struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

/// Reads a whole document.
///
/// # Errors
/// Every error in it; a syntax error alone, with line and column.
pub fn read<T>(
    text: &str,
    part: impl FnOnce(&mut Reader, &RawValue) -> Option<T>,
) -> Result<T, Vec<JsonError>> {
    let mut reader = Reader::default();
    // Some editors begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value = match serde_json::from_str::<&RawValue>(text) {
        Ok(raw) => part(&mut reader, raw),
        Err(error) => {
            reader.error(format!("is not JSON: {error}"));
            None
        }
    };
    match value {
        Some(value) if reader.errors.is_empty() => Ok(value),
        _ => Err(reader.into_errors()),
    }
}

impl Reader {
    /// Notes that the value at the current place is wrong.
    pub fn error(&mut self, message: impl fmt::Display) {
        if self.errors.len() == MAX_ERRORS {
            self.unlisted += 1;
            return;
        }
        let pointer = self.pointer();
        self.errors.push(JsonError { pointer, message: message.to_string() });
    }

    /// Notes that the member `key` of the object at the current place is wrong.
    pub fn error_at(&mut self, key: &'static str, message: impl fmt::Display) {
        self.within(Step::Key(key.into()), |reader| reader.error(message));
    }

    /// Notes that an element of the member `key` of the object at the current place is wrong.
    pub fn error_in(&mut self, key: &'static str, index: usize, message: impl fmt::Display) {
        self.within(Step::Key(key.into()), |reader| {
            reader.within(Step::Index(index), |reader| reader.error(message));
        });
    }

    /// Unwraps a result, noting its error.
    pub fn accept<T, E: fmt::Display>(&mut self, result: Result<T, E>) -> Option<T> {
        result.map_err(|error| self.error(error)).ok()
    }

    /// An object with no other members than `known`, none of them twice.
    pub fn object<'a>(&mut self, raw: &'a RawValue, known: &[&str]) -> Option<Object<'a>> {
        self.object_without(raw, known, &[])
    }

    /// An object as [`Reader::object`] reads it, where some members are refused in words of their own.
    pub fn object_without<'a>(
        &mut self,
        raw: &'a RawValue,
        known: &[&str],
        refused: &[(&str, &str)],
    ) -> Option<Object<'a>> {
        let Ok(object) = serde_json::from_str::<Object<'a>>(raw.get()) else {
            self.error("is not an object");
            return None;
        };
        if object.0.len() > MAX_MEMBERS {
            self.error(format!(
                "has more than {MAX_MEMBERS} members; known are {}",
                known.join(", ")
            ));
            return None;
        }
        for (position, (key, _)) in object.0.iter().enumerate() {
            let twice = object.0[..position].iter().any(|(earlier, _)| earlier == key);
            if twice || !known.contains(&key.as_ref()) {
                let why = refused.iter().find(|(name, _)| *name == key.as_ref());
                let message = match why {
                    _ if twice => "appears twice".to_owned(),
                    Some((_, why)) => (*why).to_owned(),
                    None => format!("is not a known field; known are {}", known.join(", ")),
                };
                let step = Step::Key(key.clone().into_owned().into());
                self.within(step, |reader| reader.error(message));
            }
        }
        Some(object)
    }

    /// Reads every member of an object whose keys are free; `None` if any is wrong, after all were
    /// read.
    pub fn members<T>(
        &mut self,
        raw: &RawValue,
        part: impl FnMut(&mut Self, &str, &RawValue) -> Option<T>,
    ) -> Option<Vec<(String, T)>> {
        self.members_up_to(raw, MAX_MEMBERS, part)
    }

    /// As [`Reader::members`], of an object that may have so many.
    pub fn members_up_to<T>(
        &mut self,
        raw: &RawValue,
        most: usize,
        mut part: impl FnMut(&mut Self, &str, &RawValue) -> Option<T>,
    ) -> Option<Vec<(String, T)>> {
        let Ok(Object(members)) = serde_json::from_str::<Object<'_>>(raw.get()) else {
            self.error("is not an object");
            return None;
        };
        if members.len() > most {
            self.error(format!("has more than {most} members"));
            return None;
        }
        let mut seen = HashSet::with_capacity(members.len());
        let mut values = Vec::with_capacity(members.len());
        for (key, raw) in &members {
            let step = Step::Key(key.clone().into_owned().into());
            let is_new = seen.insert(key);
            values.extend(self.within(step, |reader| {
                if !is_new {
                    reader.error("appears twice");
                    return None;
                }
                Some((key.clone().into_owned(), part(reader, key, raw)?))
            }));
        }
        (values.len() == members.len()).then_some(values)
    }

    /// Reads a member that must be there.
    pub fn required<T>(
        &mut self,
        object: &Object<'_>,
        key: &'static str,
        part: impl FnOnce(&mut Self, &RawValue) -> Option<T>,
    ) -> Option<T> {
        let Some(raw) = object.get(key) else {
            self.error_at(key, "is missing");
            return None;
        };
        self.within(Step::Key(key.into()), |reader| part(reader, raw))
    }

    /// Reads a member that may be absent or null: `Some(None)` then, `None` on an error.
    pub fn optional<T>(
        &mut self,
        object: &Object<'_>,
        key: &'static str,
        part: impl FnOnce(&mut Self, &RawValue) -> Option<T>,
    ) -> Option<Option<T>> {
        match object.non_null(key) {
            Some(raw) => self.within(Step::Key(key.into()), |reader| part(reader, raw)).map(Some),
            None => Some(None),
        }
    }

    /// Reads every element of an array; `None` if any is wrong, after all were read.
    pub fn array<T>(
        &mut self,
        raw: &RawValue,
        mut part: impl FnMut(&mut Self, &RawValue) -> Option<T>,
    ) -> Option<Vec<T>> {
        let Ok(elements) = serde_json::from_str::<Vec<&RawValue>>(raw.get()) else {
            self.error("is not an array");
            return None;
        };
        let mut values = Vec::with_capacity(elements.len());
        for (index, element) in elements.iter().enumerate() {
            values.extend(self.within(Step::Index(index), |reader| part(reader, element)));
        }
        (values.len() == elements.len()).then_some(values)
    }

    /// Reads a string; `None` and an error where it is none.
    pub fn string(&mut self, raw: &RawValue) -> Option<String> {
        let text = serde_json::from_str(raw.get());
        self.accept(text.map_err(|_| "is not a string"))
    }

    /// `true` or `false`.
    pub fn boolean(&mut self, raw: &RawValue) -> Option<bool> {
        let value = serde_json::from_str(raw.get());
        self.accept(value.map_err(|_| "is neither true nor false"))
    }

    /// A name or id: 1 to 255 characters, none of them a control character.
    pub fn name(&mut self, raw: &RawValue) -> Option<Box<str>> {
        let name = self.string(raw)?;
        if !is_name(&name) {
            self.error(NAME_RULE);
            return None;
        }
        Some(name.into())
    }

    /// An RFC 3339 instant.
    pub fn timestamp(&mut self, raw: &RawValue) -> Option<Timestamp> {
        let text = self.string(raw)?;
        self.accept(Timestamp::parse(&text))
    }

    /// A number in whole millionths.
    pub fn millionths(&mut self, raw: &RawValue) -> Option<i64> {
        self.accept(parse_millionths(raw.get()))
    }

    /// A whole number; `2.0` is one.
    pub fn whole_number(&mut self, raw: &RawValue) -> Option<i64> {
        let millionths = parse_millionths(raw.get());
        let whole = millionths.map_err(|error| match error {
            crate::decimal::DecimalError::TooFine => "is not a whole number".to_owned(),
            error => error.to_string(),
        });
        let millionths = self.accept(whole)?;
        if millionths % MILLION != 0 {
            self.error("is not a whole number");
            return None;
        }
        Some(millionths / MILLION)
    }

    /// A power of at least zero, in watts.
    pub fn power(&mut self, raw: &RawValue) -> Option<Power> {
        let microwatts = self.millionths(raw)?;
        let range = 0..=crate::quantity::MAX_POWER_MICROWATTS;
        if !range.contains(&microwatts) {
            self.error("must lie between 0 and 1e11 W");
            return None;
        }
        Some(Power::from_microwatts(microwatts))
    }

    /// A number in `[0, 1]`, with any decimals.
    pub fn fraction(&mut self, raw: &RawValue) -> Option<Fraction> {
        let value = serde_json::from_str::<f64>(raw.get());
        let value = self.accept(value.map_err(|_| "is not a number"))?;
        let fraction = Fraction::new(value);
        if fraction.is_none() {
            self.error("must lie between 0 and 1");
        }
        fraction
    }

    /// A length of time: whole seconds, or an ISO 8601 duration such as `"PT1H30M"`.
    pub fn duration(&mut self, raw: &RawValue) -> Option<Seconds> {
        if !raw.get().starts_with('"') {
            return self.whole_number(raw).map(Seconds::new);
        }
        let text = self.string(raw)?;
        self.accept(iso_8601_duration(&text).ok_or("is not a duration such as 3600 or \"PT1H\""))
    }

    /// The members `start` and `end` of an object as a span.
    pub fn span(&mut self, object: &Object<'_>) -> Option<Span> {
        let start = self.required(object, "start", Self::timestamp);
        let end = self.required(object, "end", Self::timestamp);
        let span = Span::new(start?, end?);
        if span.is_none() {
            self.error_at("end", "must be after start");
        }
        span
    }

    fn within<T>(&mut self, step: Step, part: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(step);
        let value = part(self);
        self.path.pop();
        value
    }

    fn pointer(&self) -> String {
        let step = |step: &Step| match step {
            Step::Key(key) => format!("/{}", key.replace('~', "~0").replace('/', "~1")),
            Step::Index(index) => format!("/{index}"),
        };
        self.path.iter().map(step).collect()
    }

    fn into_errors(mut self) -> Vec<JsonError> {
        if self.unlisted > 0 {
            let message = format!("{} more errors are not listed", self.unlisted);
            self.errors.push(JsonError { pointer: String::new(), message });
        }
        self.errors
    }
}

fn iso_8601_duration(text: &str) -> Option<Seconds> {
    let span: jiff::Span = text.parse().ok().filter(|_| text.starts_with(['P', 'p']))?;
    if span.get_years() != 0 || span.get_months() != 0 {
        return None;
    }
    let duration = span.to_duration(jiff::SpanRelativeTo::days_are_24_hours()).ok()?;
    (duration.subsec_nanos() == 0).then(|| Seconds::new(duration.as_secs()))
}

impl<'a> Object<'a> {
    /// The value of the member `key`, if there is one.
    pub fn get(&self, key: &str) -> Option<&'a RawValue> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, raw)| *raw)
    }

    /// The value of the member `key`, if there is one and it is not null.
    pub fn non_null(&self, key: &str) -> Option<&'a RawValue> {
        self.get(key).filter(|raw| raw.get() != "null")
    }
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        #[derive(Deserialize)]
        struct Key<'k>(#[serde(borrow)] Cow<'k, str>);

        impl<'de> Visitor<'de> for Members {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Object<'de>, M::Error> {
                let mut members = Vec::new();
                while let Some((Key(key), raw)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
                    members.push((key, raw));
                }
                Ok(Object(members))
            }
        }

        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests;
