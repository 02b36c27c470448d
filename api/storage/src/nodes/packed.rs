//! Nodes in packed columns: what takes seconds as a million rows takes a moment as a few blobs.
//!
//! A chunk holds up to [`CHUNK`] nodes: their number `n` as `u32`, then for each column all of its
//! values, little-endian: idle power and maximum power (`i64`, microwatts), alpha (`f64`, not a
//! number for none); where any node has labels, the line of its labels (`u32`); where names are
//! listed, their lengths in bytes (`u16`) and their text.
//!
//! Labels are text, a line for each kind: the words `p` and `f` with the name of a partition or a
//! feature behind them, separated by tabs, which no name holds.

use std::ops::Range;
use std::sync::Arc;

use planner::decimal::Fraction;
use planner::labels::{Labels, NodeLabels};
use planner::names::NameList;
use planner::node::{Names, Node, Nodes};
use planner::order::{NodeOrder, Preference};
use planner::quantity::Power;
use sha2::{Digest, Sha256};

/// Nodes in a chunk, but for the last.
pub(crate) const CHUNK: u32 = 65_536;

/// The draw order that the ranks of the tables count in.
pub(crate) fn draw_order(nodes: &Nodes) -> NodeOrder {
    NodeOrder::new(nodes, Preference::LeastDraw, Fraction::ONE)
}

/// Nodes in their draw order as they are stored.
pub(crate) struct PackedNodes {
    /// The nodes.
    pub(crate) nodes: Arc<Nodes>,
    /// Their draw order.
    pub(crate) order: NodeOrder,
    /// The chunks, each with the ordinal that it begins at.
    pub(crate) chunks: Vec<(u32, Vec<u8>)>,
    /// The digest that they are sealed with.
    pub(crate) seal: Vec<u8>,
}

impl PackedNodes {
    /// Packs nodes. A million take a while.
    pub(crate) fn new(nodes: Arc<Nodes>) -> Self {
        let order = draw_order(&nodes);
        let chunk = |ordinals: Range<u32>| (ordinals.start, pack(&nodes, ordinals));
        let chunks: Vec<(u32, Vec<u8>)> = chunks(nodes.count()).map(chunk).collect();
        let mut seal = Seal::default();
        for (_, data) in &chunks {
            seal.chunk(data);
        }
        let seal = seal.close(&order);
        Self { nodes, order, chunks, seal }
    }
}

/// The first and last ordinal of each chunk.
pub(crate) fn chunks(count: u32) -> impl Iterator<Item = Range<u32>> {
    (0..count).step_by(CHUNK as usize).map(move |first| first..count.min(first + CHUNK))
}

/// One chunk of nodes.
fn pack(nodes: &Nodes, ordinals: Range<u32>) -> Vec<u8> {
    let range = ordinals.start as usize..ordinals.end as usize;
    let list = &nodes.as_slice()[range.clone()];
    let mut data = Vec::with_capacity(list.len() * 48);
    data.extend((ordinals.end - ordinals.start).to_le_bytes());
    data.extend(list.iter().flat_map(|node| node.idle().as_microwatts().to_le_bytes()));
    data.extend(list.iter().flat_map(|node| node.max().as_microwatts().to_le_bytes()));
    let alpha = |node: &Node| node.alpha().map_or(f64::NAN, Fraction::as_f64);
    data.extend(list.iter().flat_map(|node| alpha(node).to_le_bytes()));
    if let Some(kinds) = nodes.labels().kind_of().get(range) {
        data.extend(kinds.iter().flat_map(|kind| kind.to_le_bytes()));
    }
    if let Names::Listed(names) = nodes.names() {
        let length = |ordinal| u16::try_from(names.get(ordinal).len()).unwrap_or(u16::MAX);
        data.extend(ordinals.clone().flat_map(|ordinal| length(ordinal).to_le_bytes()));
        ordinals.for_each(|ordinal| data.extend(names.get(ordinal).as_bytes()));
    }
    data
}

/// The kinds of labels as text.
pub(crate) fn label_text(labels: &Labels) -> String {
    let line = |kind: &NodeLabels| {
        let partitions = kind.partitions.iter().map(|name| format!("p{name}"));
        let features = kind.features.iter().map(|name| format!("f{name}"));
        partitions.chain(features).collect::<Vec<_>>().join("\t") + "\n"
    };
    labels.kinds().iter().map(line).collect()
}

/// The kinds of labels that text holds.
fn label_kinds(text: &str) -> Option<Vec<NodeLabels>> {
    let kind = |line: &str| {
        let mut labels = NodeLabels::default();
        for word in line.split('\t').filter(|word| !word.is_empty()) {
            match word.split_at_checked(1)? {
                ("p", name) => labels.partitions.push(name.into()),
                ("f", name) => labels.features.push(name.into()),
                _ => return None,
            }
        }
        Some(labels)
    };
    text.lines().map(kind).collect()
}

/// The digest of chunks and of the ranks that allocations count in.
#[derive(Default)]
pub(crate) struct Seal(Sha256);

