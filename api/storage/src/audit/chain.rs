//! The chain: what the hash of a record is made of, and whether records follow one another.
//!
//! The hash is the SHA-256 of a JSON array of texts: the hash of the record before, the instant, and the fields in their order.
//! In place of what may be personal (actor, for, from, object) stands its digest: the SHA-256 of the hash of the record before,
//! the field's name and the value, a line feed between them. So a value can be erased and its digest kept, and the hash still
//! follows from what is there. In what was before and after, the digest of each member `person` stands in its place.

use planner::time::Timestamp;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{AuditEntry, AuditRecord};

/// What stands before the digest of a value that was erased.
const ERASED: &str = "erased:";

/// The member of what was before and after whose value is a person's name.
const PERSON: &str = "person";

/// Digits of a digest.
const DIGITS: usize = 64;

/// What the first record has in place of the hash of the one before.
pub const FIRST_PREVIOUS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Where a chain breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BrokenLink {
    /// The record is not what was hashed.
    #[error("its hash is not that of its fields: the record was changed")]
    Changed,
    /// The record does not follow the one before.
    #[error("it does not follow the record before: records were removed, added or exchanged")]
    Unlinked,
}

/// How far a chain was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChainCheck {
    /// The hash of the last record; `None` where the first is yet to come and may follow any.
    last: Option<String>,
}

impl ChainCheck {
    /// A chain that goes on after a record with this hash.
    pub const fn after(hash: String) -> Self {
        Self { last: Some(hash) }
    }

    /// The hash of the last record that was checked.
    pub fn hash(&self) -> Option<&str> {
        self.last.as_deref()
    }

    /// Goes on to the next record.
    ///
    /// # Errors
    /// It does not fit.
    pub fn follow(
        &mut self,
        entry: &AuditEntry,
        hash: &str,
        previous: &str,
    ) -> Result<(), BrokenLink> {
        if self.last.as_deref().is_some_and(|last| last != previous) {
            return Err(BrokenLink::Unlinked);
        }
        if entry.hash(previous) != hash {
            return Err(BrokenLink::Changed);
        }
        self.last = Some(hash.to_owned());
        Ok(())
    }
}

impl AuditEntry {
    /// The instant as RFC 3339 in UTC, to the microsecond.
    pub fn at(&self) -> String {
        let seconds = Timestamp::from_unix_seconds(self.at_us.div_euclid(1_000_000)).to_string();
        format!("{}.{:06}Z", seconds.trim_end_matches('Z'), self.at_us.rem_euclid(1_000_000))
    }

    /// The hash of this entry after a record with the hash `previous`.
    pub fn hash(&self, previous: &str) -> String {
        let digest = |field: &str, value: &str| digest(previous, field, value);
        let state = |state: &Option<String>| match state {
            Some(text) => with_persons(text, &mut |name| Some(digest(PERSON, name)))
                .unwrap_or_else(|| text.clone()),
            None => "null".to_owned(),
        };
        let parts = [
            previous.to_owned(),
            self.at(),
            digest("actor", &self.actor),
            self.issuer.clone(),
            digest("for", &self.acting_for),
            digest("from", &self.source),
            self.action.clone(),
            digest("object", &self.object),
            state(&self.before),
            state(&self.after),
            self.outcome.clone(),
        ];
        sha256(&serde_json::json!(parts).to_string())
    }

    /// This entry in its place after a record.
    pub(crate) fn chained(self, id: i64, previous: &str) -> AuditRecord {
        AuditRecord { id, hash: self.hash(previous), previous: previous.to_owned(), entry: self }
    }
}

