//! What a source had said by when.

use planner::agenda::{Agenda, AgendaError, Piece};
use planner::time::{Span, Timestamp};

use super::SourceAgenda;
use super::overlay::Overlay;
use crate::feed::KnownValue;

/// What a source said over a span: when each instant came, and what it says now. It is told revision
/// by revision, the newest first, so that no more than the values of the span are kept at a time.
#[derive(Clone, Debug)]
pub struct SourceRecollection {
    source: Box<str>,
    span: Span,
    /// What was said last by the time that an instant came.
    in_time: Overlay<KnownValue>,
    /// What was said first after it had come.
    afterwards: Overlay<KnownValue>,
    /// What is said now.
    now: Overlay<KnownValue>,
}

impl SourceRecollection {
    /// Nothing of a source yet.
    pub fn new(source: &str, span: Span) -> Self {
        let (in_time, afterwards, now) = (Overlay::new(), Overlay::new(), Overlay::new());
        Self { source: source.into(), span, in_time, afterwards, now }
    }

    /// Adds a revision that came before those that were added already.
    pub fn add_older(&mut self, agenda: &Agenda<KnownValue>, received: Timestamp) {
        for piece in agenda.overlapping(self.span) {
            let Some(span) = piece.span.intersection(self.span) else { continue };
            let piece = Piece { span, value: piece.value };
            self.now.fill(piece);
            let ahead = Span::new(span.start().max(received), span.end());
            let past = Span::new(span.start(), span.end().min(received));
            if let Some(span) = ahead {
                self.in_time.fill(Piece { span, ..piece });
            }
            if let Some(span) = past {
                self.afterwards.cover(Piece { span, ..piece });
            }
        }
    }

    /// What the source had said of each instant when it came, else what it said first afterwards; and
    /// what it says now. What it took back counts as not said.
    ///
    /// # Errors
    /// Pieces that overlap, which those of agendas do not.
    pub fn into_said(self) -> Result<(SourceAgenda, Agenda<KnownValue>), AgendaError> {
        let mut said = Overlay::new();
        for known in [self.in_time.into_agenda()?, self.afterwards.into_agenda()?] {
            for piece in known.pieces().iter().filter(|piece| is_said(&piece.value)) {
                said.fill(*piece);
            }
        }
        let said = said.into_agenda()?;
        let now = self.now.into_agenda()?;
        let now = now.pieces().iter().filter(|piece| is_said(&piece.value)).copied().collect();
        Ok((SourceAgenda { source: self.source, agenda: said }, Agenda::new(now)?))
    }
}

fn is_said(value: &KnownValue) -> bool {
    value.value != KnownValue::TAKEN_BACK.value
}
