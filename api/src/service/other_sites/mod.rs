//! Other sites: asked for offers beside this one, in one choice, and booked at from here.
//!
//! Each is another Wattbook, asked by its public API. None is believed: what it says is read with care, waited for no longer than the settings
//! say, and compared again with what it confirms. One that is slow or gone delays nobody (`circuit`), and an answer that is lost books
//! once (`steps`).

mod call;
mod circuit;
mod data_transfer;
mod error;
mod figures;
mod keep;
mod offers;
mod question;
mod quoted;
mod reservations;
mod silence;
mod steps;
mod there;

use std::sync::Arc;

use super::booking::BookingService;
use super::shared::Shared;
use call::Peer;

pub use circuit::SiteReach;
pub use data_transfer::{DataTransfer, DataVolume};
pub use error::OtherSitesError;
pub use figures::Figures;
pub use keep::{LEASE, LOOK};
pub use offers::{AskedSite, BestOffers, SiteOffer, SiteOffers, SiteOutcome};
pub use question::{SiteOrder, SiteQuestion};
pub use quoted::QuotedStart;
pub use reservations::SiteReservationPage;

/// Asks other sites, and books there.
pub struct OtherSiteService {
    shared: Arc<Shared>,
    booking: Arc<BookingService>,
    peers: Vec<Peer>,
}

impl OtherSiteService {
    /// On the sites of the settings.
    pub fn new(shared: Arc<Shared>, booking: Arc<BookingService>) -> Self {
        let peers = shared.settings.sites.iter().cloned().map(Peer::new).collect();
        Self { shared, booking, peers }
    }

    /// Their names here.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.peers.iter().map(|peer| peer.settings.name.as_str())
    }

    /// The other site of this name.
    fn peer(&self, name: &str) -> Option<&Peer> {
        self.peers.iter().find(|peer| peer.settings.name == name)
    }

    /// What a body is read against.
    pub fn now(&self) -> planner::time::Timestamp {
        self.shared.now()
    }
}
