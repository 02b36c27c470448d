//! What all feeds have in common: the three roles, what a fetch asks for and what it returns.
//!
//! Values are exact integers in the unit of their [`Kind`]: millionths of the currency per MWh,
//! millionths of a gram per kWh, microwatts. Spans without a value are gaps; a missing value is
//! never zero.

mod assemble;
mod doubt;
mod error;
mod identity;
mod instant;
mod kind;
mod number;
mod scrub;
mod secret;
mod spans;

use std::future::Future;
use std::pin::Pin;

use planner::agenda::{Agenda, AgendaError, Piece};
use planner::time::{Span, Timestamp};

pub(crate) use assemble::{Reading, assemble};
pub use doubt::Doubt;
pub use error::{FeedError, RetryClass};
pub(crate) use identity::Identity;
pub(crate) use instant::{instant, instant_to_second};
pub use kind::{Accounting, Factors, Kind, Quantity};
pub(crate) use number::{Number, decimal, millionths, nearest_millionths, ratio};
pub use planner::agenda::Quality;
pub(crate) use scrub::beginning;
pub use scrub::{excerpt, scrub};
pub use secret::{Secret, SecretError, SecretSource};

/// Of a revision, so many notes are kept.
const MOST_NOTES: usize = 40;

/// A value of a piece and how well it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownValue {
    /// In the exact unit of the agenda's [`Kind`].
    pub value: i64,
    /// How well the value is known.
    pub quality: Quality,
}

impl KnownValue {
    /// No value: over this span a source takes back what it said before. No value is so low.
    pub const TAKEN_BACK: Self = Self { value: i64::MIN, quality: Quality::Measured };
}

/// A value that is not known, between two that it will hardly leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// The expectation, in the exact unit of the agenda's [`Kind`].
    pub value: i64,
    /// The lower end of the error band.
    pub low: i64,
    /// The upper end.
    pub high: i64,
}

/// What a payload says: an agenda with its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// The quantity and its unit.
    pub kind: Kind,
    /// When the supplier says it was issued; `None` where it does not say.
    pub issued_at: Option<Timestamp>,
    /// The pieces, sorted, without overlap; gaps are gaps of the payload.
    pub agenda: Agenda<KnownValue>,
    /// What was resolved or left out, in words.
    pub notes: Vec<String>,
}

/// A series with its origin: what is kept, revision by revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// The name of the source in the configuration.
    pub source: Box<str>,
    /// The bidding zone, region or site, in the supplier's spelling.
    pub zone: Box<str>,
    /// What it says.
    pub series: Series,
    /// What of the answer could not be read.
    pub doubt: Doubt,
    /// To ask the next time whether anything changed.
    pub validator: Option<Validator>,
}

/// What identifies a state of a remote document: an entity tag, a date or the state of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validator(pub Box<str>);

/// What a fetch asks for.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The time of asking.
    pub now: Timestamp,
    /// The span wanted; a supplier may return less or more.
    pub window: Span,
    /// From the last revision, to hear [`Fetched::Unchanged`] instead of the same again.
    pub validator: Option<&'a Validator>,
}

/// What a fetch returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fetched {
    /// Nothing changed since the revision whose validator was sent.
    Unchanged,
    /// What the supplier says now.
    Revision(Box<Revision>),
}

/// A fetch under way.
pub type Fetching<'a> = Pin<Box<dyn Future<Output = Result<Fetched, FeedError>> + Send + 'a>>;

/// A source of prices.
pub trait PriceFeed: Send + Sync {
    /// Asks for prices of energy.
    fn prices<'a>(&'a self, query: Query<'a>) -> Fetching<'a>;
}

/// A source of CO2 intensities.
pub trait CarbonFeed: Send + Sync {
    /// Asks for the CO2 intensity of energy.
    fn intensities<'a>(&'a self, query: Query<'a>) -> Fetching<'a>;
}

