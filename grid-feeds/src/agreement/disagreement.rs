//! Where sources lie apart.

use planner::agenda::{Agenda, AgendaError, Piece};
use planner::time::{Seconds, Span};

use super::{AgreementTolerance, ONE, SourceAgenda, UsualRatio, best};
use crate::beside::{CommonStep, steps};
use crate::compose::{Composition, Sourced};
use crate::feed::KnownValue;

/// Sources that agree for less between two disagreements have not agreed.
const JOINED: Seconds = Seconds::new(3600);

/// What a source says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceValue {
    /// Its name; empty for what is no source's.
    pub source: Box<str>,
    /// In the exact unit of the quantity.
    pub value: i64,
}

/// A span over which sources disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// From the first instant to the last; between them they may agree for less than an hour at a
    /// time.
    pub span: Span,
    /// For how long of it they disagree.
    pub apart_for: Seconds,
    /// Those that were compared, in the order of the chain.
    pub sources: Vec<Box<str>>,
    /// Where they are furthest apart.
    pub widest: Span,
    /// What they say there.
    pub values: Vec<SourceValue>,
    /// What the agenda has there, as it was compared; `None` where that is a gap.
    pub taken: Option<SourceValue>,
}

/// Values that lie apart.
#[derive(Clone, Debug)]
pub(super) struct ApartStep {
    pub span: Span,
    /// Positions of the sources that were compared, with what they say.
    pub said: Vec<(usize, i64)>,
    /// How far the outermost lie apart, their usual ratios allowed for.
    pub width: i128,
}

/// Where fresh sources of a chain lie further apart than allowed, and what the composition of the
/// chain has there. In time order. Where usual ratios count as agreement, a source without one is not
/// compared. Nothing is compared where the composition has a value that people put: `is_put` says so
/// of the name of a vintage's source.
///
/// # Errors
/// Pieces that overlap, which those of a composition do not.
pub fn disagreements(
    sources: &[SourceAgenda],
    ratios: &[UsualRatio],
    tolerance: &AgreementTolerance,
    composition: &Composition,
    is_put: impl Fn(&str) -> bool,
) -> Result<Vec<Disagreement>, AgendaError> {
    let put = put(composition, is_put)?;
    let mut steps = steps(sources.iter().map(|source| &source.agenda).chain([&put]));
    steps.retain_mut(|step| step.values.pop().flatten().is_none());
    let ratios = ratios_of(sources, ratios, tolerance);
    let runs = runs(apart_steps(&steps, &ratios, tolerance), tolerance);
    Ok(runs.iter().filter_map(|run| disagreement(run, sources, composition)).collect())
}

/// What of a composition people put.
fn put(
    composition: &Composition,
    is_put: impl Fn(&str) -> bool,
) -> Result<Agenda<KnownValue>, AgendaError> {
    let pieces = composition.agenda.pieces().iter().filter(|piece| {
        let vintage = composition.vintages.get(piece.value.vintage);
        vintage.is_some_and(|vintage| is_put(&vintage.source))
    });
    let known = |piece: &Piece<Sourced>| Piece {
        span: piece.span,
        value: KnownValue { value: piece.value.value, quality: piece.value.quality },
    };
    Agenda::new(pieces.map(known).collect())
}

/// The ratio of each source: what is usual, where that counts as agreement. `None` where that is not
/// known yet.
pub(super) fn ratios_of(
    sources: &[SourceAgenda],
    ratios: &[UsualRatio],
    tolerance: &AgreementTolerance,
) -> Vec<Option<i64>> {
    let ratio = |source: &SourceAgenda| {
        if !tolerance.usual_ratio {
            return Some(ONE);
        }
        ratios.iter().find(|it| it.source == source.source).map(|it| it.millionths)
    };
    sources.iter().map(ratio).collect()
}

/// The steps in which values of the best quality lie apart, those of sources that have a ratio.
pub(super) fn apart_steps(
    steps: &[CommonStep<KnownValue>],
    ratios: &[Option<i64>],
    tolerance: &AgreementTolerance,
) -> Vec<ApartStep> {
    let apart = |step: &CommonStep<KnownValue>| {
        let ratio = |index: usize| ratios.get(index).copied().flatten();
        let mut said = best(&step.values);
        said.retain(|(index, _)| ratio(*index).is_some());
        let of_first = |&(index, value): &(usize, i64)| {
            let ratio = ratio(index).unwrap_or(ONE).max(1);
            i128::from(value) * i128::from(ONE) / i128::from(ratio)
        };
        let mut compared: Vec<i128> = said.iter().map(of_first).collect();
        compared.sort_unstable();
        let (lowest, highest) = (compared.first()?, compared.last()?);
        let (width, middle) = (highest - lowest, compared[(compared.len() - 1) / 2]);
        (width > tolerance.around(middle)).then_some(ApartStep { span: step.span, said, width })
    };
    steps.iter().filter_map(apart).collect()
}

/// Steps that belong together, where they last long enough.
pub(super) fn runs(apart: Vec<ApartStep>, tolerance: &AgreementTolerance) -> Vec<Vec<ApartStep>> {
    let mut runs: Vec<Vec<ApartStep>> = Vec::new();
    for step in apart {
        let last = runs.last_mut();
        let is_near = |run: &&mut Vec<ApartStep>| {
            run.last().is_some_and(|last| step.span.start() - last.span.end() < JOINED)
        };
        match last.filter(is_near) {
            Some(run) => run.push(step),
            None => runs.push(vec![step]),
        }
    }
    runs.retain(|run| apart_for(run) >= tolerance.least);
    runs
}

/// For how long the sources of a run disagree.
pub(super) fn apart_for(run: &[ApartStep]) -> Seconds {
    Seconds::new(run.iter().map(|step| step.span.length().get()).sum())
}

fn disagreement(
    run: &[ApartStep],
    sources: &[SourceAgenda],
    composition: &Composition,
) -> Option<Disagreement> {
    let span = Span::new(run.first()?.span.start(), run.last()?.span.end())?;
    // Of equally wide ones the earliest.
    let widest = run.iter().rev().max_by_key(|step| step.width)?;
    let is_compared = |index: usize| {
        run.iter().any(|step| step.said.iter().any(|(position, _)| *position == index))
    };
    let compared = sources.iter().enumerate().filter(|(index, _)| is_compared(*index));
    let said = |&(index, value): &(usize, i64)| {
        Some(SourceValue { source: sources.get(index)?.source.clone(), value })
    };
    let values: Vec<SourceValue> = widest.said.iter().filter_map(said).collect();
    let taken = composition.agenda.at(widest.span.start());
    let taken = taken.and_then(|it| {
        let source = composition.vintages.get(it.vintage)?.source.clone();
        let compared = values.iter().find(|value| value.source == source);
        Some(compared.cloned().unwrap_or(SourceValue { source, value: it.value }))
    });
    Some(Disagreement {
        span,
        apart_for: apart_for(run),
        sources: compared.map(|(_, source)| source.source.clone()).collect(),
        widest: widest.span,
        values,
        taken,
    })
}
