//! Everything goes up to one place and down again: clusters with private links and a backbone, and `routing="Star"`.

use super::Hop;
use crate::parts::{LinkId, PointId};

/// What is in the zone, by rank.
#[derive(Clone, Debug, Default)]
pub(crate) struct Star {
    pub(crate) rays: Vec<Ray>,
}

/// How one of it is joined to the rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ray {
    pub(crate) up: Vec<LinkId>,
    pub(crate) down: Vec<LinkId>,
    /// To itself; what is there goes up and down otherwise.
    pub(crate) loopback: Option<LinkId>,
    /// Where a zone is left and entered.
    pub(crate) gateway: Option<PointId>,
}

impl Star {
    pub(crate) fn hop(&self, from: u32, to: u32, hop: &mut Hop) -> Option<()> {
        let (first, last) = (self.rays.get(from as usize)?, self.rays.get(to as usize)?);
        if let Some(loopback) = first.loopback.filter(|_| from == to) {
            hop.links.push(loopback);
            return Some(());
        }
        // The backbone is on both ways, and gone over once.
        let begun = hop.links.len();
        for &link in first.up.iter().chain(&last.down) {
            if !hop.links[begun..].contains(&link) {
                hop.links.push(link);
            }
        }
        hop.gateways = (first.gateway, last.gateway);
        Some(())
    }
}