/// A source of power caps.
pub trait PowerCapFeed: Send + Sync {
    /// Asks for the cap of the site's power.
    fn power_caps<'a>(&'a self, query: Query<'a>) -> Fetching<'a>;
}

/// A feed in the role it was configured for.
pub enum Role {
    /// Prices.
    Price(Box<dyn PriceFeed>),
    /// CO2 intensities.
    Carbon(Box<dyn CarbonFeed>),
    /// Power caps.
    PowerCap(Box<dyn PowerCapFeed>),
}

impl Role {
    /// The quantity that the feed tells.
    pub const fn quantity(&self) -> Quantity {
        match self {
            Self::Price(_) => Quantity::Price,
            Self::Carbon(_) => Quantity::Co2,
            Self::PowerCap(_) => Quantity::PowerCap,
        }
    }

    /// Asks the feed. No text of the answer, nor of an error, shows a secret.
    ///
    /// # Errors
    /// Says by [`FeedError::retry`] when to ask again.
    pub async fn fetch(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let fetched = match self {
            Self::Price(feed) => feed.prices(query).await,
            Self::Carbon(feed) => feed.intensities(query).await,
            Self::PowerCap(feed) => feed.power_caps(query).await,
        };
        match fetched {
            Ok(Fetched::Revision(revision)) => Ok(Fetched::Revision(Box::new(revision.scrubbed()))),
            Ok(Fetched::Unchanged) => Ok(Fetched::Unchanged),
            Err(error) => Err(error.scrubbed()),
        }
    }
}

impl std::fmt::Debug for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Role").field(&self.quantity()).finish()
    }
}

impl Revision {
    /// Without secrets in what is told of it, and with notes that are short: suppliers repeat what
    /// they were sent.
    fn scrubbed(mut self) -> Self {
        let notes = &mut self.series.notes;
        let more = notes.len().saturating_sub(MOST_NOTES);
        notes.truncate(MOST_NOTES);
        for note in notes.iter_mut() {
            *note = excerpt(note);
        }
        notes.extend((more > 0).then(|| format!("and {more} more notes")));
        for words in &mut self.doubt.words {
            *words = scrub(words);
        }
        // What has a secret in it is not kept to be sent again.
        self.validator = self.validator.filter(|it| scrub(&it.0) == *it.0);
        self
    }
}

impl Series {
    /// A revision of this series.
    pub(crate) fn into_fetched(
        self,
        source: &str,
        zone: &str,
        validator: Option<Validator>,
    ) -> Fetched {
        let (source, zone) = (source.into(), zone.into());
        let doubt = Doubt::default();
        Fetched::Revision(Box::new(Revision { source, zone, series: self, doubt, validator }))
    }

    /// From the first start to the last end; `None` without pieces.
    pub fn span(&self) -> Option<Span> {
        let (first, last) = (self.agenda.pieces().first()?, self.agenda.pieces().last()?);
        Span::new(first.span.start(), last.span.end())
    }

    /// Takes back what `held` says from `from` on and this series does not; the spans. For sources
    /// that always say all there is.
    ///
    /// # Errors
    /// Pieces that overlap, which those of an [`Agenda`] do not.
    pub fn take_back(
        &mut self,
        held: &Agenda<KnownValue>,
        from: Timestamp,
    ) -> Result<Vec<Span>, AgendaError> {
        let mut gone: Vec<Span> = Vec::new();
        for piece in held.pieces() {
            let end = piece.span.end();
            let mut start = piece.span.start().max(from);
            let Some(ahead) = Span::new(start, end) else { continue };
            for said in self.agenda.overlapping(ahead) {
                gone.extend(Span::new(start, said.span.start()));
                start = said.span.end();
            }
            gone.extend(Span::new(start, end));
        }
        gone.dedup_by(|next, last| {
            let touches = last.end() == next.start();
            if let Some(both) = Span::new(last.start(), next.end()).filter(|_| touches) {
                *last = both;
            }
            touches
        });
        let mut pieces = self.agenda.pieces().to_vec();
        pieces.extend(gone.iter().map(|&span| Piece { span, value: KnownValue::TAKEN_BACK }));
        pieces.sort_unstable_by_key(|piece| piece.span);
        self.agenda = Agenda::new(pieces)?;
        Ok(gone)
    }

