//! How full the cluster is: the book as rows of node groups and columns of time, so that a view of
//! a million nodes is as small as one of forty.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use planner::node_set::NodeSet;
use planner::order::NodeOrder;
use planner::time::Span;
use storage::{Outage, OutageKind};

use super::{BookViewError, BookViewService};
use crate::service::shared::{Cluster, KeptState, blocking};

/// Rows over ordinals and columns over time.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The time for which the nodes are taken.
    pub span: Span,
    /// The nodes, by ordinal.
    pub nodes: Range<u32>,
    /// Nodes of a row; the last one may have fewer.
    pub row_nodes: u32,
    /// Seconds of a column; the last one may have fewer.
    pub column_s: i64,
}

/// The book over a frame.
pub struct Occupancy {
    /// The cluster.
    pub cluster: Arc<Cluster>,
    /// The rows and columns to fill.
    pub frame: Frame,
    /// Reservations that hold some of the nodes in the span.
    pub reservations: usize,
    /// Booked for certain, row by row.
    pub booked: Vec<u16>,
    /// Held by offers that were not chosen yet.
    pub held: Vec<u16>,
    /// Out of service.
    pub out: Vec<u16>,
}

/// The node-seconds that are taken in each cell, row by row.
struct Tally<'a> {
    frame: &'a Frame,
    taken: Vec<u64>,
}

/// Counts nodes by row.
struct Rows<'a> {
    frame: &'a Frame,
    order: &'a NodeOrder,
    /// How many of the ranks before each block are in each row, block by block; empty where ranks are
    /// looked at one by one.
    before: Vec<u32>,
}

/// Ranks of a block.
const BLOCK: u32 = 256;

impl<'a> Rows<'a> {
    /// For sets of so many ranks together: where these are more than there are nodes, a pass over the
    /// nodes first spares to look at each rank of each set.
    fn new(frame: &'a Frame, order: &'a NodeOrder, many: u64) -> Self {
        let mut rows = Self { frame, order, before: Vec::new() };
        if many > u64::from(order.count()) {
            let mut counts = vec![0; frame.rows()];
            let blocks = order.count().div_ceil(BLOCK) as usize + 1;
            let mut before = Vec::with_capacity(blocks * counts.len());
            for start in (0..order.count()).step_by(BLOCK as usize) {
                before.extend_from_slice(&counts);
                rows.walk(start..order.count().min(start + BLOCK), &mut counts);
            }
            before.extend_from_slice(&counts);
            rows.before = before;
        }
        rows
    }

    /// How many of a set of ranks are in each row.
    fn count(&self, ranks: &NodeSet) -> Vec<u32> {
        let mut counts = vec![0; self.frame.rows()];
        for range in ranks.ranges() {
            let (first, last) = (range.start.div_ceil(BLOCK), range.end / BLOCK);
            if self.before.is_empty() || first >= last {
                self.walk(range.clone(), &mut counts);
                continue;
            }
            self.walk(range.start..first * BLOCK, &mut counts);
            self.walk(last * BLOCK..range.end, &mut counts);
            let block = |block: u32| &self.before[block as usize * counts.len()..];
            let whole: Vec<u32> =
                block(last).iter().zip(block(first)).map(|(end, start)| end - start).collect();
            counts.iter_mut().zip(whole).for_each(|(count, whole)| *count += whole);
        }
        counts
    }

    fn walk(&self, ranks: Range<u32>, counts: &mut [u32]) {
        for row in ranks.filter_map(|rank| self.frame.row_of(self.order.ordinal(rank))) {
            counts[row] += 1;
        }
    }
}

impl Frame {
    /// A frame of at most `rows` by `columns`. The nodes must not be empty.
    pub fn new(span: Span, nodes: Range<u32>, rows: u32, columns: u32) -> Self {
        let row_nodes = (nodes.end - nodes.start).div_ceil(rows.max(1)).max(1);
        let columns = i64::from(columns.max(1));
        let length = (span.length().get() + columns - 1) / columns;
        Self { span, nodes, row_nodes, column_s: length.max(1) }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        (self.nodes.end - self.nodes.start).div_ceil(self.row_nodes) as usize
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        usize::try_from((self.span.length().get() + self.column_s - 1) / self.column_s)
            .unwrap_or(usize::MAX)
    }

    fn row_of(&self, ordinal: u32) -> Option<usize> {
        self.nodes
            .contains(&ordinal)
            .then(|| ((ordinal - self.nodes.start) / self.row_nodes) as usize)
    }

