//! One turn: what is, what ought to be, and the steps from the one to the other.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use planner::identity::ReservationId;
use planner::resource_manager::{ManagedJob, ManagedState, ManagerError, WantedReservation};
use planner::time::Timestamp;
use storage::{StoredManagedReservation, Withheld};

use super::open::OpenReservation;
use super::poll::Seen;
use super::status::measure;
use super::{Ports, ResourceManagerService, TurnError};
use crate::config::slurm::ManagerSettings;
use crate::service::shared::SiteState;

/// What this replica did last, so that nothing is done twice in vain. Nothing rests on it.
#[derive(Default)]
pub(super) struct Memo {
    /// Whether reservations that were chosen without a resource manager were looked for.
    pub adopted: bool,
    /// What was tried last to be put, and failed.
    pub tried: HashMap<ReservationId, WantedReservation>,
    /// Jobs as they were noted last, by id and submission.
    pub noted: HashMap<(String, Timestamp), ManagedJob>,
    /// When the accounting was asked last for the jobs of a reservation.
    pub asked: HashMap<ReservationId, Timestamp>,
    /// Whether the accounting said that it cannot be asked.
    pub no_accounting: bool,
    /// The addresses that nodes of ours had.
    pub addresses: BTreeMap<Box<str>, Box<str>>,
}

/// What a turn knows.
pub(super) struct Turn<'a> {
    pub settings: &'a ManagerSettings,
    pub ports: &'a Ports,
    pub now: Timestamp,
    pub state: Arc<SiteState>,
    pub seen: Seen,
    /// Our managed reservations that are not settled for good.
    pub open: Vec<OpenReservation>,
    /// The jobs that ran, run or wait in these, once they were linked.
    pub jobs: HashMap<ReservationId, Vec<ManagedJob>>,
    /// What is withheld, once it was put into the book.
    pub withheld: Vec<Withheld>,
}

impl ResourceManagerService {
    /// Does what there is to do now.
    pub(super) async fn take_turn(&self) -> Result<(), TurnError> {
        let Some((settings, ports)) = self.connected() else {
            return self.forget_withheld().await;
        };
        let (read, now) = (self.poll(settings, ports).await, self.shared.now());
        let seen = match read {
            Ok(seen) => seen,
            Err(error) => {
                self.tell_waiting(&error, now).await?;
                return Err(error.into());
            }
        };
        self.shared.database.advance(now).await?;
        self.adopt(settings, now).await?;
        let (state, open) = self.book(now).await?;
        let mut turn = Turn {
            settings,
            ports,
            now,
            state,
            seen,
            open,
            jobs: HashMap::new(),
            withheld: Vec::new(),
        };
        // One step that fails keeps no other from being taken: each reads anew what is.
        let woken = self.wake(&mut turn).await;
        self.withhold(&mut turn).await?;
        let linked = self.link_jobs(&mut turn).await;
        let pushed = self.push(&mut turn).await;
        let labelled = self.follow_labels(&turn).await;
        measure(&turn.open);
        woken.and(linked).and(pushed).and(labelled)
    }

    /// Those who wait for a reservation to be made are told why it is not.
    async fn tell_waiting(&self, error: &ManagerError, now: Timestamp) -> Result<(), TurnError> {
        let because = Some(error.to_string());
        for (row, _) in self.shared.database.managed_reservations_open().await? {
            if row.state == ManagedState::Waiting && row.because != because {
                let row = StoredManagedReservation { because: because.clone(), ..row };
                self.shared.database.put_managed_reservation(&row, None, now).await?;
            }
        }
        Ok(())
    }

    /// Reservations that were chosen while there was no resource manager are made there too.
    async fn adopt(&self, settings: &ManagerSettings, now: Timestamp) -> Result<(), TurnError> {
        if settings.drives() && !self.memo().adopted {
            let adopted = self.shared.database.adopt_reservations(now).await?;
            if !adopted.is_empty() {
                tracing::info!(count = adopted.len(), "reservations are to be made there too");
            }
            self.memo().adopted = true;
        }
        Ok(())
    }
}
