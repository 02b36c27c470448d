//! One turn: what is, what ought to be, and the steps from the one to the other.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use planner::identity::ReservationId;
use planner::resource_manager::{
    KnownNode, ManagedJob, ManagedState, ManagerError, Step, reservation_id,
};
use planner::time::Timestamp;
use storage::{PowerAction, StoredManagedReservation, Withheld};

use super::jobs_outside::JobsOutside;
use super::known_powers::KnownPowers;
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
    /// The step that was taken last for a reservation.
    pub tried: HashMap<ReservationId, Step>,
    /// Jobs as they were noted last, by id and submission.
    pub noted: HashMap<(String, Timestamp), ManagedJob>,
    /// Jobs outside of our reservations as they were noted last; `None` before they were read.
    pub outside: Option<JobsOutside>,
    /// How the accounting was asked for jobs, by id and submission.
    pub asked: HashMap<(String, Timestamp), Asked>,
    /// When the last turn was that read the resource manager.
    pub last_turn: Option<Timestamp>,
    /// Until when the accounting is left alone, since it did not answer.
    pub ask_from: Option<Timestamp>,
    /// Whether the accounting said that it cannot be asked.
    pub no_accounting: bool,
    /// The resource manager's nodes as they are remembered; `None` before they were read.
    pub nodes: Option<Arc<Vec<KnownNode>>>,
    /// The power of nodes as it was noted last; `None` before it was read.
    pub powers: Option<KnownPowers>,
}

/// How often the accounting knew a job that it was asked for, and when it was asked last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub times: u32,
    pub last: Timestamp,
}

/// What a turn knows.
pub(super) struct Turn<'a> {
    pub settings: &'a ManagerSettings,
    pub ports: &'a Ports,
    pub now: Timestamp,
    pub state: Arc<SiteState>,
    pub seen: Seen,
    /// Nodes of ours that it has under another name, from ours to its own, once they were compared.
    pub renamed: BTreeMap<String, String>,
    /// Our managed reservations that are not settled for good.
    pub open: Vec<OpenReservation>,
    /// The jobs that run or wait in these, and those that ended lately, once they were linked.
    pub jobs: HashMap<ReservationId, Vec<ManagedJob>>,
    /// The positions in `seen` of jobs outside of our reservations; `None` before they were told from the others.
    pub outside: Option<Vec<usize>>,
    /// What is withheld, once it was put into the book.
    pub withheld: Vec<Withheld>,
    /// Orders to switch nodes on that failed, until that was noted.
    pub failed: Vec<PowerAction>,
}

impl ResourceManagerService {
    /// Does what there is to do now.
    pub(super) async fn take_turn(&self) -> Result<(), TurnError> {
        let Some((settings, ports)) = self.connected() else {
            self.forget_outside().await?;
            // Who switches nodes alone says which of them did not come.
            if self.shared.settings.power.is_some() {
                return Ok(());
            }
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
        self.shared.advance(now).await?;
        self.adopt(settings, now).await?;
        let (mut state, mut open) = self.book(now).await?;
        if settings.drives() && self.reopen(&seen, &open, now).await? {
            (state, open) = self.book(now).await?;
        }
        let mut turn = Turn {
            settings,
            ports,
            now,
            state,
            seen,
            renamed: BTreeMap::new(),
            open,
            jobs: HashMap::new(),
            outside: None,
            withheld: Vec::new(),
            failed: Vec::new(),
        };
        // One step that fails keeps no other from being taken: each reads anew what is.
        let remembered = self.remember_nodes(&mut turn).await;
        let noted_powers = self.note_powers(&turn).await;
        let woken = self.wake(&mut turn).await;
        let written = self.withhold(&mut turn).await?;
        let noted = if written { self.note_failed(&mut turn).await } else { Ok(()) };
        self.note_absence(&turn).await?;
        let linked = self.link_jobs(&mut turn).await;
        let noted_outside = self.note_outside(&turn).await;
        let pushed = self.push(&mut turn).await;
        // Last of what others answer: nobody waits for it.
        let accounted = self.ask_accounting(&mut turn).await;
        let labelled = self.follow_labels(&turn).await;
        measure(&turn.open, &self.shared.held_readings);
        let kept = remembered.and(noted_powers).and(noted_outside);
        kept.and(woken).and(noted).and(linked).and(pushed).and(accounted).and(labelled)
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

    /// Reservations of ours that were removed and are there again are to be removed once more: a controller
    /// that is killed forgets what it did in its last seconds. Whether there were some.
    async fn reopen(
        &self,
        seen: &Seen,
        open: &[OpenReservation],
        now: Timestamp,
    ) -> Result<bool, TurnError> {
        let known: HashSet<&str> = open.iter().map(|it| it.row.name.as_str()).collect();
        let there = seen.reservations.items.iter().filter(|it| it.span.end() > now);
        let others = there.filter(|it| !known.contains(it.name.as_str()));
        let ids: Vec<ReservationId> = others.filter_map(|it| reservation_id(&it.name)).collect();
        if ids.is_empty() {
            return Ok(false);
        }
        let rows = self.shared.database.managed_reservations_of(&ids).await?;
        let again = rows.into_iter().filter(|row| row.state == ManagedState::Removed);
        let mut any = false;
        for row in again {
            tracing::warn!(reservation = row.name, "it was removed, and is there again");
            let because = Some("it was removed, and is there again".to_owned());
            let row = StoredManagedReservation {
                state: ManagedState::Waiting,
                because,
                changed: now,
                ..row
            };
            self.shared.database.put_managed_reservation(&row, None, now).await?;
            any = true;
        }
        Ok(any)
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
