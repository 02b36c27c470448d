//! Who has each node when, within an interval.

use std::collections::HashMap;

use super::claim::{Claim, ClaimedDraw, Consumed, PartyConsumption};
use crate::node::Nodes;
use crate::time::Span;

/// A part of a node's interval: who has it, alone or among others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// A position in the claims; `None` where the node is idle.
    pub claim: Option<usize>,
    pub span: Span,
    /// How many have it together.
    pub among: u32,
}

/// Divisible by all numbers of sharers up to 16, so that their parts of a second are whole.
const SECOND: u128 = 720_720;

impl Part {
    /// Its share of the node's seconds.
    pub(super) fn weight(&self) -> u128 {
        u128::from(self.span.length().get().unsigned_abs()) * SECOND / u128::from(self.among)
    }

    pub(super) fn draw(&self, claims: &[Claim]) -> ClaimedDraw {
        self.claim.map_or(ClaimedDraw::Idle, |claim| claims[claim].draw)
    }
}

/// A party in the making.
struct Account<'a> {
    claim: Option<&'a Claim>,
    partition: &'a str,
    nodes: u32,
    latest: Option<u32>,
    spans: Vec<(Span, Consumed)>,
    position: HashMap<Span, usize>,
}

/// The parts of all nodes, and what was booked of them.
pub(super) struct Parts<'a> {
    nodes: &'a Nodes,
    claims: &'a [Claim],
    span: Span,
    /// The claims of each node follow one another, from `first[ordinal]` to `first[ordinal + 1]`.
    first: Vec<u32>,
    of_nodes: Vec<u32>,
    accounts: Vec<Account<'a>>,
    /// The account of a claim (or idle) in a partition.
    account_of: HashMap<(Option<usize>, &'a str), usize>,
}

impl<'a> Parts<'a> {
    pub(super) fn new(nodes: &'a Nodes, claims: &'a [Claim], span: Span) -> Self {
        let count = nodes.count();
        let claimed = |claim: &'a Claim| {
            let inside = claim.span.overlaps(span);
            let positions = inside.then(|| claim.nodes.positions()).into_iter().flatten();
            positions.take_while(move |ordinal| *ordinal < count)
        };
        let mut first = vec![0_u32; count as usize + 1];
        for ordinal in claims.iter().flat_map(claimed) {
            first[ordinal as usize + 1] += 1;
        }
        for ordinal in 0..count as usize {
            first[ordinal + 1] += first[ordinal];
        }
        let mut next = first.clone();
        let mut of_nodes = vec![0; first[count as usize] as usize];
        for (index, claim) in (0..).zip(claims) {
            for ordinal in claimed(claim) {
                of_nodes[next[ordinal as usize] as usize] = index;
                next[ordinal as usize] += 1;
            }
        }
        let (accounts, account_of) = (Vec::new(), HashMap::new());
        Self { nodes, claims, span, first, of_nodes, accounts, account_of }
    }

    /// The parts of a node's interval, in time order: rule 2.
    pub(super) fn of(&self, ordinal: u32, parts: &mut Vec<Part>) {
        parts.clear();
        let own = self.first[ordinal as usize] as usize..self.first[ordinal as usize + 1] as usize;
        let own = &self.of_nodes[own];
        match own {
            [] => return parts.push(Part { claim: None, span: self.span, among: 1 }),
            [one] if self.clipped(*one) == Some(self.span) => {
                return parts.push(Part { claim: Some(*one as usize), span: self.span, among: 1 });
            }
            _ => {}
        }
        let mut cuts = vec![self.span.start(), self.span.end()];
        cuts.extend(
            own.iter().filter_map(|&it| self.clipped(it)).flat_map(|it| [it.start(), it.end()]),
        );
        cuts.sort_unstable();
        cuts.dedup();
        for span in cuts.windows(2).filter_map(|pair| Span::new(pair[0], pair[1])) {
            let here = |&&claim: &&u32| self.claims[claim as usize].span.overlaps(span);
            let holder = |&claim: &u32| self.claims[claim as usize].party.holder;
            let foremost = own.iter().filter(here).map(holder).min();
            let mut sharing: Vec<usize> = own
                .iter()
                .filter(here)
                .filter(|&claim| Some(holder(claim)) == foremost)
                .map(|&claim| claim as usize)
                .collect();
            sharing.dedup();
            let among = u32::try_from(sharing.len()).unwrap_or(u32::MAX);
            match among {
                0 => parts.push(Part { claim: None, span, among: 1 }),
                _ => parts.extend(sharing.iter().map(|&claim| Part {
                    claim: Some(claim),
                    span,
                    among,
                })),
            }
        }
    }

    fn clipped(&self, claim: u32) -> Option<Span> {
        self.claims[claim as usize].span.intersection(self.span)
    }

    /// Notes what a part of a node's interval consumed.
    pub(super) fn book(&mut self, ordinal: u32, part: &Part, consumed: &Consumed) {
        let claim = part.claim.map(|index| &self.claims[index]);
        let partition = match claim {
            Some(claim) if !claim.party.partition.is_empty() => "",
            _ => partition(self.nodes, ordinal),
        };
        let accounts = &mut self.accounts;
        let index = *self.account_of.entry((part.claim, partition)).or_insert_with(|| {
            let (spans, position) = (Vec::new(), HashMap::new());
            accounts.push(Account { claim, partition, nodes: 0, latest: None, spans, position });
            accounts.len() - 1
        });
        let account = &mut self.accounts[index];
        if account.latest != Some(ordinal) {
            account.latest = Some(ordinal);
            account.nodes += 1;
        }
        let next = account.spans.len();
        let position = *account.position.entry(part.span).or_insert(next);
        if position == next {
            account.spans.push((part.span, Consumed::default()));
        }
        account.spans[position].1.add(consumed);
    }

    /// Each party with its partition, how many nodes it had and what it consumed in each span.
    pub(super) fn finish(self) -> Vec<PartyConsumption<'a>> {
        let party = |Account { claim, partition, nodes, spans, .. }| PartyConsumption {
            claim,
            partition,
            nodes,
            spans,
        };
        self.accounts.into_iter().map(party).collect()
    }
}

/// The first partition that a node is in; nothing where it is in none.
fn partition(nodes: &Nodes, ordinal: u32) -> &str {
    let labels = nodes.labels().of(ordinal);
    labels.and_then(|labels| labels.partitions.first()).map_or("", AsRef::as_ref)
}
