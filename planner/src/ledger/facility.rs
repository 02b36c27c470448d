//! What a site draws beside its nodes, where no meter tells it.

use crate::quantity::{Energy, MILLION};

/// Overheads one after another, each a share of everything before it: switches and storage of the nodes'
/// energy, cooling of both. The method of ARCHER2's users' reports: 15 %, then 10 % of the new total.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overheads {
    /// Millionths of everything before.
    shares: Vec<u32>,
}

impl Overheads {
    /// Overheads of these millionths.
    pub const fn of_millionths(shares: Vec<u32>) -> Self {
        Self { shares }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.shares.is_empty()
    }

    /// The energy of each for nodes that consumed `nodes`, rounded down to the microjoule.
    pub fn energies(&self, nodes: Energy) -> Vec<Energy> {
        let mut total = nodes.as_microjoules();
        let part = |share: &u32| {
            let part = (total * i128::from(*share)).div_euclid(i128::from(MILLION));
            total += part;
            Energy::from_microjoules(part)
        };
        self.shares.iter().map(part).collect()
    }

    /// The energy of all of them together.
    pub fn energy(&self, nodes: Energy) -> Energy {
        self.energies(nodes).into_iter().fold(Energy::default(), |sum, part| sum + part)
    }
}
