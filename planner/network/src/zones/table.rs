//! Routes as they are written: `routing="Full"`.

use std::collections::HashMap;

use super::Hop;
use crate::parts::LinkId;

/// Routes by the ranks of what they begin and end at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub(crate) hops: HashMap<(u32, u32), Hop>,
    /// What a host has to itself, where nothing is written of that.
    pub(crate) loopback: Option<LinkId>,
}

impl Table {
    pub(crate) fn hop(&self, from: u32, to: u32, hop: &mut Hop) -> Option<()> {
        if let Some(written) = self.hops.get(&(from, to)) {
            hop.take_over(written);
            return Some(());
        }
        let loopback = self.loopback.filter(|_| from == to)?;
        hop.links.push(loopback);
        Some(())
    }
}
