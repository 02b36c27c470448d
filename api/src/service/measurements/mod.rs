//! What meters measure: samples are judged and kept, quarter-hours are told, and what is old is forgotten.

mod judging;
mod quarters;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use planner::metering::{Meter, Sample, SampleRefusal, SampleTime};
use planner::time::{Seconds, Span, Timestamp};
use tokio::sync::Mutex;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::shared::{Fault, Shared, SiteState, blocking};
use judging::JudgedBatch;
use quarters::best_covered;

pub use quarters::{NodeQuarters, QuarterOfNode};

/// The lease of the process that forgets what is old.
pub const LEASE: &str = "measurements";

/// How often it is looked for what is old.
pub const THIN_EVERY: Duration = Duration::from_hours(1);

/// Samples are refused so long before they are forgotten, so that none comes among those that go.
pub const THIN_MARGIN: Seconds = Seconds::new(86_400);

/// Keeps what meters measure.
pub struct MeasurementService {
    shared: Arc<Shared>,
    /// Who of this process writes: the engine lets writers go one after another anyway.
    turn: Mutex<()>,
}

/// A sample on its way to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeSample {
    /// The name of the node, rack or site.
    pub node: Arc<str>,
    /// The instant and the value.
    pub sample: Sample,
}

/// What became of samples.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SampleCounts {
    /// How many were kept.
    pub taken: u64,
    /// How many of these were put before samples that came earlier.
    pub late: u64,
    /// How many stood after later ones of their node in the batch.
    pub out_of_order: u64,
    /// How many were kept before, and changed nothing.
    pub doubled: u64,
    /// How many of those that were kept came after a reset of their counter.
    pub resets: u64,
    /// How many were refused, by reason.
    pub refused: BTreeMap<SampleRefusal, u64>,
    /// The first that were refused, in the order of the batch.
    pub first_refused: Vec<RefusedNodeSample>,
    /// How many nodes have newer samples than before which are all older than the meter's longest gap: their clocks run
    /// behind, or their samples were held back.
    pub behind: u64,
    /// That of these whose newest sample is the oldest.
    pub furthest_behind: Option<NodeBehind>,
}

/// A node whose newest sample was old when it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeBehind {
    /// The name of the node, rack or site.
    pub node: Arc<str>,
    /// Its newest sample.
    pub newest: SampleTime,
    /// How old that was.
    pub by: Seconds,
}

/// A sample that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedNodeSample {
    /// Its position in the batch, from 0.
    pub position: usize,
    /// The sample.
    pub sample: NodeSample,
    /// Why it was refused.
    pub refusal: SampleRefusal,
}

impl MeasurementService {
    /// On what all services share.
    pub fn new(shared: Arc<Shared>) -> Self {
        Self { shared, turn: Mutex::new(()) }
    }

    /// Judges samples of a meter and keeps those that are believed, all of them or none.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn take(
        &self,
        meter: &Meter,
        samples: Vec<NodeSample>,
    ) -> Result<SampleCounts, Fault> {
        let (state, now) = (self.shared.state().await?, self.shared.now());
        let oldest = self.samples_from(now).await?;
        let judged_by = meter.clone();
        let judge = move || JudgedBatch::new(&judged_by, samples, &state, now, oldest);
        let mut judged = blocking(judge).await?;
        let believed = std::mem::take(&mut judged.believed);
        if !believed.is_empty() {
            let turn = self.turn.lock().await;
            let fates = self.shared.database.keep_samples(meter, believed).await?;
            drop(turn);
            judged.note_fates(&fates);
            judged.note_behind(meter.longest_gap, now, &fates);
        }
        Ok(judged.counts())
    }

    /// From when on samples are taken.
    async fn samples_from(&self, now: Timestamp) -> Result<Timestamp, Fault> {
        let kept_from = self.shared.database.samples_kept_from().await?;
        Ok(kept_from.max(now - self.shared.settings.metering.keep_samples))
    }

    /// What was measured of nodes, racks and the site in the quarter-hours of a span; of one where that is named. Where
    /// several meters cover the same, of each quarter-hour that counts which measured most of it, and of those that
    /// measured as much the first of the settings. Components are left out.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn quarters(
        &self,
        span: Span,
        node: Option<&str>,
    ) -> Result<Vec<NodeQuarters>, Fault> {
        let found = self.shared.database.measured_quarters(span, node).await?;
        let settings = Arc::clone(&self.shared.settings);
        blocking(move || best_covered(&settings.metering.meters, found)).await
    }

    /// Forgets old samples and quarter-hours, until told to stop, while this process has the lease.
    pub async fn forget_old(self: Arc<Self>, stop: CancellationToken) {
        let mut turns = tokio::time::interval(THIN_EVERY);
        turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.shared.leases.wait_for(LEASE) => {}
            }
            tokio::select! {
                () = stop.cancelled() => return,
                _ = turns.tick() => {}
            }
            let thinned = self.shared.leases.while_held(LEASE, self.thin(&stop)).await;
            if let Some(Err(error)) = thinned {
                let error = format!("{:#}", anyhow::Error::from(error));
                tracing::warn!(error, "could not forget old measurements");
            }
        }
    }

    async fn thin(&self, stop: &CancellationToken) -> Result<(), Fault> {
        let (now, metering) = (self.shared.now(), &self.shared.settings.metering);
        let samples_from = now - metering.keep_samples - THIN_MARGIN;
        let quarters_from = now - metering.keep_quarters - THIN_MARGIN;
        while !stop.is_cancelled() {
            let turn = self.turn.lock().await;
            let more = self.shared.database.thin_measurements(samples_from, quarters_from).await?;
            drop(turn);
            if more.is_none() {
                break;
            }
        }
        Ok(())
    }
}

/// Whether the site has a node of this name, where the meter measures nodes.
fn may_be_measured(meter: &Meter, state: &SiteState, node: &str) -> bool {
    !meter.covers.is_of_nodes() || state.cluster.nodes.index().ordinal(node).is_some()
}