    /// Seconds of each column that lie in a span, from the first column that has some.
    fn seconds(&self, span: Span) -> impl Iterator<Item = (usize, u64)> {
        let begin = self.span.start().as_unix_seconds();
        let end = self.span.end().as_unix_seconds();
        let from = span.start().as_unix_seconds().max(begin);
        let to = span.end().as_unix_seconds().min(end);
        let first = (from - begin) / self.column_s;
        let columns = if to > from { first..(to - begin - 1) / self.column_s + 1 } else { 0..0 };
        let length = self.column_s;
        columns.filter_map(move |column| {
            let start = begin + column * length;
            let seconds = to.min(start + length) - from.max(start);
            Some((usize::try_from(column).ok()?, u64::try_from(seconds).ok()?))
        })
    }

    /// Node-seconds of a cell.
    fn size(&self, row: usize, column: usize) -> u64 {
        let first = self.nodes.start + u32::try_from(row).unwrap_or(u32::MAX) * self.row_nodes;
        let nodes = self.row_nodes.min(self.nodes.end - first);
        let start = i64::try_from(column).unwrap_or(i64::MAX) * self.column_s;
        let seconds = self.column_s.min(self.span.length().get() - start);
        u64::from(nodes) * u64::try_from(seconds).unwrap_or_default()
    }
}

impl<'a> Tally<'a> {
    fn new(frame: &'a Frame) -> Self {
        Self { frame, taken: vec![0; frame.rows() * frame.columns()] }
    }

    /// Adds so many nodes of each row for a time. `O(rows x columns)`.
    fn add(&mut self, nodes: &[u32], span: Span) {
        let columns = self.frame.columns();
        for (column, seconds) in self.frame.seconds(span) {
            for (row, &nodes) in nodes.iter().enumerate().filter(|(_, nodes)| **nodes > 0) {
                self.taken[row * columns + column] += u64::from(nodes) * seconds;
            }
        }
    }

    /// Thousandths of each cell; what is taken at all is at least one.
    fn permille(&self) -> Vec<u16> {
        let columns = self.frame.columns();
        let share = |(cell, taken): (usize, &u64)| {
            let size = self.frame.size(cell / columns, cell % columns).max(1);
            let permille = (taken * 1000 / size).clamp(u64::from(*taken > 0), 1000);
            u16::try_from(permille).unwrap_or(1000)
        };
        self.taken.iter().enumerate().map(share).collect()
    }
}

