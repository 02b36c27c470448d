//! Proposals are taken or rejected.

use std::collections::BTreeSet;
use std::sync::Arc;

use planner::cap_scope::CapScope;
use planner::node::Nodes;
use planner::quantity::Power;
use planner::recalibration::{Estimate, ProposalState, ProposedPowers};
use planner::time::Timestamp;
use serde_json::json;
use storage::{Calibration, CalibrationSource, EpochId, JudgedNode, NewEvent, PlanBasis};

use super::{RecalibrationError, RecalibrationService};
use crate::service::shared::{Cluster, Fault, SiteState, blocking};

/// How often proposals are applied anew when others change the book meanwhile.
const TRIES: usize = 8;

/// An event tells no more nodes than this by name.
const MOST_NAMES: usize = 20;

/// What was decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecidedProposals {
    /// The new calibration epoch; `None` where nothing was taken.
    pub epoch: Option<EpochId>,
    /// The nodes that were decided on.
    pub nodes: Vec<String>,
}

/// Nodes that have what is proposed.
struct Recalibrated {
    cluster: Cluster,
    /// Whether everything that is reserved and held fits under the cap with it, or no node counts more than before.
    fits: bool,
}

impl RecalibrationService {
    /// Takes what is proposed for these nodes, for all where none are named: a new epoch of the nodes. What was promised
    /// stays: reservations keep their nodes and amounts.
    ///
    /// # Errors
    /// `NotProposed`; `OverCap` where what is reserved and held would not fit under the cap any more.
    pub async fn accept(
        &self,
        names: Option<&[String]>,
    ) -> Result<DecidedProposals, RecalibrationError> {
        let _deciding = self.deciding.lock().await;
        for _ in 0..TRIES {
            let (known, judged) = self.shared.database.judged_nodes().await?;
            let chosen = chosen(judged, names)?;
            let nodes = names_of(&chosen);
            let Some((measured, _)) = known.judged.filter(|_| !chosen.is_empty()) else {
                return Ok(DecidedProposals { epoch: None, nodes });
            };
            match self.take(&chosen, measured).await {
                Err(RecalibrationError::BookChanged) => {}
                taken => return Ok(DecidedProposals { epoch: Some(taken?), nodes }),
            }
        }
        Err(RecalibrationError::BookChanged)
    }

    /// Rejects what is proposed for these nodes, for all where none are named.
    ///
    /// # Errors
    /// `NotProposed`.
    pub async fn reject(
        &self,
        names: Option<&[String]>,
    ) -> Result<DecidedProposals, RecalibrationError> {
        let _deciding = self.deciding.lock().await;
        let (_, judged) = self.shared.database.judged_nodes().await?;
        let nodes = names_of(&chosen(judged, names)?);
        if !nodes.is_empty() {
            let first = &nodes[..nodes.len().min(MOST_NAMES)];
            let data = json!({ "count": nodes.len(), "nodes": first });
            let events = [NewEvent::new("calibration.rejected", data)];
            self.shared.database.reject_proposals(&nodes, &events, self.shared.now()).await?;
        }
        Ok(DecidedProposals { epoch: None, nodes })
    }

    async fn take(
        &self,
        chosen: &[(JudgedNode, ProposedPowers)],
        measured: Timestamp,
    ) -> Result<EpochId, RecalibrationError> {
        let _booking = self.shared.pool.site_turn().await;
        let (state, now) = (self.shared.state().await?, self.shared.now());
        let Some(basis) = state.marks.map(PlanBasis::from) else {
            return Err(Fault::internal(anyhow::anyhow!("no state was read")).into());
        };
        let calibrations: Vec<Calibration> =
            chosen.iter().map(|(judged, powers)| calibration(judged, *powers, measured)).collect();
        let powers: Vec<(String, ProposedPowers)> =
            chosen.iter().map(|(judged, powers)| (judged.node.clone(), *powers)).collect();
        let recalibrated = blocking(move || recalibrated(&state, &powers, now)).await?;
        let Recalibrated { cluster, fits } = recalibrated.map_err(RecalibrationError::Invalid)?;
        if !fits {
            return Err(RecalibrationError::OverCap);
        }
        let database = &self.shared.database;
        let epoch = database.take_proposals(basis, &cluster.nodes, &calibrations, now).await?;
        self.shared.states.prepare(epoch, Arc::new(cluster));
        Ok(epoch)
    }
}

