//! What the nodes of a reservation draw, at the speed at which it runs.

use std::sync::Arc;

use planner::node_set::NodeSet;
use planner::quantity::Power;
use planner::reservation::{OfferTerms, Reservation};

use super::{BookingRequest, BookingService};
use crate::config::Settings;
use crate::service::shared::{SiteState, SpeedPowers};

/// What is needed to tell what the nodes of a reservation draw.
pub(super) struct Draws {
    pub(super) state: Arc<SiteState>,
    pub(super) settings: Arc<Settings>,
    /// The request as it was made; `None` where nodes or labels that it names are gone.
    request: Option<BookingRequest>,
}

impl BookingService {
    /// What is needed to tell what the nodes of a reservation draw.
    pub(super) fn draws(&self, stored: &Reservation, state: &Arc<SiteState>) -> Draws {
        Draws {
            state: Arc::clone(state),
            settings: Arc::clone(&self.shared.settings),
            request: self.request_as_made(stored, state),
        }
    }
}

impl Draws {
    /// The mean power of nodes, and the sum of their maximum power. Where neither request nor slower state are
    /// known any more, they draw their part of what was offered. `O(nodes)`.
    pub(super) fn of(&self, terms: &OfferTerms, ranks: &NodeSet) -> (Power, Power) {
        let cluster = &self.state.cluster;
        let slowing = terms.slowing.as_deref();
        let powers = SpeedPowers::of(cluster, self.settings.power.as_ref(), slowing);
        if let (Some(powers), Some(request)) = (powers, &self.request) {
            let utilisation = request.planning.utilisation_or_full();
            return (powers.draw(ranks, utilisation), powers.peak(ranks));
        }
        let part = |whole: i128| {
            let part = whole * i128::from(ranks.count());
            let part = part / i128::from(terms.nodes.count().max(1));
            Power::from_microwatts(i64::try_from(part).unwrap_or(i64::MAX))
        };
        let seconds = i128::from(terms.span.length().get());
        let mean = terms.values.energy.as_microjoules() / seconds;
        (part(mean), part(terms.peak_power.as_microwatts().into()))
    }
}