impl Seal {
    /// Takes in a chunk.
    pub(crate) fn chunk(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    /// Takes in the rank of each node, which ends it.
    pub(crate) fn close(mut self, order: &NodeOrder) -> Vec<u8> {
        let ranks = (0..order.count()).map(|ordinal| order.rank(ordinal).unwrap_or(u32::MAX));
        let bytes: Vec<u8> = ranks.flat_map(u32::to_le_bytes).collect();
        self.0.update(&bytes);
        self.0.finalize().to_vec()
    }
}

/// Nodes being read, chunk by chunk.
pub(crate) struct Unpacking {
    numbered: bool,
    kinds: Option<Vec<NodeLabels>>,
    nodes: Vec<Node>,
    kind_of: Vec<u32>,
    text: String,
    ends: Vec<usize>,
}

impl Unpacking {
    /// Of so many nodes, named by their numbers or not, with this text of labels.
    pub(crate) fn new(count: u32, numbered: bool, labels: &str) -> Option<Self> {
        let kinds = label_kinds(labels)?;
        let listed = if numbered { 0 } else { count as usize };
        Some(Self {
            numbered,
            kinds: Some(kinds).filter(|kinds| !kinds.is_empty()),
            nodes: Vec::with_capacity(count as usize),
            kind_of: Vec::new(),
            text: String::with_capacity(listed * 8),
            ends: Vec::with_capacity(listed),
        })
    }

    /// How many nodes were read.
    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)
    }

    /// Reads the next chunk; `None` where it cannot have been written by [`pack`].
    pub(crate) fn chunk(&mut self, mut data: &[u8]) -> Option<()> {
        let count = column::<4>(&mut data, 1)?.first().copied().map(u32::from_le_bytes)?;
        let count = count as usize;
        let power = |bytes: &[u8; 8]| Power::from_microwatts(i64::from_le_bytes(*bytes));
        let idle = column::<8>(&mut data, count)?.iter().map(power);
        let max = column::<8>(&mut data, count)?.iter().map(power);
        let alpha = column::<8>(&mut data, count)?.iter().map(|bytes| f64::from_le_bytes(*bytes));
        for ((idle, max), alpha) in idle.zip(max).zip(alpha) {
            let own = if alpha.is_nan() { None } else { Some(Fraction::new(alpha)?) };
            self.nodes.push(Node::new(idle, max, own).ok()?);
        }
        if self.kinds.is_some() {
            let kinds = column::<4>(&mut data, count)?;
            self.kind_of.extend(kinds.iter().map(|bytes| u32::from_le_bytes(*bytes)));
        }
        if !self.numbered {
            let mut end = self.text.len();
            for length in column::<2>(&mut data, count)? {
                end += usize::from(u16::from_le_bytes(*length));
                self.ends.push(end);
            }
            let text = data.split_off(..end - self.text.len())?;
            self.text.push_str(str::from_utf8(text).ok()?);
        }
        data.is_empty().then_some(())
    }

    /// The nodes read. `None` where they do not make a cluster.
    pub(crate) fn finish(self) -> Option<Nodes> {
        let labels = match self.kinds {
            Some(kinds) => Labels::of_kinds(kinds, self.kind_of)?,
            None => Labels::default(),
        };
        let nodes = if self.numbered {
            Nodes::numbered(self.nodes).ok()?
        } else {
            if self.ends.iter().any(|&end| !self.text.is_char_boundary(end)) {
                return None;
            }
            Nodes::named(NameList::new(self.text, self.ends).ok()?, self.nodes).ok()?
        };
        Some(nodes.with_labels(labels))
    }
}

/// The next `count` values of `N` bytes.
fn column<'a, const N: usize>(data: &mut &'a [u8], count: usize) -> Option<&'a [[u8; N]]> {
    let (values, _) = data.split_off(..count.checked_mul(N)?)?.as_chunks::<N>();
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpack(nodes: &Nodes, chunks: &[Vec<u8>]) -> Option<Nodes> {
        let numbered = matches!(nodes.names(), Names::Numbered);
        let mut unpacking = Unpacking::new(nodes.count(), numbered, &label_text(nodes.labels()))?;
        chunks.iter().try_for_each(|data| unpacking.chunk(data))?;
        unpacking.finish()
    }

    fn cluster() -> Nodes {
        let node = |idle, alpha: Option<f64>| {
            let (idle, max) = (Power::from_microwatts(idle), Power::from_microwatts(400));
            Node::new(idle, max, alpha.map(|alpha| Fraction::new(alpha).unwrap())).unwrap()
        };
        let named = [("ü 1", node(7, None)), ("b", node(0, Some(0.3))), ("c", node(400, None))];
        let labels = |partitions: &[&str], features: &[&str]| NodeLabels {
            partitions: partitions.iter().map(|&name| name.into()).collect(),
            features: features.iter().map(|&name| name.into()).collect(),
        };
        let named = named.map(|(name, node)| (name.into(), node)).to_vec();
        let labels = [labels(&["p", "f q"], &["p"]), labels(&[], &[]), labels(&["p"], &[])];
        Nodes::listed(named).unwrap().with_labels(Labels::new(labels))
    }

    #[test]
    fn chunks_give_back_the_nodes_with_names_and_labels() {
        let nodes = cluster();
        let parts = [pack(&nodes, 0..2), pack(&nodes, 2..3)];
        assert_eq!(unpack(&nodes, &parts), Some(nodes));
    }

    #[test]
    fn numbered_nodes_take_24_bytes_each() {
        let node = Node::new(Power::ZERO, Power::from_microwatts(5), None).unwrap();
        let nodes = Nodes::numbered(vec![node; 100]).unwrap();
        let data = pack(&nodes, 0..100);
        assert_eq!(data.len(), 4 + 24 * 100);
        assert_eq!(unpack(&nodes, &[data]), Some(nodes));
    }

    #[test]
    fn a_chunk_that_is_cut_short_or_too_long_is_refused() {
        let nodes = cluster();
        let whole = pack(&nodes, 0..3);
        for length in 0..whole.len() {
            assert_eq!(unpack(&nodes, &[whole[..length].to_vec()]), None, "{length} bytes");
        }
        assert_eq!(unpack(&nodes, &[[whole.as_slice(), b"x"].concat()]), None);
    }
}