/// The nodes for which something is proposed, of these names or all.
fn chosen(
    judged: Vec<JudgedNode>,
    names: Option<&[String]>,
) -> Result<Vec<(JudgedNode, ProposedPowers)>, RecalibrationError> {
    let mut wanted: Option<BTreeSet<&str>> =
        names.map(|names| names.iter().map(String::as_str).collect());
    let open = |judged: JudgedNode| match judged.proposal {
        Some((ProposalState::Open(powers), _)) => Some((judged, powers)),
        _ => None,
    };
    let is_wanted = |(judged, _): &(JudgedNode, ProposedPowers)| {
        wanted.as_mut().is_none_or(|wanted| wanted.remove(judged.node.as_str()))
    };
    let chosen: Vec<_> = judged.into_iter().filter_map(open).filter(is_wanted).collect();
    let missing: Vec<String> = wanted.into_iter().flatten().map(str::to_owned).collect();
    if !missing.is_empty() {
        return Err(RecalibrationError::NotProposed(missing));
    }
    Ok(chosen)
}

fn names_of(chosen: &[(JudgedNode, ProposedPowers)]) -> Vec<String> {
    chosen.iter().map(|(judged, _)| judged.node.clone()).collect()
}

/// The nodes with these powers.
fn recalibrated(
    state: &SiteState,
    powers: &[(String, ProposedPowers)],
    now: Timestamp,
) -> Result<Recalibrated, String> {
    let nodes = &state.cluster.nodes;
    let (index, mut changed) = (nodes.index(), nodes.as_slice().to_vec());
    let mut counts_more = false;
    for (name, powers) in powers {
        let ordinal = index.ordinal(name).ok_or_else(|| format!("no node is named {name:?}"))?;
        let node = &mut changed[ordinal as usize];
        let new = powers.applied_to(node).map_err(|error| format!("node {name:?}: {error}"))?;
        // Idle nodes count only where the cap is about all nodes.
        let idle_counts = state.cluster.cap_scope == CapScope::AllNodes;
        counts_more |= new.max() > node.max() || (idle_counts && new.idle() > node.idle());
        *node = new;
    }
    let nodes: Nodes = nodes.with_powers(changed).map_err(|error| error.to_string())?;
    let cluster = Cluster::new(Arc::new(nodes), state.cluster.cap_scope);
    let fits = !counts_more || {
        let with = Cluster::new(Arc::clone(&cluster.nodes), cluster.cap_scope);
        state.with_all_grants().with_powers(Arc::new(with)).everything_fits(now)
    };
    Ok(Recalibrated { cluster, fits })
}

/// What is kept of a calibration that is taken.
fn calibration(judged: &JudgedNode, powers: ProposedPowers, measured: Timestamp) -> Calibration {
    let (idle, max) = (judged.finding.idle, judged.finding.max);
    let spread = |it: Option<Estimate>| it.map_or(Power::ZERO, |it| it.spread);
    let quarters = |it: Option<Estimate>| it.map_or(0, |it| it.quarters);
    Calibration {
        node_name: judged.node.clone(),
        measured,
        idle_power: powers.idle,
        max_power: powers.max,
        idle_spread: spread(idle),
        max_spread: spread(max),
        idle_samples: quarters(idle),
        max_samples: quarters(max),
        outliers: 0,
        source: CalibrationSource::Meters,
    }
}
