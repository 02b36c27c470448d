//! A turn: nodes are judged, and what is proposed is written, and taken where the settings say so.

use std::collections::HashMap;

use planner::metering::QuarterHour;
use planner::recalibration::{
    FollowRules, NodeFinding, ProposalState, judge, mark_outlying, propose,
};
use planner::time::{Seconds, Span, Timestamp};
use serde_json::json;
use storage::{JudgedNode, NewEvent, NewJudgement};
use tokio_util::sync::CancellationToken;

use super::gather::Gathered;
use super::{RecalibrationError, RecalibrationService};
use crate::config::calibration::Follow;
use crate::service::shared::{Fault, blocking};

/// Samples come a little later than they are of.
const DELAY: Seconds = Seconds::new(900);

/// An event tells no more nodes than this by name.
const MOST_NAMES: usize = 20;

impl RecalibrationService {
    /// Judges all nodes by the quarter-hours of the window.
    pub(super) async fn take_turn(&self, stop: &CancellationToken) -> Result<(), Fault> {
        let (settings, now) = (&self.shared.settings.calibration, self.shared.now());
        let state = self.shared.state().await?;
        if state.epoch().is_none() {
            return Ok(());
        }
        let whole = |at: Timestamp| at.ceil_to(QuarterHour::LENGTH);
        let window =
            Span::new(whole(now - settings.window), whole(now - DELAY - QuarterHour::LENGTH));
        let Some(window) = window else { return Ok(()) };
        let (known, before) = self.shared.database.judged_nodes().await?;
        let Some(gathered) = self.gather(&state, window, stop).await? else { return Ok(()) };
        let rules = settings.rules;
        let forget_before = now - self.shared.settings.metering.keep_quarters;
        let judgement = blocking(move || {
            let (nodes, events) = judged(&gathered, before, now, &rules)?;
            let runs = gathered.ended_runs(window.end());
            let version = known.version;
            Some(NewJudgement { version, judged: now, window, nodes, runs, forget_before, events })
        });
        let Some(judgement) = judgement.await? else { return Ok(()) };
        // Where somebody decided meanwhile, the next turn judges by that.
        if !self.shared.database.put_judgement(&judgement).await? || settings.follow != Follow::Take
        {
            return Ok(());
        }
        match self.accept(None).await {
            Ok(_) => Ok(()),
            Err(RecalibrationError::Fault(fault)) => Err(fault),
            Err(error) => {
                let error = error.to_string();
                tracing::info!(error, "what is proposed stays so");
                Ok(())
            }
        }
    }
}

/// All nodes as they are judged now, with what is told of it; `None` where nothing is measured.
fn judged(
    gathered: &Gathered,
    before: Vec<JudgedNode>,
    now: Timestamp,
    rules: &FollowRules,
) -> Option<(Vec<JudgedNode>, Vec<NewEvent>)> {
    let (nodes, newest) = (&gathered.nodes, gathered.gathering.newest()?);
    let before: HashMap<String, JudgedNode> =
        before.into_iter().map(|it| (it.node.clone(), it)).collect();
    let names: Vec<String> = (0..nodes.count()).map(|it| nodes.name(it).into_owned()).collect();
    let of_all = nodes.as_slice().iter().zip(gathered.gathering.nodes()).zip(&names);
    let unknown = NodeFinding::default();
    let mut findings: Vec<NodeFinding> = of_all
        .map(|((node, evidence), name)| {
            let before = before.get(name).map_or(&unknown, |it| &it.finding);
            judge(node, evidence, before, newest, rules)
        })
        .collect();
    let kinds = match nodes.labels().kind_of() {
        [] => vec![0; findings.len()],
        kinds => kinds.to_vec(),
    };
    mark_outlying(&kinds, &mut findings, rules.outlying_scales);
    let (mut flagged, mut proposed) = (Vec::new(), Vec::new());
    let mut all = Vec::with_capacity(findings.len());
    let of_all = nodes.as_slice().iter().zip(gathered.gathering.nodes()).zip(findings).zip(names);
    for (((node, evidence), finding), name) in of_all {
        let known = before.get(&name);
        let proposal_before = known.and_then(|it| it.proposal);
        let state = propose(node, &finding, proposal_before.map(|(state, _)| state), rules);
        let proposal = state.map(|state| match proposal_before {
            Some((same, since)) if same == state => (state, since),
            _ => (state, now),
        });
        if proposal != proposal_before && matches!(state, Some(ProposalState::Open(_))) {
            proposed.push(name.clone());
        }
        let standing = |it: &NodeFinding| (it.drifted, it.outlying, it.fault);
        if standing(&finding) != standing(known.map_or(&unknown, |it| &it.finding)) {
            flagged.push(name.clone());
        }
        let error = evidence.errors().error();
        all.push(JudgedNode { node: name, finding, error, proposal });
    }
    let event = |kind: &str, names: Vec<String>| {
        let first = &names[..names.len().min(MOST_NAMES)];
        let data = json!({ "count": names.len(), "nodes": first });
        (!names.is_empty()).then(|| NewEvent::new(kind, data))
    };
    let events = [event("calibration.judged", flagged), event("calibration.proposed", proposed)];
    Some((all, events.into_iter().flatten().collect()))
}
