//! Keeping series booked: what waits is booked as soon as its window is known.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use planner::agenda::Agenda;
use planner::time::{Seconds, Timestamp};
use storage::{Occurrence, OccurrencesDue, SeriesId};
use tokio_util::sync::CancellationToken;

use super::SeriesService;
use crate::service::shared::{Fault, SiteState};

/// The lease of who keeps series booked.
pub const LEASE: &str = "series";

/// How often it is looked for what is to be done.
pub const LOOK: Duration = Duration::from_secs(2);

/// What waits for agendas is booked by what is known so long before its window opens.
const LAST_MOMENT: Seconds = Seconds::new(900);

/// Occurrences that are read at once.
const PAGE: u16 = 200;

impl SeriesService {
    /// Books what is due whenever this process is the one to, until told to stop.
    pub async fn keep_booked(self: Arc<Self>, stop: CancellationToken) {
        while !stop.is_cancelled() {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.shared.leases.wait_for(LEASE) => {}
            }
            let turn = Box::pin(self.shared.unless_cut_off(self.turn()));
            if let Some(Some(Err(error))) = self.shared.leases.while_held(LEASE, turn).await {
                let error = format!("{:#}", anyhow::Error::from(error));
                tracing::warn!(error, "could not go on booking series");
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.bell.notified() => {}
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    async fn turn(&self) -> Result<(), Fault> {
        let now = self.shared.now();
        while !self.shared.stop.is_cancelled() && self.work(None, now).await? == usize::from(PAGE) {
        }
        self.shared.database.complete_series(now).await?;
        Ok(())
    }

    /// Does what is due of a series by an instant, of at most so many occurrences, for who waits for the answer.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub(super) async fn work_at_once(
        &self,
        id: SeriesId,
        occurrences: usize,
        by: Timestamp,
    ) -> Result<(), Fault> {
        let pages = occurrences.div_ceil(usize::from(PAGE)).max(1);
        for _ in 0..pages {
            self.work(Some(id), by).await?;
        }
        Ok(())
    }

    /// Does what is due by an instant, of one series or of all, at most a page of it; how much there was.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub(super) async fn work(&self, of: Option<SeriesId>, by: Timestamp) -> Result<usize, Fault> {
        let due = self.due(of, by, PAGE).await?;
        let mut series: BTreeSet<SeriesId> = of.into_iter().collect();
        for occurrence in &due {
            series.insert(occurrence.series);
            self.attempt(occurrence).await?;
        }
        for id in series {
            // What is claimed by others may still be due then.
            let claimed = self.shared.now() + Seconds::new(60);
            if self.due(Some(id), claimed, 1).await?.is_empty() {
                self.shared.database.series_made(id).await?;
            }
        }
        Ok(due.len())
    }

    async fn due(
        &self,
        of: Option<SeriesId>,
        by: Timestamp,
        limit: u16,
    ) -> Result<Vec<Occurrence>, Fault> {
        let state = self.shared.state().await?;
        let opens = self.shared.now() + LAST_MOMENT;
        let due = OccurrencesDue { by, known: known_until(&state), opens };
        Ok(self.shared.database.occurrences_due(of, due, limit).await?)
    }
}

/// Until when all agendas are known.
fn known_until(state: &SiteState) -> Timestamp {
    fn end<V: Copy + PartialEq>(agenda: &Agenda<V>) -> Timestamp {
        agenda.pieces().last().map_or(Timestamp::MIN, |piece| piece.span.end())
    }
    let agendas = &state.agendas;
    let rates = end(agendas.price.agenda()).min(end(agendas.co2.agenda()));
    agendas.power_cap.as_ref().map_or(rates, |cap| rates.min(end(cap)))
}
