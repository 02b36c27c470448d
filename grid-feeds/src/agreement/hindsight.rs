//! Who was right, now that it is known.

use planner::agenda::{Agenda, AgendaError, Piece};
use planner::time::{Seconds, Span};

use super::disagreement::{ApartStep, apart_for, apart_steps, ratios_of, runs};
use super::level::levelled;
use super::overlay::Overlay;
use super::{AgreementTolerance, ONE, SourceAgenda, SourceRecollection, usual_ratios};
use crate::beside::{CommonStep, steps};
use crate::feed::{KnownValue, Quality};

/// How a source did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRecord {
    /// Its name.
    pub source: Box<str>,
    /// How long it is known what came true of what it had said, beside another source that had said
    /// something too.
    pub judged: Seconds,
    /// For how long of that it is this source that says what came true: it errs there only by what
    /// it corrected.
    pub referee: Seconds,
    /// The mean of what it had said less what came true, in the exact unit.
    pub bias: Option<i64>,
    /// The mean of the absolute error.
    pub mean_error: Option<i64>,
    /// In how many disagreements it was compared.
    pub disagreements: usize,
    /// In how many of them it was nearest to what came true; where several were equally near, each
    /// counts. Each goes by its mean absolute error over the steps in which it was compared, which need
    /// not be those of the others.
    pub nearest: usize,
    /// The mean of its absolute error while sources disagreed.
    pub apart_error: Option<i64>,
    /// What it usually said of what the first source said, in millionths, where that counts as
    /// agreement; 1 where that is not known.
    pub usual_ratio: i64,
}

/// How the sources of a quantity did over a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgreementReport {
    /// The span.
    pub span: Span,
    /// For how long of it two sources or more had said something and it is known what came true.
    pub judged: Seconds,
    /// How often they disagreed in that time.
    pub disagreements: usize,
    /// For how long.
    pub apart: Seconds,
    /// In the order of the chain.
    pub sources: Vec<SourceRecord>,
}

/// Errors, added up over time.
#[derive(Clone, Copy, Debug, Default)]
struct ErrorSum {
    seconds: i64,
    signed: i128,
    absolute: i128,
}

/// What came true over a step, and what was said of it.
struct JudgedStep {
    truth: i64,
    /// The position of the source that says what came true.
    referee: usize,
    values: Vec<Option<KnownValue>>,
    span: Span,
}

impl ErrorSum {
    fn add(&mut self, error: i128, seconds: i64) {
        self.seconds += seconds;
        self.signed += error * i128::from(seconds);
        self.absolute += error.abs() * i128::from(seconds);
    }

    fn bias(&self) -> Option<i64> {
        nearest(self.signed, self.seconds)
    }

    fn mean(&self) -> Option<i64> {
        nearest(self.absolute, self.seconds)
    }
}

/// The quotient, to the nearest integer; `None` of nothing.
fn nearest(sum: i128, seconds: i64) -> Option<i64> {
    crate::feed::ratio(sum, seconds.into())
}

/// How sources did whose recollections these are, in the order of the chain. What came true is what the
/// first of them says now that says it is measured.
///
/// # Errors
/// Pieces that overlap, which those of agendas do not.
pub fn judged(
    span: Span,
    recollections: Vec<SourceRecollection>,
    tolerance: &AgreementTolerance,
) -> Result<AgreementReport, AgendaError> {
    let (mut said, mut now) = (Vec::new(), Vec::new());
    for recollection in recollections {
        let (of_source, latest) = recollection.into_said()?;
        said.push(of_source);
        now.push(latest);
    }
    let (truth, referees) = truth(&now)?;
    let truth = level(&mut said, truth)?;
    // Over too short a span nothing is usual.
    let ratios = ratios_of(&said, &usual_ratios(&said), tolerance);
    let ratios: Vec<i64> = ratios.into_iter().map(|it| it.unwrap_or(ONE)).collect();
    let judged = judged_steps(&said, &truth, &referees);
    let mut report = report(span, &said, &judged, &ratios);
    let compared =
        judged.iter().map(|step| CommonStep { span: step.span, values: step.values.clone() });
    let compared: Vec<_> = compared.collect();
    let ratios: Vec<Option<i64>> = ratios.into_iter().map(Some).collect();
    let apart = apart_steps(&compared, &ratios, tolerance);
    let runs = runs(apart, tolerance);
    let mut apart_errors = vec![ErrorSum::default(); said.len()];
    for run in &runs {
        let errors = errors_in(run, &judged, said.len());
        note_nearest(&errors, &mut report.sources);
        for (all, of_run) in apart_errors.iter_mut().zip(&errors) {
            all.seconds += of_run.seconds;
            all.absolute += of_run.absolute;
        }
    }
    for (record, errors) in report.sources.iter_mut().zip(&apart_errors) {
        record.apart_error = errors.mean();
    }
    report.disagreements = runs.len();
    report.apart = Seconds::new(runs.iter().map(|run| apart_for(run).get()).sum());
    Ok(report)
}

