//! Payload types, as the standard and the user guide spell them.

use crate::wire::{Event, Payload};

pub(super) const PRICE: &str = "PRICE";
pub(super) const GHG: &str = "GHG";
pub(super) const LIMIT: &str = "IMPORT_CAPACITY_LIMIT";
pub(super) const SUBSCRIPTION: &str = "IMPORT_CAPACITY_SUBSCRIPTION";
pub(super) const GRANT: [&str; 2] = ["IMPORT_CAPACITY_RESERVATION", "IMPORT_RESERVATION_CAPACITY"];
pub(super) const GRANT_FEE: [&str; 2] =
    ["IMPORT_CAPACITY_RESERVATION_FEE", "IMPORT_RESERVATION_FEE"];
pub(super) const AVAILABLE: [&str; 1] = ["IMPORT_CAPACITY_AVAILABLE"];
pub(super) const AVAILABLE_PRICE: [&str; 2] =
    ["IMPORT_CAPACITY_AVAILABLE_PRICE", "IMPORT_CAPACITY_AVAILABLE_FEE"];

/// What types of alerts begin with.
pub(super) const ALERT: &str = "ALERT_";

/// What limits and grants begin with.
const CAPACITY: &str = "IMPORT_CAPACITY_";

/// Whether a type is one that is read here.
pub(super) fn is_read(word: &str) -> bool {
    let single = [PRICE, GHG, LIMIT, SUBSCRIPTION];
    let several = GRANT.iter().chain(&GRANT_FEE).chain(&AVAILABLE).chain(&AVAILABLE_PRICE);
    word.starts_with(ALERT) || single.iter().chain(several).any(|it| *it == word)
}

/// Whether a word that is not read here may be meant for a type: the same in another case, or an
/// import capacity of some kind, which may be a limit.
pub(super) fn resembles(word: &str, payload: &str) -> bool {
    if is_read(word) {
        return false;
    }
    let plain = word.trim().to_ascii_uppercase().replace(['-', ' '], "_");
    plain == payload || payload == LIMIT && plain.starts_with(CAPACITY) && !is_read(&plain)
}

/// Whether an event says what may be drawn, or warns: one that its supplier must be able to take
/// back at any time.
pub(crate) fn commands(event: &Event) -> bool {
    let payloads = event.intervals.iter().flatten().map(|it| &it.payloads);
    let command = |payload: &Payload| {
        payload.kind.as_ref().map_or(true, |word| {
            word.starts_with("IMPORT_") || word.starts_with(ALERT) || resembles(word, LIMIT)
        })
    };
    event.intervals.is_err()
        || payloads.into_iter().any(|payloads| match payloads {
            Ok(payloads) => payloads.iter().any(command),
            Err(_) => true,
        })
}
