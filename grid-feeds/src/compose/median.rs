//! The median of fresh sources.

use planner::agenda::{Agenda, AgendaError, Piece};
use planner::time::Span;

use super::{Composition, Sourced, Vintage};
use crate::beside::steps;

/// Fewer sources have no median that could outvote one that is wrong.
const FEWEST: usize = 3;

/// The medians of what sources say, where enough of them say something, with where they come from:
/// each is the value of one of them. For prices and CO2.
pub(super) fn median(
    sources: &[Composition],
) -> Result<(Agenda<Sourced>, Vec<Vintage>), AgendaError> {
    let mut vintages = Vec::new();
    let mut firsts = Vec::with_capacity(sources.len());
    for source in sources {
        firsts.push(vintages.len());
        vintages.extend(source.vintages.iter().cloned());
    }
    let mut pieces: Vec<Piece<Sourced>> = Vec::new();
    for step in steps(sources.iter().map(|source| &source.agenda)) {
        let of_all = step.values.iter().zip(&firsts).filter_map(|(value, first)| {
            let value = (*value)?;
            Some(Sourced { vintage: first + value.vintage, ..value })
        });
        let Some(value) = middle(of_all.collect()) else { continue };
        match pieces.last_mut().filter(|it| it.span.end() == step.span.start()) {
            Some(last) if last.value == value => {
                last.span = Span::new(last.span.start(), step.span.end()).unwrap_or(last.span);
            }
            _ => pieces.push(Piece { span: step.span, value }),
        }
    }
    Ok((Agenda::new(pieces)?, vintages))
}

/// The median of the values of the best quality: of an even number the higher of the two in the
/// middle, the dearer or dirtier; of equal ones that of the first source.
fn middle(mut values: Vec<Sourced>) -> Option<Sourced> {
    let best = values.iter().map(|it| it.quality).max()?;
    values.retain(|it| it.quality == best);
    if values.len() < FEWEST {
        return None;
    }
    let mut sorted: Vec<i64> = values.iter().map(|it| it.value).collect();
    sorted.sort_unstable();
    let middle = sorted[sorted.len() / 2];
    values.into_iter().find(|it| it.value == middle)
}
