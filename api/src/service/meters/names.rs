//! What a meter told, by the names of the site and without what was told before.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use planner::metering::{Meter, SampleTime};

use super::port::Told;
use crate::service::measurements::NodeSample;
use crate::service::shared::SiteState;

/// So many names that are not ours are told.
const MOST_TOLD: usize = 3;

/// The instants that were told of each name, as far back as a meter may be asked again.
#[derive(Debug, Default)]
pub(super) struct TakenInstants(HashMap<Arc<str>, BTreeSet<SampleTime>>);

impl TakenInstants {
    /// Forgets what is before `from`.
    pub fn forget_before(&mut self, from: SampleTime) {
        self.0.retain(|_, instants| {
            *instants = instants.split_off(&from);
            !instants.is_empty()
        });
    }

    /// Notes samples that were given to be kept.
    pub fn note(&mut self, samples: &[NodeSample]) {
        for NodeSample { node, sample } in samples {
            self.0.entry(Arc::clone(node)).or_default().insert(sample.at);
        }
    }

    fn has(&self, node: &str, at: SampleTime) -> bool {
        self.0.get(node).is_some_and(|instants| instants.contains(&at))
    }
}

/// The samples that a meter did not tell before, with our names; those of others are noted. A name that is none of ours
/// counts up to its first dot, as hosts have one name in the cluster and a longer one beside.
pub(super) fn named(
    meter: &Meter,
    state: &SiteState,
    told: Told,
    taken: &TakenInstants,
) -> (Vec<NodeSample>, BTreeSet<String>) {
    let Told { series, mut notes } = told;
    let is_of_nodes = meter.covers.is_of_nodes();
    let ours = state.cluster.nodes.index();
    let resolved = |name: &str| -> Option<Arc<str>> {
        if !is_of_nodes || ours.ordinal(name).is_some() {
            return Some(name.into());
        }
        let (short, _) = name.split_once('.')?;
        ours.ordinal(short).map(|_| short.into())
    };
    let mut samples = Vec::new();
    let mut strangers: BTreeMap<Box<str>, usize> = BTreeMap::new();
    for (name, of_name) in series {
        let Some(node) = resolved(&name) else {
            *strangers.entry(name).or_default() += of_name.len();
            continue;
        };
        let new = of_name.into_iter().filter(|sample| !taken.has(&node, sample.at));
        samples.extend(new.map(|sample| NodeSample { node: Arc::clone(&node), sample }));
    }
    if !strangers.is_empty() {
        let such: Vec<&str> = strangers.keys().take(MOST_TOLD).map(AsRef::as_ref).collect();
        notes.insert(format!(
            "{} of its names are no nodes of this site, such as {}; where a label has more than the name, `pattern` \
             finds it",
            strangers.len(),
            such.join(", ")
        ));
    }
    (samples, notes)
}
