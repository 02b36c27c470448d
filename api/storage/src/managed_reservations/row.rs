//! Rows of managed reservations, and their way into the domain.

use planner::identity::ReservationId;
use planner::resource_manager::{ManagedState, WantedReservation};
use planner::time::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use uuid::Uuid;

use crate::error::StorageError;
use crate::managed_reservations::StoredManagedReservation;
use crate::row::{RowPlace, instant};

#[derive(FromRow)]
pub(crate) struct ManagedReservationRow {
    #[sqlx(try_from = "Uuid")]
    reservation_id: ReservationId,
    name: String,
    state: String,
    because: Option<String>,
    pushed: Option<String>,
    pushed_row_version: Option<i64>,
    drift: Option<String>,
    changed_s: i64,
    attempts: i64,
    next_attempt_s: Option<i64>,
    idle_since_s: Option<i64>,
    used_node_seconds: i64,
}

/// What the resource manager was told, as the table keeps it.
#[derive(Deserialize, Serialize)]
struct PushedDocument {
    nodes: Vec<String>,
    start_s: i64,
    end_s: i64,
    users: Vec<String>,
    accounts: Vec<String>,
}

/// What the resource manager was told, as the table keeps it. The name is a column of its own.
pub(crate) fn pushed_text(pushed: &WantedReservation) -> String {
    let document = PushedDocument {
        nodes: pushed.nodes.iter().cloned().collect(),
        start_s: pushed.span.start().as_unix_seconds(),
        end_s: pushed.span.end().as_unix_seconds(),
        users: pushed.users.iter().cloned().collect(),
        accounts: pushed.accounts.iter().cloned().collect(),
    };
    serde_json::json!(document).to_string()
}

/// What the resource manager was told of a reservation, read from a column.
fn pushed(
    place: &RowPlace<ReservationId>,
    column: &'static str,
    name: &str,
    text: &str,
) -> Result<WantedReservation, StorageError> {
    let document: PushedDocument = place.readable(column, serde_json::from_str(text).ok())?;
    Ok(WantedReservation {
        name: name.to_owned(),
        nodes: document.nodes.into_iter().collect(),
        span: place.span(column, document.start_s, document.end_s)?,
        users: document.users.into_iter().collect(),
        accounts: document.accounts.into_iter().collect(),
    })
}

#[derive(FromRow)]
pub(crate) struct UnseenJobsRow {
    #[sqlx(try_from = "Uuid")]
    reservation_id: ReservationId,
    name: String,
    jobs_unseen: String,
}

impl TryFrom<UnseenJobsRow> for (ReservationId, WantedReservation) {
    type Error = StorageError;
    fn try_from(row: UnseenJobsRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "managed_reservations", row: row.reservation_id };
        let unseen = pushed(&place, "jobs_unseen", &row.name, &row.jobs_unseen)?;
        Ok((row.reservation_id, unseen))
    }
}

impl TryFrom<ManagedReservationRow> for StoredManagedReservation {
    type Error = StorageError;
    fn try_from(row: ManagedReservationRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "managed_reservations", row: row.reservation_id };
        let pushed = match (&row.pushed, row.pushed_row_version) {
            (None, None) => None,
            (Some(text), Some(row_version)) => {
                Some((pushed(&place, "pushed", &row.name, text)?, row_version))
            }
            _ => return Err(place.wrong("pushed", "what was pushed is not all there")),
        };
        let used = u64::try_from(row.used_node_seconds).ok();
        Ok(Self {
            reservation_id: row.reservation_id,
            state: place.word("state", &row.state, ManagedState::from_word)?,
            because: row.because,
            pushed,
            drift: row.drift,
            changed: Timestamp::from_unix_seconds(row.changed_s),
            attempts: place.count("attempts", row.attempts)?,
            next_attempt: instant(row.next_attempt_s),
            idle_since: instant(row.idle_since_s),
            used_node_seconds: place.readable("used_node_seconds", used)?,
            name: row.name,
        })
    }
}
