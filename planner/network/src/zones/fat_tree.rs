//! Fat trees: hosts below levels of switches, each joined to several above it. On the way up the place of the
//! destination decides among them (d-mod-k), so that what goes to one host goes one way.

use super::{Hop, Pair};
use crate::parts::LinkId;

/// The shape of a tree, from the hosts up.
#[derive(Clone, Debug)]
pub(crate) struct TreeShape {
    /// How many below each switch of a level.
    pub(crate) down: Vec<u32>,
    /// How many above each switch or host of the level below.
    pub(crate) up: Vec<u32>,
    /// How many cables between the two.
    pub(crate) cables: Vec<u32>,
}

#[derive(Clone, Debug)]
pub(crate) struct FatTree {
    pub(crate) shape: TreeShape,
    /// Level by level, and within a level by place; a label for each.
    nodes: Vec<Node>,
    /// The first node of each level.
    first: Vec<usize>,
    pub(crate) limiters: Vec<LinkId>,
    pub(crate) loopbacks: Vec<LinkId>,
}

#[derive(Clone, Debug)]
struct Node {
    level: usize,
    label: Vec<u32>,
    /// Links to those above and below, with the nodes that these are, by port.
    parents: Vec<Option<(usize, Pair)>>,
    children: Vec<Option<(usize, Pair)>>,
}

impl TreeShape {
    /// How many hosts it has.
    pub(crate) fn hosts(&self) -> Option<u32> {
        self.down.iter().try_fold(1u32, |hosts, &down| hosts.checked_mul(down))
    }

    fn levels(&self) -> usize {
        self.down.len()
    }

    /// How many values each part of a label has at a level.
    fn label_sizes(&self, level: usize) -> Vec<u32> {
        let size = |part: usize| if part < level { self.up[part] } else { self.down[part] };
        (0..self.levels()).map(size).collect()
    }

    fn nodes(&self) -> (Vec<Node>, Vec<usize>) {
        let (mut nodes, mut first) = (Vec::new(), Vec::new());
        for level in 0..=self.levels() {
            first.push(nodes.len());
            let sizes = self.label_sizes(level);
            let ports = |of: &[u32], at: usize| (of[at] * self.cables[at]) as usize;
            let parents = if level < self.levels() { ports(&self.up, level) } else { 0 };
            let children = if level > 0 { ports(&self.down, level - 1) } else { 0 };
            for place in 0..sizes.iter().product::<u32>() {
                let (parents, children) = (vec![None; parents], vec![None; children]);
                nodes.push(Node { level, label: label(place, &sizes), parents, children });
            }
        }
        (nodes, first)
    }
}

/// The parts of a place, the first changing fastest.
fn label(mut place: u32, sizes: &[u32]) -> Vec<u32> {
    let mut part = |&size: &u32| {
        let part = place % size;
        place /= size;
        part
    };
    sizes.iter().map(&mut part).collect()
}

impl FatTree {
    /// A tree whose links are made by `link`, for the ids of a node and of its parent: the ranks of hosts, and for
    /// switches the numbers from twice as many as there are hosts downwards.
    pub(crate) fn new(shape: TreeShape, mut link: impl FnMut(usize, usize) -> Pair) -> Self {
        let (nodes, first) = shape.nodes();
        let (limiters, loopbacks) = (Vec::new(), Vec::new());
        let mut tree = Self { shape, nodes, first, limiters, loopbacks };
        let hosts = *tree.first.get(1).unwrap_or(&0);
        let id = |node: usize| if node < hosts { node } else { (3 * hosts).wrapping_sub(1 + node) };
        for child in 0..tree.nodes.len() {
            let level = tree.nodes[child].level;
            for parent in tree.parents_of(child) {
                let [below, above] = [child, parent].map(|node| tree.nodes[node].label[level]);
                for cable in 0..tree.shape.cables[level] {
                    let pair = link(id(child), id(parent));
                    let port = (below + cable * tree.shape.down[level]) as usize;
                    tree.nodes[parent].children[port] = Some((child, pair));
                    let port = (above + cable * tree.shape.up[level]) as usize;
                    tree.nodes[child].parents[port] = Some((parent, pair));
                }
            }
        }
        tree
    }

    /// The nodes above one, whose labels differ from its own in the part of its level alone, in their order.
    fn parents_of(&self, child: usize) -> Vec<usize> {
        let Node { level, label, .. } = &self.nodes[child];
        let Some(&first) = self.first.get(level + 1) else { return Vec::new() };
        let sizes = self.shape.label_sizes(level + 1);
        let with = |own: u32| {
            let part = |(place, &part): (usize, &u32)| if place == *level { own } else { part };
            let parts: Vec<u32> = label.iter().enumerate().map(part).collect();
            let place =
                parts.iter().zip(&sizes).rev().fold(0, |place, (part, size)| place * size + part);
            first + place as usize
        };
        (0..sizes[*level]).map(with).collect()
    }

    pub(crate) fn hop(&self, from: u32, to: u32, hop: &mut Hop) -> Option<()> {
        if let Some(&loopback) = self.loopbacks.get(from as usize).filter(|_| from == to) {
            hop.links.push(loopback);
            return Some(());
        }
        let (last, shape) = (to as usize, &self.shape);
        let mut at = from as usize;
        while !self.is_above(at, last) {
            let node = &self.nodes[at];
            let ways = |level: usize| shape.up[level] * shape.cables[level];
            let below: u32 = (0..node.level).map(ways).product();
            let (parent, pair) = node.parents[((to / below) % ways(node.level)) as usize]?;
            hop.links.extend(self.limiters.get(at));
            hop.links.push(pair.up);
            at = parent;
        }
        while at != last {
            // The place of the source decides among cables. As in SimGrid, ports are not counted anew one level below,
            // so that there the first of them can be passed over.
            let level = self.nodes[at].level - 1;
            let mut port = ((from % shape.cables[level]) * shape.down[level]) as usize;
            while port < self.nodes[at].children.len() {
                let level = self.nodes[at].level - 1;
                if port % shape.down[level] as usize == self.nodes[last].label[level] as usize {
                    let (child, pair) = self.nodes[at].children[port]?;
                    hop.links.push(pair.down);
                    hop.links.extend(self.limiters.get(at));
                    at = child;
                }
                port += 1;
            }
        }
        hop.links.extend(self.limiters.get(at));
        Some(())
    }

    /// Whether the way down from a switch leads to a host.
    fn is_above(&self, switch: usize, host: usize) -> bool {
        let (above, below) = (&self.nodes[switch], &self.nodes[host]);
        above.level > below.level && above.label[above.level..] == below.label[above.level..]
    }
}