    /// Whether it says anything that `held` does not: another value or quality, or a value where
    /// there was none. What it leaves out is no news.
    pub fn is_news(&self, held: &Agenda<KnownValue>) -> bool {
        self.agenda.pieces().iter().any(|piece| {
            let same = |before: &Piece<KnownValue>| before.value == piece.value;
            !held.covers(piece.span) || !held.overlapping(piece.span).iter().all(same)
        })
    }
}

#[cfg(test)]
mod tests {
    use planner::quantity::Currency;

    use super::*;

    fn series(pieces: &[(i64, i64, i64)]) -> Series {
        let at = Timestamp::from_unix_seconds;
        let piece = |&(start, end, value): &(i64, i64, i64)| Piece {
            span: Span::new(at(start), at(end)).unwrap(),
            value: KnownValue { value, quality: Quality::Measured },
        };
        let agenda = Agenda::new(pieces.iter().map(piece).collect()).unwrap();
        let kind = Kind::Price { currency: Currency::EUR };
        Series { kind, issued_at: None, agenda, notes: Vec::new() }
    }

    #[test]
    fn neither_notes_nor_doubts_tell_a_secret() {
        let secret = Secret::granted("t0ken-in-a-doubt");
        let words = format!("event 5: \"{}\" is no unit of power", secret.expose());
        let doubt = Doubt { words: vec![words.clone()], spans: Vec::new() };
        let series = Series { notes: vec![words], ..series(&[(0, 10, 1)]) };
        let (source, zone) = ("a".into(), "FR".into());
        let told = Revision { source, zone, series, doubt, validator: None }.scrubbed();
        let without = "event 5: \"***\" is no unit of power";
        assert_eq!((&*told.series.notes[0], &*told.doubt.words[0]), (without, without));
    }

    #[test]
    fn what_is_not_said_any_more_is_taken_back_from_now_on() {
        let at = Timestamp::from_unix_seconds;
        let gone = |held: &[(i64, i64, i64)], said: &[(i64, i64, i64)], now: i64| {
            let mut new = series(said);
            let gone = new.take_back(&series(held).agenda, at(now)).unwrap();
            let back = |piece: &&Piece<KnownValue>| piece.value == KnownValue::TAKEN_BACK;
            let written: Vec<Span> =
                new.agenda.pieces().iter().filter(back).map(|piece| piece.span).collect();
            assert_eq!(written, gone);
            gone.iter()
                .map(|span| (span.start().as_unix_seconds(), span.end().as_unix_seconds()))
                .collect::<Vec<_>>()
        };
        let held = [(0, 10, 1), (10, 20, 2), (30, 40, 3)];
        assert_eq!(gone(&held, &held, 0), []);
        assert_eq!(gone(&held, &[], 0), [(0, 20), (30, 40)]);
        assert_eq!(gone(&held, &[], 15), [(15, 20), (30, 40)], "the past stays");
        assert_eq!(gone(&held, &[(5, 12, 9), (35, 50, 9)], 0), [(0, 5), (12, 20), (30, 35)]);
        assert_eq!(gone(&[], &held, 0), []);
    }

    #[test]
    fn the_same_values_in_other_pieces_are_no_news() {
        let held = series(&[(0, 60, 5), (60, 120, 5), (120, 180, 7)]).agenda;
        assert!(!series(&[(0, 120, 5)]).is_news(&held));
        assert!(!series(&[(120, 150, 7)]).is_news(&held));
        assert!(series(&[(60, 180, 5)]).is_news(&held), "another value");
        assert!(series(&[(120, 200, 7)]).is_news(&held), "a value where there was none");
        assert!(!series(&[]).is_news(&held));
    }
}
