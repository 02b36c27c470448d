//! Where values of agendas come from: as it is stored beside revisions, and of each piece in force.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use planner::agenda::{AgendaError, Piece, Quality};
use planner::json::basis::BasisDocument;
use planner::json::co2_accounting::Co2AccountingDocument;
use planner::time::Timestamp;
use serde::{Deserialize, Serialize};
use storage::{ProvenPiece, Quantity, RevisionId};

use super::super::rates::RatesError;
use super::Co2Accounting;

/// How a value comes to be in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OriginKind {
    /// Put through the API.
    Put,
    /// By a source that is up to date.
    Fresh,
    /// By a source that is late.
    LastGood,
    /// By the contract, without its supplier.
    Contract,
    /// By a forecast of ours.
    Forecast,
    /// By the site's rule for unknown caps.
    SafeMode,
}

impl OriginKind {
    /// The word in documents.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Put => "put",
            Self::Fresh => "fresh",
            Self::LastGood => "last_good",
            Self::Contract => "contract",
            Self::Forecast => "forecast",
            Self::SafeMode => "safe_mode",
        }
    }
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// Empty for what the site made itself.
    pub source: String,
    /// How the value comes to be in force.
    pub kind: OriginKind,
    /// How well it is known.
    pub quality: Quality,
    /// When the supplier says it was issued.
    pub issued: Option<Timestamp>,
    /// When it was first received.
    pub received: Option<Timestamp>,
    /// Of CO2: how it is counted, where that is known.
    pub co2_accounting: Option<Co2Accounting>,
}

impl Origin {
    /// As stored.
    pub fn record(&self) -> OriginRecord {
        OriginRecord {
            source: self.source.clone(),
            standing: self.kind,
            quality: self.quality.word().to_owned(),
            issued_s: self.issued.map(Timestamp::as_unix_seconds),
            received_s: self.received.map(Timestamp::as_unix_seconds),
        }
    }

    /// As documents show it.
    pub fn document(&self, quantity: Quantity) -> BasisDocument {
        BasisDocument {
            quantity: quantity.word(),
            source: self.source.clone(),
            standing: self.kind.word(),
            quality: self.quality.word(),
            issued_at: self.issued,
            received_at: self.received,
            co2_accounting: self.co2_accounting.map(Co2Accounting::document),
        }
    }
}

/// What is stored beside a composed agenda.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Where values come from.
    pub origins: Vec<OriginRecord>,
    /// In time order: which origin, and the band where there is one.
    pub runs: Vec<Run>,
}

impl Record {
    /// What is known of an instant.
    fn of(
        &self,
        instant: Timestamp,
        counted: Option<Co2Accounting>,
    ) -> Option<(Origin, Option<(i64, i64)>)> {
        let second = instant.as_unix_seconds();
        let index = self.runs.partition_point(|run| run.1 <= second);
        let Run(start, _, origin, band) = *self.runs.get(index)?;
        (start <= second).then_some((self.origins.get(origin)?.origin(counted), band))
    }
}

/// An [`Origin`] as stored.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginRecord {
    source: String,
    standing: OriginKind,
    quality: String,
    issued_s: Option<i64>,
    received_s: Option<i64>,
}

impl OriginRecord {
    fn origin(&self, co2_accounting: Option<Co2Accounting>) -> Origin {
        let instant = |seconds: Option<i64>| seconds.map(Timestamp::from_unix_seconds);
        Origin {
            source: self.source.clone(),
            kind: self.standing,
            quality: Quality::from_word(&self.quality).unwrap_or(Quality::Estimated),
            issued: instant(self.issued_s),
            received: instant(self.received_s),
            co2_accounting,
        }
    }
}

/// A stretch of one origin and band: start and end in seconds, the origin's position, the ends of
/// the band, exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run(pub i64, pub i64, pub usize, pub Option<(i64, i64)>);

/// A piece in force with all that is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownPiece {
    /// When and what, exact.
    pub piece: Piece<i64>,
    /// Where it comes from.
    pub origin: Origin,
    /// Between what it will probably lie, where it is an estimate with a band.
    pub band: Option<(i64, i64)>,
}

/// Why it cannot be told what agendas rest on.
#[derive(Debug, thiserror::Error)]
pub enum ProvenanceError {
    /// What is stored beside a revision cannot be read.
    #[error("what revision {revision} of an agenda rests on cannot be read")]
    Unreadable {
        /// The revision.
        revision: i64,
        /// Why it cannot be read.
        #[source]
        source: serde_json::Error,
    },
    /// Pieces that overlap.
    #[error(transparent)]
    Agenda(#[from] AgendaError),
    /// The end of a band is no price or intensity.
    #[error("the band of an estimate is impossible")]
    Band(#[from] RatesError),
}

/// The pieces with what their revisions say of them.
///
/// # Errors
/// [`ProvenanceError::Unreadable`] where that cannot be read.
pub fn known(proven: &[ProvenPiece]) -> Result<Vec<KnownPiece>, ProvenanceError> {
    let mut records: HashMap<RevisionId, Option<Record>> = HashMap::new();
    for ProvenPiece { revision, .. } in proven {
        if let Entry::Vacant(place) = records.entry(revision.revision.id) {
            let text = revision.provenance.as_deref();
            let read = text.map(serde_json::from_str).transpose().map_err(|source| {
                ProvenanceError::Unreadable { revision: revision.revision.id.get(), source }
            })?;
            place.insert(read);
        }
    }
    let known = |proven: &ProvenPiece| {
        let (piece, revision) = (proven.piece, &proven.revision.revision);
        let record = records.get(&revision.id).and_then(Option::as_ref);
        let counted = Co2Accounting::of_words(revision.quantity, &revision.meta.kind);
        let (origin, band) =
            record.and_then(|record| record.of(piece.span.start(), counted)).unwrap_or_else(|| {
                let quality = Quality::from_word(&revision.meta.quality);
                let origin = Origin {
                    source: revision.meta.source.clone(),
                    kind: OriginKind::Put,
                    quality: quality.unwrap_or(Quality::Estimated),
                    issued: revision.meta.issued,
                    received: Some(revision.received),
                    co2_accounting: counted,
                };
                (origin, None)
            });
        KnownPiece { piece, origin, band }
    };
    Ok(proven.iter().map(known).collect())
}

/// How all of these pieces are counted; `None` where that is not known of one, or two differ.
pub fn common_accounting(known: &[KnownPiece]) -> Option<Co2AccountingDocument> {
    let mut all: Vec<_> = known.iter().map(|it| it.origin.co2_accounting).collect();
    all.dedup();
    let all: Vec<_> = all.into_iter().map(|it| it.map(Co2Accounting::document)).collect();
    Co2AccountingDocument::common(all.iter().map(Option::as_ref))
}
