//! Why other sites are not asked, or nothing is booked there.

use storage::{SiteReservation, SiteReservationId, StorageError};

use crate::service::shared::{Fault, KeyError};

/// Why nothing is asked of other sites, booked there, shown or cancelled.
#[derive(Debug, thiserror::Error)]
pub enum OtherSitesError {
    /// The settings have no such site.
    #[error("there is no site {name:?} in the settings of this one; {}", known(known_sites))]
    UnknownSite {
        /// As it was called.
        name: String,
        /// Those that there are.
        known_sites: Vec<String>,
    },
    /// What is booked at this site is a reservation.
    #[error("{0:?} is this site; book here by POST /api/v1/reservations")]
    ThisSite(String),
    /// Unknown, or not the caller's.
    #[error("there is no reservation {0} at another site")]
    NoReservation(SiteReservationId),
    /// The site offers something else by now, or confirmed something else.
    #[error("nothing is booked: {} ask for offers again", because(.0))]
    OfferChanged(Box<SiteReservation>),
    /// The site does not book it.
    #[error("nothing is booked: {}", because(.0))]
    NotBooked(Box<SiteReservation>),
    /// The site could not be asked.
    #[error("nothing is booked: {}", because(.0))]
    NotAsked(Box<SiteReservation>),
    /// An idempotency key.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// What any service may meet.
    #[error(transparent)]
    Fault(#[from] Fault),
}

fn known(sites: &[String]) -> String {
    if sites.is_empty() {
        "there are none: [[sites]]".to_owned()
    } else {
        format!("there are {}", sites.join(", "))
    }
}

fn because(reservation: &SiteReservation) -> String {
    let SiteReservation { site, because, .. } = reservation;
    format!("{site} {}", because.as_deref().unwrap_or("gave no reason"))
}

impl From<StorageError> for OtherSitesError {
    fn from(error: StorageError) -> Self {
        Self::Fault(error.into())
    }
}
