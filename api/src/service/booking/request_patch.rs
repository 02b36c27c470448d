//! Patches of requests: JSON merge patches (RFC 7396) of what a reservation was asked for as.

use planner::json::reader::read;
use planner::json::request::REQUEST_FIELDS;
use planner::json::{JsonError, Reader};
use planner::preference::Preference;
use planner::reservation::Reservation;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use storage::StorageError;

use super::labels::{Words, words};
use super::request::RESERVATION_FIELDS;
use super::{BookingError, Expected};

/// The fields on which no node and no power depends.
const WORDS: [&str; 3] = ["labels", "note", "project"];

/// What is to change of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequestPatch {
    /// Its fields, null where one is to be left out.
    fields: Map<String, Value>,
    /// By what a confirmed reservation is planned anew.
    preference: Option<Preference>,
    /// What the offer must be; otherwise nothing is changed.
    pub(super) expected: Option<Expected>,
}

/// A request after a patch.
pub(super) struct MergedRequest {
    /// As JSON.
    pub(super) text: String,
    /// The fields that differ from what was stored.
    changed: Vec<String>,
}

impl RequestPatch {
    /// Reads a patch: the fields of a request, and `ranking`.
    pub fn read(reader: &mut Reader, raw: &RawValue) -> Option<Self> {
        let mut patch = Self::default();
        let (preference, expected) = (&mut patch.preference, &mut patch.expected);
        let fields = reader.members(raw, |reader, name, raw| match name {
            "replaces" => {
                reader.error("cannot be changed; make a new reservation that replaces the other");
                None
            }
            "ranking" if raw.get() != "null" => {
                let word = reader.string(raw)?;
                *preference = Some(reader.accept(word.parse::<Preference>())?);
                Some(Value::Null)
            }
            "expected" if raw.get() != "null" => {
                *expected = Some(Expected::read(reader, raw)?);
                Some(Value::Null)
            }
            _ if !is_known(name) => {
                reader.error("is no field of a request");
                None
            }
            _ => reader.accept(serde_json::from_str::<Value>(raw.get())),
        })?;
        let is_field = |(name, _): &(String, Value)| name != "ranking" && name != "expected";
        patch.fields = fields.into_iter().filter(is_field).collect();
        Some(patch)
    }

    /// By what a confirmed reservation is planned anew: what the patch says, a ranking that its chosen offer wins, or the
    /// compromise where it is that.
    pub(super) fn preference_for(&self, stored: &Reservation) -> Preference {
        let of_chosen = || {
            let chosen = &stored.chosen_offer()?.terms;
            let ranking = chosen.rankings.first().copied().map(Preference::Ranking);
            ranking.or(chosen.is_compromise.then_some(Preference::Compromise))
        };
        self.preference.or_else(of_chosen).unwrap_or_default()
    }

    /// The request of a reservation with this patch.
    pub(super) fn merged_into(&self, stored: &Reservation) -> Result<MergedRequest, BookingError> {
        let before: Map<String, Value> =
            serde_json::from_str(&stored.request).map_err(|_| StorageError::Inconsistent {
                table: "reservations",
                row: stored.id.to_string(),
                column: Some("request"),
                problem: "it cannot be read",
            })?;
        let mut after = before.clone();
        // Either spelling of the length takes the place of the other, and what is said of what is learnt.
        for (name, other) in [
            ("duration", "duration_s"),
            ("duration_s", "duration"),
            ("utilisation", "utilisation_from"),
        ] {
            if self.fields.contains_key(name) && !self.fields.contains_key(other) {
                after.remove(other);
            }
        }
        for (name, value) in &self.fields {
            merge(&mut after, name, value);
        }
        let differs = |name: &&String| before.get(*name) != after.get(*name);
        let names = before.keys().chain(after.keys().filter(|it| !before.contains_key(*it)));
        let changed: Vec<String> = names.filter(differs).cloned().collect();
        if !self.says_a_length() && !are_words(&changed) {
            keep_booked_length(&mut after, stored);
        }
        Ok(MergedRequest { text: Value::Object(after).to_string(), changed })
    }

    fn says_a_length(&self) -> bool {
        ["duration", "duration_s", "alternatives"].iter().any(|it| self.fields.contains_key(*it))
    }

    /// Whether all stays as it is.
    pub(super) fn changes_nothing(&self, merged: &MergedRequest) -> bool {
        merged.changed.is_empty() && self.preference.is_none() && self.expected.is_none()
    }

    /// Whether only labels, the note and the project change, on which no node and no power depends.
    pub(super) fn changes_words_only(&self, merged: &MergedRequest) -> bool {
        are_words(&merged.changed) && self.preference.is_none() && self.expected.is_none()
    }
}

