//! Several agendas beside each other, step by step.

use planner::agenda::{Agenda, Piece};
use planner::time::{Span, Timestamp};

/// A span over which none of several agendas changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommonStep<V> {
    pub span: Span,
    /// What each of them says, in their order.
    pub values: Vec<Option<V>>,
}

/// The steps from the first start of a piece to the last end; over some nobody says anything.
/// `O(p log p + p a)` for `p` pieces of `a` agendas.
pub(crate) fn steps<'a, V: Copy + 'a>(
    agendas: impl IntoIterator<Item = &'a Agenda<V>>,
) -> Vec<CommonStep<V>> {
    let mut rests: Vec<&[Piece<V>]> = agendas.into_iter().map(Agenda::pieces).collect();
    let pieces = rests.iter().flat_map(|pieces| pieces.iter());
    let mut edges: Vec<Timestamp> =
        pieces.flat_map(|piece| [piece.span.start(), piece.span.end()]).collect();
    edges.sort_unstable();
    edges.dedup();
    let spans = edges.windows(2).filter_map(|pair| Span::new(pair[0], pair[1]));
    let step = |span: Span| {
        let values = rests.iter_mut().map(|rest| value_at(rest, span.start())).collect();
        CommonStep { span, values }
    };
    spans.map(step).collect()
}

/// The value at an instant; pieces that end before it are passed.
fn value_at<V: Copy>(rest: &mut &[Piece<V>], instant: Timestamp) -> Option<V> {
    while let Some((first, later)) = rest.split_first() {
        if first.span.end() > instant {
            return first.span.contains(instant).then_some(first.value);
        }
        *rest = later;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_begins_wherever_anybody_says_something_else() {
        let at = Timestamp::from_unix_seconds;
        let agenda = |pieces: &[(i64, i64, char)]| {
            let piece = |&(start, end, value): &(i64, i64, char)| Piece {
                span: Span::new(at(start), at(end)).unwrap(),
                value,
            };
            Agenda::new(pieces.iter().map(piece).collect()).unwrap()
        };
        let one = agenda(&[(0, 10, 'a'), (10, 20, 'b'), (40, 50, 'c')]);
        let other = agenda(&[(5, 25, 'x')]);
        let found: Vec<(i64, i64, Vec<Option<char>>)> = steps([&one, &other])
            .into_iter()
            .map(|step| {
                let (start, end) = (step.span.start(), step.span.end());
                (start.as_unix_seconds(), end.as_unix_seconds(), step.values)
            })
            .collect();
        let (a, b, c, x) = (Some('a'), Some('b'), Some('c'), Some('x'));
        assert_eq!(
            found,
            [
                (0, 5, vec![a, None]),
                (5, 10, vec![a, x]),
                (10, 20, vec![b, x]),
                (20, 25, vec![None, x]),
                (25, 40, vec![None, None]),
                (40, 50, vec![c, None]),
            ]
        );
        assert!(steps::<char>([]).is_empty());
    }
}
