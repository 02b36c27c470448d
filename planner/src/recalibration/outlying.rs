//! Nodes that stand out among those of their kind.

use std::collections::BTreeMap;

use super::NodeFinding;
use crate::quantity::Power;
use crate::robust::Tolerance;

/// Marks the nodes that stand out by their idle or their maximum power among those with the same kind: further from the
/// median than so many scales of the Hampel identifier. `kinds` has the kind of each node; of fewer than five nodes
/// of a kind none stands out. `O(nodes log nodes)`.
pub fn mark_outlying(kinds: &[u32], findings: &mut [NodeFinding], scales: i64) {
    let powers: [fn(&NodeFinding) -> Option<Power>; 2] =
        [|it| it.idle.map(|it| it.power), |it| it.max.map(|it| it.power)];
    for power in powers {
        let mut of_kind: BTreeMap<u32, Vec<Power>> = BTreeMap::new();
        for (kind, finding) in kinds.iter().zip(&*findings) {
            of_kind.entry(*kind).or_default().extend(power(finding));
        }
        let tolerances: BTreeMap<u32, Tolerance> = of_kind
            .into_iter()
            .filter_map(|(kind, mut powers)| {
                powers.sort_unstable();
                Some((kind, Tolerance::of_scales(&powers, scales)?))
            })
            .collect();
        for (kind, finding) in kinds.iter().zip(findings.iter_mut()) {
            let stands_out = |power| tolerances.get(kind).is_some_and(|it| !it.accepts(power));
            finding.outlying |= power(finding).is_some_and(stands_out);
        }
    }
}