impl AuditRecord {
    /// Puts digests in place of what names one of some people; whether there was anything. Of what they did themselves the
    /// address is erased, too. The hash stays.
    pub fn erase(&mut self, is_theirs: &dyn Fn(&str) -> bool) -> bool {
        let (entry, previous) = (&mut self.entry, &self.previous);
        let is_actor = is_theirs(&entry.actor);
        let names = |text: &str| is_theirs(text) || text.split(['/', '?', '&', '=']).any(is_theirs);
        let fields = [("actor", &mut entry.actor, is_actor), ("from", &mut entry.source, is_actor)];
        let mut erased = false;
        for (field, value, is_named) in fields {
            erased |= is_named;
            if is_named {
                *value = format!("{ERASED}{}", digest(previous, field, value));
            }
        }
        for (field, value) in [("for", &mut entry.acting_for), ("object", &mut entry.object)] {
            if names(value) {
                *value = format!("{ERASED}{}", digest(previous, field, value));
                erased = true;
            }
        }
        for state in [&mut entry.before, &mut entry.after].into_iter().flatten() {
            let gone = |name: &str| format!("{ERASED}{}", digest(previous, PERSON, name));
            let without = with_persons(state, &mut |name| is_theirs(name).then(|| gone(name)));
            if let Some(without) = without.filter(|it| it != state) {
                *state = without;
                erased = true;
            }
        }
        erased
    }
}

/// JSON with other words in place of people's names, as far as there are others; `None` where it names nobody.
fn with_persons(state: &str, other: &mut dyn FnMut(&str) -> Option<String>) -> Option<String> {
    if !state.contains("\"person\":") {
        return None;
    }
    let mut state: Value = serde_json::from_str(state).ok()?;
    replace_persons(&mut state, other);
    Some(state.to_string())
}

