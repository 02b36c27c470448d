//! Samples of a batch: those that are believed, by node, and what became of all of them.

use std::collections::HashMap;
use std::sync::Arc;

use planner::metering::{Fate, Meter, SampleJudge, SampleRefusal};
use planner::resource_manager::CLOCKS_AGREE;
use planner::time::{Seconds, Timestamp};
use storage::{NewSamples, SampleFates};

use super::{NodeBehind, NodeSample, RefusedNodeSample, SampleCounts, may_be_measured};
use crate::service::shared::SiteState;

/// How many refused samples are told one by one.
const MOST_TOLD: usize = 20;

/// A batch of which every sample was judged by itself.
pub(super) struct JudgedBatch {
    samples: Vec<NodeSample>,
    counts: SampleCounts,
    /// The positions of those that were refused.
    refused: Vec<(usize, SampleRefusal)>,
    /// Those that are believed.
    pub(super) believed: Vec<NewSamples>,
    /// Of each of `believed` and its samples, the position in the batch.
    positions: Vec<Vec<usize>>,
}

impl JudgedBatch {
    /// Judges a batch at an instant, when samples from `oldest` on are kept.
    pub(super) fn new(
        meter: &Meter,
        samples: Vec<NodeSample>,
        state: &SiteState,
        now: Timestamp,
        oldest: Timestamp,
    ) -> Self {
        let judge = SampleJudge::new(meter, now, oldest);
        let mut places: HashMap<&Arc<str>, Option<usize>> = HashMap::new();
        let mut by_node: Vec<(&Arc<str>, Vec<usize>)> = Vec::new();
        let mut refused = Vec::new();
        for (position, NodeSample { node, sample }) in samples.iter().enumerate() {
            let place = *places.entry(node).or_insert_with(|| {
                may_be_measured(meter, state, node).then(|| {
                    by_node.push((node, Vec::new()));
                    by_node.len() - 1
                })
            });
            let judged = match place {
                None => Err(SampleRefusal::UnknownNode),
                Some(place) => judge.judge(*sample).map(|()| by_node[place].1.push(position)),
            };
            refused.extend(judged.err().map(|refusal| (position, refusal)));
        }
        let mut counts = SampleCounts::default();
        let (mut believed, mut positions) = (Vec::with_capacity(by_node.len()), Vec::new());
        for (node, mut of_node) in by_node.into_iter().filter(|(_, of_node)| !of_node.is_empty()) {
            let at = |position: usize| samples[position].sample.at;
            let early = of_node.windows(2).filter(|pair| at(pair[1]) < at(pair[0])).count();
            counts.out_of_order += early as u64;
            // Of two of one instant the first that was sent counts: this keeps their order.
            of_node.sort_by_key(|position| at(*position));
            let in_order = of_node.iter().map(|position| samples[*position].sample).collect();
            believed.push(NewSamples { node: Arc::clone(node), samples: in_order });
            positions.push(of_node);
        }
        Self { samples, counts, refused, believed, positions }
    }

    /// Notes what became of those that were believed.
    pub(super) fn note_fates(&mut self, fates: &SampleFates) {
        let counts = &mut self.counts;
        counts.resets += fates.resets as u64;
        for (fates, positions) in fates.fates.iter().zip(&self.positions) {
            for (fate, position) in fates.iter().zip(positions) {
                match fate {
                    Fate::Newest => counts.taken += 1,
                    Fate::Late => {
                        counts.taken += 1;
                        counts.late += 1;
                    }
                    Fate::Doubled => counts.doubled += 1,
                    Fate::Contradicting => {
                        self.refused.push((*position, SampleRefusal::Contradicts));
                    }
                }
            }
        }
    }

    /// Notes which nodes have newer samples than before that are nevertheless older than `longest`.
    pub(super) fn note_behind(&mut self, longest: Seconds, now: Timestamp, fates: &SampleFates) {
        for (positions, fates) in self.positions.iter().zip(&fates.fates) {
            // In time order: the last that is the newest of its series.
            let newest = fates.iter().rposition(|fate| *fate == Fate::Newest);
            let Some(NodeSample { node, sample }) = newest.map(|it| &self.samples[positions[it]])
            else {
                continue;
            };
            let (newest, by) = (sample.at, now - sample.at.second());
            if by <= longest + CLOCKS_AGREE {
                continue;
            }
            self.counts.behind += 1;
            if self.counts.furthest_behind.as_ref().is_none_or(|it| it.newest > newest) {
                let node = Arc::clone(node);
                self.counts.furthest_behind = Some(NodeBehind { node, newest, by });
            }
        }
    }

    /// What became of all of them.
    pub(super) fn counts(self) -> SampleCounts {
        let Self { samples, mut counts, mut refused, .. } = self;
        for (_, refusal) in &refused {
            *counts.refused.entry(*refusal).or_default() += 1;
        }
        refused.sort_by_key(|(position, _)| *position);
        let told = |(position, refusal): (usize, SampleRefusal)| RefusedNodeSample {
            position,
            sample: samples[position].clone(),
            refusal,
        };
        counts.first_refused = refused.into_iter().take(MOST_TOLD).map(told).collect();
        counts
    }
}
