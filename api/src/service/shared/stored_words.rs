//! What a stored request says of how its nodes are used, and for whom.

use std::collections::BTreeMap;

use anyhow::Context;
use planner::decimal::Fraction;
use planner::identity::ReservationId;
use planner::reservation::Reservation;
use serde::Deserialize;
use storage::HeldNodes;

use super::Fault;

/// What a stored request says of how its nodes are used, and for whom.
#[derive(Default, Deserialize)]
pub struct StoredWords {
    utilisation: Option<f64>,
    /// Where it was not said by the request's owner.
    utilisation_from: Option<String>,
    /// The partition that was asked for.
    pub partition: Option<String>,
    project: Option<String>,
    /// The labels.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
}

impl StoredWords {
    /// Those of the reservation that holds nodes.
    ///
    /// # Errors
    /// The stored request cannot be read: a fault that names its reservation.
    pub fn of(held: &HeldNodes) -> Result<Self, Fault> {
        Self::read(&held.request, held.reservation)
    }

    /// Those of a reservation.
    ///
    /// # Errors
    /// The stored request cannot be read: a fault that names its reservation.
    pub fn of_reservation(reservation: &Reservation) -> Result<Self, Fault> {
        Self::read(&reservation.request, reservation.id)
    }

    fn read(request: &str, of: ReservationId) -> Result<Self, Fault> {
        let unreadable = || format!("the stored request of reservation {of}");
        serde_json::from_str(request).with_context(unreadable).map_err(Fault::internal)
    }

    /// The project that it is for; empty where it is for none.
    pub fn project(&self) -> String {
        self.project.clone().unwrap_or_else(|| self.label("project"))
    }

    /// Those of a stored request; of one that cannot be read, none.
    pub fn of_request(request: &str) -> Self {
        serde_json::from_str(request).unwrap_or_default()
    }

    /// A label; empty where there is none.
    pub fn label(&self, name: &str) -> String {
        self.labels.get(name).cloned().unwrap_or_default()
    }

    /// How much of the nodes is used, as the planner expects it of an offer.
    pub fn utilisation(&self) -> Fraction {
        self.utilisation.and_then(Fraction::new).unwrap_or(Fraction::ONE)
    }

    /// Whether the request's owner said how much of the nodes is used.
    pub fn says_utilisation(&self) -> bool {
        self.utilisation.and_then(Fraction::new).is_some() && self.utilisation_from.is_none()
    }
}