/// Makes what was said and what came true comparable.
fn level(
    said: &mut [SourceAgenda],
    truth: Agenda<KnownValue>,
) -> Result<Agenda<KnownValue>, AgendaError> {
    let mut all: Vec<Agenda<KnownValue>> = said.iter().map(|it| it.agenda.clone()).collect();
    all.push(truth);
    let mut all = levelled(&all)?;
    let truth = all.pop();
    for (source, agenda) in said.iter_mut().zip(all) {
        source.agenda = agenda;
    }
    truth.map_or_else(|| Agenda::new(Vec::new()), Ok)
}

/// What came true, and the position of the source that says so.
fn truth(now: &[Agenda<KnownValue>]) -> Result<(Agenda<KnownValue>, Agenda<usize>), AgendaError> {
    let (mut values, mut referees) = (Overlay::new(), Overlay::new());
    for (index, agenda) in now.iter().enumerate() {
        let pieces = agenda.pieces().iter();
        for piece in pieces.filter(|piece| piece.value.quality == Quality::Measured) {
            values.fill(*piece);
            referees.fill(Piece { span: piece.span, value: index });
        }
    }
    Ok((values.into_agenda()?, referees.into_agenda()?))
}

/// The steps of which it is known what came true and two sources or more had said something.
fn judged_steps(
    said: &[SourceAgenda],
    truth: &Agenda<KnownValue>,
    referees: &Agenda<usize>,
) -> Vec<JudgedStep> {
    let all = said.iter().map(|source| &source.agenda).chain([truth]);
    let judged = steps(all).into_iter().filter_map(|step| {
        let mut values = step.values;
        let truth = values.pop()??.value;
        values.iter().flatten().nth(1)?;
        let referee = referees.at(step.span.start())?;
        Some(JudgedStep { truth, referee, values, span: step.span })
    });
    judged.collect()
}

/// Errors over all that is judged; of disagreements nothing yet.
fn report(
    span: Span,
    said: &[SourceAgenda],
    judged: &[JudgedStep],
    ratios: &[i64],
) -> AgreementReport {
    let record = |(index, (source, &usual_ratio)): (usize, (&SourceAgenda, &i64))| {
        let (mut errors, mut referee) = (ErrorSum::default(), 0);
        for step in judged {
            let Some(Some(value)) = step.values.get(index) else { continue };
            let seconds = step.span.length().get();
            errors.add(i128::from(value.value) - i128::from(step.truth), seconds);
            referee += if step.referee == index { seconds } else { 0 };
        }
        SourceRecord {
            source: source.source.clone(),
            judged: Seconds::new(errors.seconds),
            referee: Seconds::new(referee),
            bias: errors.bias(),
            mean_error: errors.mean(),
            disagreements: 0,
            nearest: 0,
            apart_error: None,
            usual_ratio,
        }
    };
    AgreementReport {
        span,
        judged: Seconds::new(judged.iter().map(|step| step.span.length().get()).sum()),
        disagreements: 0,
        apart: Seconds::new(0),
        sources: said.iter().zip(ratios).enumerate().map(record).collect(),
    }
}

/// The errors of each source in a disagreement, where it was compared.
fn errors_in(run: &[ApartStep], judged: &[JudgedStep], sources: usize) -> Vec<ErrorSum> {
    let mut errors = vec![ErrorSum::default(); sources];
    for step in run {
        let at = judged.partition_point(|it| it.span.start() < step.span.start());
        let Some(truth) = judged.get(at).map(|it| it.truth) else { continue };
        for &(index, value) in &step.said {
            let error = i128::from(value) - i128::from(truth);
            errors[index].add(error, step.span.length().get());
        }
    }
    errors
}

/// Counts a disagreement for each source that was compared, and for those that were nearest.
fn note_nearest(errors: &[ErrorSum], records: &mut [SourceRecord]) {
    let least = errors.iter().filter_map(ErrorSum::mean).min();
    for (record, errors) in records.iter_mut().zip(errors) {
        let Some(mean) = errors.mean() else { continue };
        record.disagreements += 1;
        record.nearest += usize::from(Some(mean) == least);
    }
}
