//! What profiles come to, without a network.

use network::replay::ApplicationTrace;

use crate::job::{Utilisation, Work};
use crate::time::Time;

/// What a profile comes to on so many machines.
#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub(super) struct Sum {
    pub(super) delay_s: f64,
    pub(super) operations: f64,
    pub(super) communicates: bool,
    pub(super) uneven: bool,
    pub(super) utilisation: Option<Utilisation>,
    /// Whether parts of it have different utilisations.
    pub(super) differs: bool,
    /// Whether ranks go through their traces in it.
    pub(super) replays: bool,
}

impl Sum {
    /// What ranks come to, one on each machine in turn and each on a core of its own, without what they send.
    pub(super) fn of_replay(application: &ApplicationTrace, nodes: u32) -> Self {
        // One machine without a rank stands for all of them.
        let nodes = nodes.min(application.ranks().saturating_add(1));
        let mut of_machines = vec![0.0f64; nodes as usize];
        for (rank, &operations) in application.operations().iter().enumerate() {
            let machine = rank % of_machines.len().max(1);
            if let Some(most) = of_machines.get_mut(machine) {
                *most = most.max(operations);
            }
        }
        let uneven = of_machines.windows(2).any(|pair| pair[0].total_cmp(&pair[1]).is_ne());
        Self {
            delay_s: application.sleeps_s(),
            operations: of_machines.into_iter().fold(0.0, f64::max),
            communicates: application.communicates(),
            differs: application.uses_parts(),
            uneven,
            replays: true,
            utilisation: None,
        }
    }

    /// Whether its power changes in a way that is not known.
    pub(super) fn mixed(&self) -> bool {
        let both = self.delay_s > 0.0 && self.operations > 0.0;
        self.utilisation.is_none() && (self.differs || both)
    }

    /// Adds another so many times.
    pub(super) fn add(&mut self, part: &Self, times: f64) {
        let first = self.delay_s <= 0.0 && self.operations <= 0.0;
        if part.delay_s > 0.0 || part.operations > 0.0 {
            self.differs |= part.differs || (!first && self.utilisation != part.utilisation);
            self.utilisation = part.utilisation.filter(|_| !self.differs);
        }
        self.delay_s += part.delay_s * times;
        self.operations += part.operations * times;
        self.communicates |= part.communicates;
        self.replays |= part.replays;
        self.uneven |= part.uneven;
    }

    pub(super) fn work(self, delay: Time) -> Work {
        match (delay > Time::ZERO, self.operations > 0.0) {
            (true, true) => Work::Both(delay, self.operations),
            (_, false) => Work::Delay(delay),
            (false, true) => Work::Compute(self.operations),
        }
    }
}
