//! Idle nodes are switched off where that pays and the site allows it, and woken in time.
//!
//! One process does all of it, by a lease. A turn is taken now and then, and when somebody decided: nodes are read
//! (`look`, `switch`), sleeps are planned over the gaps of the book (`plan`), what is planned is compared with what is open
//! (`proposals`), nodes are woken for reservations where no resource manager does that (`waking`), nodes of reservations in a
//! slower state are limited in their power (`limits`), and orders are given and followed (`follow`). Each step compares what is with what ought to be and does the difference: killed at any instant,
//! the next turn goes on. The rules are pure, in `planner::power_plan` and `planner::power_action`.
//!
//! `decide` is what people do: approve, refuse, switch, hold.

mod decide;
mod error;
mod follow;
mod known_limits;
mod limiter;
mod limits;
mod list;
mod look;
mod plan;
mod proposals;
mod switch;
mod turn;
mod waking;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use planner::time::Seconds;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::shared::Shared;
use crate::config::power::PowerSettings;
use look::Memo;
use switch::Switch;

pub use decide::PowerDecision;
pub use error::PowerManagementError;
pub use list::PowerActionList;

/// The lease of the process that switches nodes.
pub const LEASE: &str = "power";

/// It lasts at the most so long: nodes that are booked should not wait for what a killed process had. Whatever is done may
/// be begun again at any time.
pub const LEASE_LASTS: Duration = Duration::from_secs(3);

/// Who asks for what is planned.
const PLAN: &str = "plan";

/// What nobody said an end of is of no use after so long.
const USEFUL: Seconds = Seconds::new(3600);

/// Switches nodes to save energy.
pub struct PowerManagementService {
    shared: Arc<Shared>,
    switch: Option<Switch>,
    memo: Mutex<Memo>,
}

impl PowerManagementService {
    /// On what the settings name as what switches nodes, if there is anything.
    pub fn new(shared: Arc<Shared>) -> Self {
        let switch = shared
            .settings
            .power
            .as_ref()
            .and_then(|power| Switch::new(&power.driver, shared.settings.manager.as_ref()));
        Self { shared, switch, memo: Mutex::default() }
    }

    /// What switches nodes, and the site's rules for it; `None` where nothing does.
    fn connected(&self) -> Option<(&PowerSettings, &Switch)> {
        Some((self.shared.settings.power.as_ref()?, self.switch.as_ref()?))
    }

    fn memo(&self) -> MutexGuard<'_, Memo> {
        self.memo.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Plans and switches until told to stop, while this process has the lease.
    pub async fn manage_power(self: Arc<Self>, stop: CancellationToken) {
        let Some((settings, switch)) = self.connected() else { return };
        let mut turns = tokio::time::interval(settings.every);
        turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.shared.leases.wait_for(LEASE) => {}
            }
            tokio::select! {
                () = stop.cancelled() => return,
                _ = turns.tick() => {}
                () = self.next_limit() => {}
                () = self.shared.power_bell.notified() => {}
            }
            let work = self.take_turn(settings, switch, &stop);
            let taken = tokio::select! {
                () = stop.cancelled() => return,
                taken = self.shared.leases.while_held(LEASE, work) => taken,
            };
            self.note_trouble(taken.and_then(Result::err));
        }
    }

    /// Waits until a reservation in a slower state begins or ends.
    async fn next_limit(&self) {
        let next = self.memo().next_limit;
        let Some(next) = next else { return std::future::pending().await };
        let wait = (next - self.shared.now()).get().max(0);
        tokio::time::sleep(Duration::from_secs(wait.unsigned_abs())).await;
        self.memo().next_limit = None;
    }

    /// Notes what a turn could not do, and tells it where it could do that before, or failed otherwise.
    fn note_trouble(&self, error: Option<PowerManagementError>) {
        let trouble = error.map(|error| format!("{:#}", anyhow::Error::from(error)));
        let mut memo = self.memo();
        if let Some(error) = trouble.as_ref().filter(|it| memo.trouble.as_ref() != Some(*it)) {
            tracing::warn!(error, "could not plan and switch the power of nodes");
        }
        memo.trouble = trouble;
    }
}
