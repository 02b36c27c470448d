//! Reservations: from slurmrestd's documents to values.

use planner::resource_manager::{ManagedReservation, ManagerError};
use planner::time::Span;
use serde::Deserialize;

use crate::document::{Number, Words, node_names, text};

/// What is read of a reservation.
#[derive(Debug, Deserialize)]
pub(crate) struct ReservationDocument {
    name: String,
    #[serde(default, deserialize_with = "text")]
    node_list: String,
    #[serde(default)]
    start_time: Number,
    #[serde(default)]
    end_time: Number,
    #[serde(default)]
    users: Words,
    #[serde(default)]
    accounts: Words,
    #[serde(default)]
    flags: Words,
}

impl TryFrom<ReservationDocument> for ManagedReservation {
    type Error = ManagerError;

    fn try_from(read: ReservationDocument) -> Result<Self, ManagerError> {
        let place = format!("reservation {}", read.name);
        let span = read.start_time.instant().zip(read.end_time.instant());
        let span = span.and_then(|(start, end)| Span::new(start, end)).ok_or_else(|| {
            ManagerError::Unreadable(format!("{place} has no start before its end"))
        })?;
        Ok(Self {
            nodes: node_names(&read.node_list, &place)?.into_iter().collect(),
            name: read.name,
            span,
            users: read.users.0.into_iter().collect(),
            accounts: read.accounts.0.into_iter().collect(),
            flags: read.flags.0.into_iter().collect(),
        })
    }
}