impl BookViewService {
    /// How full the nodes are over a span, in at most `rows` groups and `columns` lengths of time.
    /// Nodes beyond the cluster's are left out; all are meant where none are named.
    ///
    /// # Errors
    /// `NoSuchNodes` where no node is left.
    pub async fn occupancy(
        &self,
        span: Span,
        nodes: Range<u32>,
        rows: u32,
        columns: u32,
        kept: &KeptState,
    ) -> Result<Occupancy, BookViewError> {
        let taken = self.taken(span, kept).await?;
        let cluster = Arc::clone(&taken.state.cluster);
        let nodes = nodes.start..nodes.end.min(cluster.nodes.count());
        if nodes.is_empty() {
            return Err(BookViewError::NoSuchNodes { count: cluster.nodes.count() });
        }
        blocking(move || {
            let frame = Frame::new(span, nodes, rows, columns);
            let (mut booked, mut held) = (Tally::new(&frame), Tally::new(&frame));
            let mut out = Tally::new(&frame);
            let many = taken.bookings.iter().map(|it| u64::from(it.ranks.count())).sum();
            let rows = Rows::new(&frame, &cluster.reference, many);
            let out_of_service = |it: &&Outage| it.kind == OutageKind::OutOfService;
            for outage in taken.state.outages.iter().filter(out_of_service) {
                if let Some(span) = outage.span() {
                    out.add(&rows.count(&outage.ranks), span);
                }
            }
            let mut reservations: HashSet<&str> = HashSet::new();
            for booking in &taken.bookings {
                let nodes = rows.count(&booking.ranks);
                if nodes.iter().all(|&nodes| nodes == 0) {
                    continue;
                }
                let is_held = taken.state.is_held(&booking.id);
                let tally = if is_held { &mut held } else { &mut booked };
                tally.add(&nodes, booking.span);
                reservations.insert(&booking.id);
            }
            let reservations = reservations.len();
            let [booked, held, out] = [booked, held, out].map(|tally| tally.permille());
            Ok(Occupancy { cluster, frame, reservations, booked, held, out })
        })
        .await?
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use planner::decimal::Fraction;
    use planner::node::{Node, Nodes};
    use planner::node_set::NodeSet;
    use planner::order::{NodeOrder, Preference};
    use planner::quantity::Power;
    use planner::time::{Span, Timestamp};

    use super::{BLOCK, Frame, Rows, Tally};

    /// Nodes by ordinal for a time; how many there are in each row.
    fn add(tally: &mut Tally, ordinals: impl IntoIterator<Item = u32>, span: Span) -> Vec<u32> {
        let mut nodes = vec![0; tally.frame.rows()];
        for row in ordinals.into_iter().filter_map(|ordinal| tally.frame.row_of(ordinal)) {
            nodes[row] += 1;
        }
        tally.add(&nodes, span);
        nodes
    }

    /// Nodes in an order that has nothing to do with their ordinals.
    fn scattered(count: u32) -> NodeOrder {
        let watts = |node: u32| Power::from_watts(f64::from(node * 7919 % 1013)).unwrap();
        let node = |node| Node::new(Power::ZERO, watts(node), None).unwrap();
        let nodes = Nodes::numbered((0..count).map(node).collect()).unwrap();
        NodeOrder::new(&nodes, Preference::LeastDraw, Fraction::ONE)
    }

    #[test]
    fn blocks_count_what_a_look_at_each_rank_counts() {
        let count = 5 * BLOCK + 77;
        let order = scattered(count);
        for (nodes, rows) in [(0..count, 7), (300..900, 50), (5..6, 3)] {
            let frame = Frame::new(span(0, 100), nodes, rows, 1);
            let (one_by_one, by_block) =
                (Rows::new(&frame, &order, 0), Rows::new(&frame, &order, u64::MAX));
            assert!(one_by_one.before.is_empty() && !by_block.before.is_empty());
            for ranges in [
                vec![0..count - 1, count - 1..count],
                vec![1..BLOCK, BLOCK + 1..3 * BLOCK],
                vec![BLOCK..2 * BLOCK, 3 * BLOCK - 1..count - 1],
                vec![10..20, 255..257, 4 * BLOCK + 3..5 * BLOCK + 70],
            ] as [Vec<Range<u32>>; 4]
            {
                let ranks = NodeSet::from_ranges(ranges);
                assert_eq!(by_block.count(&ranks), one_by_one.count(&ranks));
            }
        }
    }

    fn span(start: i64, end: i64) -> Span {
        let at = Timestamp::from_unix_seconds;
        Span::new(at(start), at(end)).expect("start is before end")
    }

    #[test]
    fn cells_tell_the_share_of_their_nodes_and_time_that_is_taken() {
        // Ten nodes in rows of 4, 4 and 2; 100 s in columns of 50 s.
        let frame = Frame::new(span(1000, 1100), 0..10, 3, 2);
        assert_eq!((frame.rows(), frame.columns(), frame.row_nodes), (3, 2, 4));
        let mut tally = Tally::new(&frame);
        // Nodes 3, 4 and 9 from 1025 to 1100: of row 0 one of four for half of column 0.
        assert_eq!(add(&mut tally, [3, 4, 9], span(1025, 1100)), [1, 1, 1]);
        assert_eq!(tally.permille(), [125, 250, 125, 250, 250, 500]);
    }

    #[test]
    fn what_is_taken_at_all_never_vanishes_and_twice_is_not_more_than_full() {
        let frame = Frame::new(span(0, 1_000_000), 0..1000, 1, 1);
        let mut tally = Tally::new(&frame);
        add(&mut tally, [7], span(0, 1));
        assert_eq!(tally.permille(), [1]);
        for _ in 0..2 {
            add(&mut tally, 0..1000, span(0, 1_000_000));
        }
        assert_eq!(tally.permille(), [1000]);
    }

    #[test]
    fn nodes_and_times_outside_the_frame_do_not_count() {
        let frame = Frame::new(span(0, 100), 10..20, 2, 2);
        let mut tally = Tally::new(&frame);
        assert_eq!(add(&mut tally, [9, 20], span(0, 100)), [0, 0]);
        add(&mut tally, [10], span(100, 200));
        add(&mut tally, [10], span(-50, 0));
        assert_eq!(tally.permille(), [0; 4]);
    }

    #[test]
    fn the_last_row_and_column_may_be_smaller() {
        // Seven nodes in rows of 4 and 3; 90 s in columns of 30 s.
        let frame = Frame::new(span(0, 90), 0..7, 2, 3);
        assert_eq!((frame.row_nodes, frame.column_s), (4, 30));
        let mut tally = Tally::new(&frame);
        add(&mut tally, 4..7, span(60, 90));
        assert_eq!(tally.permille(), [0, 0, 0, 0, 0, 1000]);
    }
}
