//! Why other sites are not asked, or nothing is booked there, as problems.

use axum::http::StatusCode;
use serde_json::json;
use storage::SiteReservation;

use super::Problem;
use crate::service::other_sites::OtherSitesError;

impl From<OtherSitesError> for Problem {
    fn from(error: OtherSitesError) -> Self {
        let unprocessable = |code, title| {
            Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, title, error.to_string()).at("/site")
        };
        match error {
            OtherSitesError::UnknownSite { .. } => unprocessable("unknown_site", "No such site"),
            OtherSitesError::ThisSite(_) => unprocessable("this_site", "It is this site"),
            OtherSitesError::NoReservation(id) => {
                Self::not_found(format!("reservation {id} at another site"))
            }
            OtherSitesError::OfferChanged(ref it) => {
                let title = "The site offers something else";
                Self::conflict("offer_changed", title, &error).with(&told(it))
            }
            OtherSitesError::NotBooked(ref it) => {
                Self::conflict("site_refused", "The site refuses", &error).with(&told(it))
            }
            OtherSitesError::NotAsked(ref it) => {
                let title = "The site cannot be asked";
                Self::busy("site_unreachable", title, &error, 30).with(&told(it))
            }
            OtherSitesError::Key(error) => error.into(),
            OtherSitesError::Fault(fault) => fault.into(),
        }
    }
}

/// The reservation that came to nothing.
fn told(reservation: &SiteReservation) -> serde_json::Value {
    json!({ "site": reservation.site, "site_reservation_id": reservation.id.as_uuid() })
}