fn replace_persons(state: &mut Value, other: &mut dyn FnMut(&str) -> Option<String>) {
    match state {
        Value::Array(items) => items.iter_mut().for_each(|it| replace_persons(it, other)),
        Value::Object(members) => {
            for (key, value) in members {
                match value {
                    Value::String(name) if key == PERSON => {
                        if let Some(other) = other(name) {
                            *name = other;
                        }
                    }
                    _ => replace_persons(value, other),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The instant that a text names to the microsecond, as records write it; `None` for another one.
pub fn microseconds(text: &str) -> Option<i64> {
    let (seconds, fraction) = text.strip_suffix('Z')?.split_once('.')?;
    let whole = Timestamp::parse(&format!("{seconds}Z")).ok()?.as_unix_seconds();
    let is_whole = fraction.len() == 6 && fraction.bytes().all(|it| it.is_ascii_digit());
    let fraction: i64 = fraction.parse().ok().filter(|_| is_whole)?;
    whole.checked_mul(1_000_000)?.checked_add(fraction)
}

/// The digest of a value, or that which was kept of it when it was erased.
fn digest(previous: &str, field: &str, value: &str) -> String {
    let is_digest = |text: &&str| {
        text.len() == DIGITS && text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'))
    };
    match value.strip_prefix(ERASED).filter(is_digest) {
        Some(digest) => digest.to_owned(),
        None => sha256(&format!("{previous}\n{field}\n{value}")),
    }
}

/// By what it is known that a name was erased.
pub(crate) fn name_digest(name: &str) -> String {
    sha256(&format!("erased\n{name}"))
}

fn sha256(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> AuditEntry {
        AuditEntry {
            at_us: 1_772_323_200_000_042,
            actor: "olga".to_owned(),
            acting_for: "ada".to_owned(),
            source: "192.0.2.7".to_owned(),
            action: "cancel_reservation".to_owned(),
            object: "reservations/1".to_owned(),
            after: Some(r#"{"state":"cancelled"}"#.to_owned()),
            outcome: "200".to_owned(),
            ..AuditEntry::default()
        }
    }

    fn chain(count: i64) -> Vec<AuditRecord> {
        let mut previous = FIRST_PREVIOUS.to_owned();
        let mut next = |id| {
            let record = AuditEntry { at_us: id, ..entry() }.chained(id, &previous);
            previous.clone_from(&record.hash);
            record
        };
        (1..=count).map(&mut next).collect()
    }

    fn check(records: &[AuditRecord]) -> Result<(), BrokenLink> {
        let mut link = ChainCheck::after(FIRST_PREVIOUS.to_owned());
        records.iter().try_for_each(|it| link.follow(&it.entry, &it.hash, &it.previous))
    }

    /// By a program of ten lines in another language, after the module's documentation.
    #[test]
    fn the_hash_is_that_of_the_documented_text() {
        let hash = "5aeb99ce31f4e3bb64688722bcde588eee563ccf30ab4b6675189dc26859bc93";
        assert_eq!(entry().hash(FIRST_PREVIOUS), hash);
    }

    #[test]
    fn whatever_is_changed_removed_or_exchanged_breaks_the_chain() {
        let whole = chain(4);
        assert_eq!(check(&whole), Ok(()));
        let changes: [fn(&mut AuditEntry); 10] = [
            |it| it.at_us += 1,
            |it| it.actor.push('x'),
            |it| it.issuer.push('x'),
            |it| it.acting_for.push('x'),
            |it| it.source.push('x'),
            |it| it.action.push('x'),
            |it| it.object.push('x'),
            |it| it.before = Some("null ".to_owned()),
            |it| it.after = None,
            |it| it.outcome = "201".to_owned(),
        ];
        for change in changes {
            let mut other = whole.clone();
            change(&mut other[2].entry);
            assert_eq!(check(&other), Err(BrokenLink::Changed));
        }
        let mut removed = whole.clone();
        removed.remove(1);
        assert_eq!(check(&removed), Err(BrokenLink::Unlinked));
        let mut exchanged = whole.clone();
        exchanged.swap(1, 2);
        assert_eq!(check(&exchanged), Err(BrokenLink::Unlinked));
    }

    #[test]
    fn what_names_somebody_can_be_erased_and_the_chain_holds() {
        let mut records = chain(3);
        assert!(records[0].erase(&|name| name == "olga"));
        assert!(records[1].erase(&|name| name == "ada"));
        assert!(!records[2].erase(&|name| name == "eve"));
        let (olga, ada) = (&records[0].entry, &records[1].entry);
        assert!(olga.actor.starts_with(ERASED) && olga.source.starts_with(ERASED));
        assert_eq!(olga.acting_for, "ada");
        assert_eq!((ada.actor.as_str(), ada.source.as_str()), ("olga", "192.0.2.7"));
        assert!(ada.acting_for.starts_with(ERASED));
        assert_eq!(check(&records), Ok(()));
        records[0].entry.actor = format!("{ERASED}{FIRST_PREVIOUS}");
        assert_eq!(check(&records), Err(BrokenLink::Changed));
    }

    /// In place of each name its digest is hashed: the SHA-256 of the hash before, `person` and the name.
    #[test]
    fn people_before_and_after_can_be_erased_and_not_be_exchanged() {
        let after =
            r#"{"shared_with":[{"person":"ada","may":"see"},{"person":"bob","may":"act"}]}"#;
        let shared = AuditEntry { after: Some(after.to_owned()), ..entry() };
        let of = |name: &str| sha256(&format!("{FIRST_PREVIOUS}\nperson\n{name}"));
        let mut record = shared.chained(1, FIRST_PREVIOUS);
        let exchanged = AuditEntry { after: Some(after.replace("bob", "eve")), ..entry() };
        assert_ne!(exchanged.hash(FIRST_PREVIOUS), record.hash);
        assert!(!record.erase(&|name| name == "see"));
        assert!(record.erase(&|name| name == "bob"));
        let erased = format!("{ERASED}{}", of("bob"));
        assert_eq!(record.entry.after.as_deref(), Some(after.replace("bob", &erased).as_str()));
        assert_eq!(check(&[record]), Ok(()));
    }

    #[test]
    fn instants_are_read_as_they_are_written() {
        for at_us in [0, 1, 1_772_323_200_000_042, 1_772_323_200_999_999] {
            let entry = AuditEntry { at_us, ..AuditEntry::default() };
            assert_eq!(microseconds(&entry.at()), Some(at_us));
        }
        for text in
            ["", "2026-03-01T00:00:00Z", "2026-03-01T00:00:00.1Z", "2026-03-01T00:00:00.+00001Z"]
        {
            assert_eq!(microseconds(text), None, "{text}");
        }
    }
}
