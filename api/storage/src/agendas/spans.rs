//! Which parts of a window are still open, and which are covered.

use planner::agenda::Piece;
use planner::time::Span;

/// What is left of `pieces` where `span` is cut out of them; a piece may leave two parts.
pub(crate) fn cut_out<V: Copy>(pieces: &[Piece<V>], span: Span) -> Vec<Piece<V>> {
    let before =
        |piece: &Piece<V>| Span::new(piece.span.start(), piece.span.end().min(span.start()));
    let after = |piece: &Piece<V>| Span::new(piece.span.start().max(span.end()), piece.span.end());
    pieces
        .iter()
        .flat_map(|piece| [before(piece), after(piece)].map(|part| (part, piece.value)))
        .filter_map(|(part, value)| part.map(|span| Piece { span, value }))
        .collect()
}

/// Takes `span` out of the spans that are open, in time order; what it took.
pub(crate) fn cover(open: &mut Vec<Span>, span: Span) -> Vec<Span> {
    let mut taken = Vec::new();
    let mut left = Vec::with_capacity(open.len() + 1);
    for &gap in &*open {
        taken.extend(gap.intersection(span));
        left.extend(Span::new(gap.start(), gap.end().min(span.start())));
        left.extend(Span::new(gap.start().max(span.end()), gap.end()));
    }
    *open = left;
    taken
}

/// Takes what `pieces` cover out of the spans that are open, in time order both; whether they
/// covered any of it.
pub(crate) fn cut_open<V>(open: &mut Vec<Span>, pieces: &[Piece<V>]) -> bool {
    let mut covered = false;
    let mut left = Vec::with_capacity(open.len());
    for &gap in &*open {
        let first = pieces.partition_point(|piece| piece.span.end() <= gap.start());
        let mut from = gap.start();
        for piece in pieces[first..].iter().take_while(|it| it.span.start() < gap.end()) {
            covered = true;
            left.extend(Span::new(from, piece.span.start()));
            from = piece.span.end();
        }
        left.extend(Span::new(from, gap.end()));
    }
    *open = left;
    covered
}

#[cfg(test)]
mod tests {
    use planner::time::Timestamp;

    use super::*;

    fn span(start: i64, end: i64) -> Span {
        Span::new(Timestamp::from_unix_seconds(start), Timestamp::from_unix_seconds(end)).unwrap()
    }

    fn pieces(list: &[(i64, i64, i64)]) -> Vec<Piece<i64>> {
        list.iter().map(|&(start, end, value)| Piece { span: span(start, end), value }).collect()
    }

    #[test]
    fn what_a_span_takes_of_what_is_open_is_told() {
        let mut open = vec![span(0, 10), span(20, 30)];
        assert_eq!(cover(&mut open, span(5, 25)), [span(5, 10), span(20, 25)]);
        assert_eq!(open, [span(0, 5), span(25, 30)]);
        assert_eq!(cover(&mut open, span(5, 25)), []);
        assert_eq!(cover(&mut open, span(2, 3)), [span(2, 3)]);
        assert_eq!(open, [span(0, 2), span(3, 5), span(25, 30)]);
    }

    #[test]
    fn what_pieces_cover_is_no_longer_open() {
        let mut open = vec![span(0, 10), span(20, 30)];
        assert!(cut_open(&mut open, &pieces(&[(2, 4, 1), (8, 22, 1), (25, 26, 1)])));
        assert_eq!(open, [span(0, 2), span(4, 8), span(22, 25), span(26, 30)]);
        assert!(!cut_open(&mut open, &pieces(&[(2, 4, 1)])));
        assert!(cut_open(&mut open, &pieces(&[(0, 30, 1)])) && open.is_empty());
    }

    /// Every second falls to the last revision whose span holds it.
    #[test]
    fn from_the_newest_back_every_second_falls_to_its_last_revision() {
        let spans: Vec<Span> = (0..40).map(|n| n * 37 % 50).map(|it| span(it, it + 12)).collect();
        let mut open = vec![span(10, 70)];
        let mut parts = Vec::new();
        for (index, &newest) in spans.iter().enumerate().rev() {
            parts.extend(cover(&mut open, newest).into_iter().map(|part| (index, part)));
        }
        for second in 10..70 {
            let instant = Timestamp::from_unix_seconds(second);
            let last = spans.iter().rposition(|span| span.contains(instant));
            let holding = parts.iter().filter(|(_, part)| part.contains(instant));
            let of: Vec<usize> = holding.map(|(index, _)| *index).collect();
            assert_eq!(of, Vec::from_iter(last), "at {second}");
            assert_eq!(open.iter().any(|gap| gap.contains(instant)), last.is_none());
        }
    }
}
