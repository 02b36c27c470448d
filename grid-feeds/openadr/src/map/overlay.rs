//! Items of several ranks over one another: at each instant the highest counts, and of equals the
//! more cautious.

use std::collections::BinaryHeap;

use planner::agenda::Piece;
use planner::time::{Span, Timestamp};

/// A value of a span with its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item<V> {
    /// The time for which the value is said.
    pub span: Span,
    /// Higher counts before lower.
    pub rank: usize,
    /// At equal rank higher counts before lower.
    pub caution: i64,
    /// The value.
    pub value: V,
}

/// What is on top, in time order, without overlap.
///
/// `O(n log n)`: items enter at their start and leave once they are on top and over.
pub(super) fn overlaid<V: Copy + PartialEq>(mut items: Vec<Item<V>>) -> Vec<Piece<V>> {
    items.sort_by_key(|item| item.span);
    let starts = items.iter().map(|item| item.span.start());
    let mut edges: Vec<Timestamp> = starts.chain(items.iter().map(|it| it.span.end())).collect();
    edges.sort_unstable();
    edges.dedup();
    let mut open: BinaryHeap<(usize, i64, usize)> = BinaryHeap::new();
    let mut next = 0;
    let mut pieces: Vec<(usize, Piece<V>)> = Vec::new();
    for edge in edges.windows(2) {
        let [from, to] = edge else { continue };
        while let Some(item) = items.get(next).filter(|item| item.span.start() <= *from) {
            open.push((item.rank, item.caution, next));
            next += 1;
        }
        while open.peek().is_some_and(|&(.., index)| items[index].span.end() <= *from) {
            open.pop();
        }
        let (Some(&(.., index)), Some(span)) = (open.peek(), Span::new(*from, *to)) else {
            continue;
        };
        // The parts of one item that nothing covers in between are one piece.
        match pieces.last_mut() {
            Some((last, piece)) if *last == index && piece.span.end() == span.start() => {
                if let Some(longer) = Span::new(piece.span.start(), span.end()) {
                    piece.span = longer;
                }
            }
            _ => pieces.push((index, Piece { span, value: items[index].value })),
        }
    }
    pieces.into_iter().map(|(_, piece)| piece).collect()
}

/// Spans in time order without overlap, those that touch as one.
pub(super) fn joined(spans: impl Iterator<Item = Span>) -> Vec<Span> {
    let mut joined: Vec<Span> = Vec::new();
    for span in spans {
        match joined.last_mut() {
            Some(last) if last.end() == span.start() => {
                *last = Span::new(last.start(), span.end()).unwrap_or(*last);
            }
            _ => joined.push(span),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(start: i64, end: i64, rank: usize, value: char) -> Item<char> {
        let at = Timestamp::from_unix_seconds;
        Item { span: Span::new(at(start), at(end)).unwrap(), rank, caution: 0, value }
    }

    fn drawn(items: &[Item<char>]) -> String {
        let pieces = overlaid(items.to_vec());
        let at = |second| {
            let instant = Timestamp::from_unix_seconds(second);
            let piece = pieces.iter().find(|piece| piece.span.contains(instant));
            piece.map_or('.', |piece| piece.value)
        };
        (0..12).map(at).collect()
    }

    /// By hand: a from 0 to 10 below b from 2 to 4 and c from 3 to 6, which is above both.
    #[test]
    fn the_highest_rank_is_on_top_and_gaps_stay_gaps() {
        let items = [item(0, 10, 0, 'a'), item(3, 6, 2, 'c'), item(2, 4, 1, 'b')];
        assert_eq!(drawn(&items), "aabcccaaaa..");
        assert_eq!(overlaid(items.to_vec()).len(), 4);
        assert_eq!(overlaid::<char>(Vec::new()), []);
    }

    #[test]
    fn of_one_rank_the_more_cautious_counts() {
        let mut items = [item(0, 6, 1, 'a'), item(2, 4, 1, 'b'), item(3, 8, 0, 'c')];
        (items[0].caution, items[1].caution) = (-10, -8);
        assert_eq!(drawn(&items), "aabbaacc....");
    }

    #[test]
    fn neighbours_stay_apart_and_parts_that_touch_are_one() {
        let items = [item(0, 4, 1, 'a'), item(4, 8, 1, 'a'), item(1, 2, 0, 'b')];
        assert_eq!(overlaid(items.to_vec()).len(), 2);
    }
}
