//! Gaps and integrals of agendas, by walking the pieces of a span.

use crate::agenda::{Agenda, Piece};
use crate::quantity::Rate;
use crate::time::Span;

/// The pieces that share an instant with `span`, in time order.
pub(super) fn pieces_in<V: Copy>(
    agenda: &Agenda<V>,
    span: Span,
) -> impl Iterator<Item = (Span, V)> + '_ {
    let pieces: &[Piece<V>] = agenda.pieces();
    // Pieces end in the order in which they start, so the ones that are over come first.
    let over = pieces.partition_point(|piece| piece.span.end() <= span.start());
    pieces[over..]
        .iter()
        .map_while(move |piece| Some((piece.span.intersection(span)?, piece.value)))
}

/// The first part of `span` without a value.
pub(super) fn first_gap<V: Copy>(agenda: &Agenda<V>, span: Span) -> Option<Span> {
    let mut missing_from = span.start();
    for (part, _) in pieces_in(agenda, span) {
        if part.start() > missing_from {
            return Span::new(missing_from, part.start());
        }
        missing_from = part.end();
    }
    Span::new(missing_from, span.end())
}

/// The sum of value times seconds over `span`, gaps as nothing; millionths x seconds.
pub(super) fn integral<R: Rate>(agenda: &Agenda<R>, span: Span) -> i128 {
    pieces_in(agenda, span)
        .map(|(part, rate)| i128::from(rate.as_millionths()) * i128::from(part.length().get()))
        .sum()
}