/// Whether a patch may have a field of this name.
fn is_known(name: &str) -> bool {
    let fields = REQUEST_FIELDS.iter().chain(&RESERVATION_FIELDS);
    fields.chain(&["slowest_speed", "ranking"]).any(|field| *field == name)
}

/// The words of a request.
///
/// # Errors
/// Every error in them.
pub(super) fn words_of(request: &str) -> Result<Words, Vec<JsonError>> {
    let request: Map<String, Value> = serde_json::from_str(request).unwrap_or_default();
    let mut said = Map::new();
    said.extend(WORDS.map(|name| (name.to_owned(), json!(request.get(name)))));
    read(&Value::Object(said).to_string(), |reader, raw| {
        let object = reader.object(raw, &WORDS)?;
        words(reader, &object)
    })
}

/// Whether fields are only words for people.
fn are_words(fields: &[String]) -> bool {
    fields.iter().all(|field| WORDS.contains(&field.as_str()))
}

/// What was booked longer or shorter than it was asked for, by an extension, keeps its length.
fn keep_booked_length(request: &mut Map<String, Value>, stored: &Reservation) {
    let Some(offer) = stored.chosen_offer() else { return };
    let later = offer.terms.slowing.as_ref().map_or(0, |slowing| slowing.later.get());
    let booked = offer.terms.span.length().get() - later;
    let alternatives = request.get("alternatives").and_then(Value::as_array);
    let lengths = alternatives.into_iter().flatten().filter_map(|it| it.get("duration_s"));
    let mut lengths = lengths.chain(request.get("duration_s"));
    if !lengths.any(|it| it.as_i64() == Some(booked)) {
        request.remove("alternatives");
        request.insert("duration_s".to_owned(), json!(booked));
    }
}

/// Puts a value of a merge patch in its place.
pub(in crate::service) fn merge(object: &mut Map<String, Value>, name: &str, value: &Value) {
    match value {
        Value::Null => drop(object.remove(name)),
        Value::Object(members) => {
            let inner = object.entry(name).or_insert_with(|| json!({}));
            if !inner.is_object() {
                *inner = json!({});
            }
            if let Value::Object(inner) = inner {
                for (name, value) in members {
                    merge(inner, name, value);
                }
            }
        }
        value => drop(object.insert(name.to_owned(), value.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(object: Value, patch: &Value) -> Value {
        let (Value::Object(mut object), Value::Object(patch)) = (object, patch) else { panic!() };
        for (name, value) in patch {
            merge(&mut object, name, value);
        }
        Value::Object(object)
    }

    /// Examples of RFC 7396, appendix A, with objects.
    #[test]
    fn patches_are_merged_as_their_specification_says() {
        for (before, patch, after) in [
            (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "b"}), json!({"b": "c"}), json!({"a": "b", "b": "c"})),
            (json!({"a": "b", "b": "c"}), json!({"a": null}), json!({"b": "c"})),
            (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
            (
                json!({"a": {"b": "c"}}),
                json!({"a": {"b": "d", "c": null}}),
                json!({"a": {"b": "d"}}),
            ),
            (json!({"a": [{"b": "c"}]}), json!({"a": [1]}), json!({"a": [1]})),
            (json!({"e": null}), json!({"a": 1}), json!({"e": null, "a": 1})),
            (json!({}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}})),
        ] {
            assert_eq!(merged(before, &patch), after, "{patch}");
        }
    }

    fn patch(value: &Value) -> Result<RequestPatch, String> {
        let read = read(&value.to_string(), RequestPatch::read);
        read.map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    }

    #[test]
    fn a_ranking_and_what_is_expected_are_no_fields_of_a_request() {
        let read = patch(&json!({ "nodes": 2, "ranking": "co2_cost_energy", "labels": null }));
        let read = read.unwrap();
        assert!(read.fields.contains_key("labels") && read.fields.contains_key("nodes"));
        assert_eq!(read.fields.len(), 2);
        assert_eq!(read.preference.map(|it| it.to_string()).as_deref(), Some("co2_cost_energy"));
        for (value, told) in [
            (json!({ "ranking": "cheap" }), "/ranking: is not a ranking"),
            (json!({ "replaces": null }), "/replaces: cannot be changed"),
            (json!({ "knots": null }), "/knots: is no field of a request"),
            (json!({ "expected": {} }), "/expected: must say"),
            (json!([]), "is not an object"),
        ] {
            let error = patch(&value).unwrap_err();
            assert!(error.starts_with(told), "{error}");
        }
    }
}
