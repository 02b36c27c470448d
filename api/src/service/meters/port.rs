//! What the service needs of a meter that is asked, whichever it is.

use std::collections::BTreeSet;
use std::pin::Pin;

use grid_feeds::feed::FeedError;
use planner::metering::{Sample, SampleTime};
use planner::time::{Seconds, Span};

/// The answer to a question, once it is there.
pub(super) type Answer<'a> = Pin<Box<dyn Future<Output = Result<Told, FeedError>> + Send + 'a>>;

/// A meter that is asked. Who is dropped before it has answered has changed nothing.
pub(super) trait PolledMeter: Send + Sync {
    /// The longest span that it may be asked for at once; `None` where it only tells what is now.
    fn longest(&self) -> Option<Seconds> {
        None
    }

    /// What it tells.
    fn ask<'a>(&'a self, question: Question<'a>) -> Answer<'a>;
}

/// What a meter is asked.
#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    /// Of which time, where it has a history.
    pub span: Span,
    /// The nodes, where each is asked by itself.
    pub nodes: &'a [String],
    /// The instant now, whenever it is asked for.
    pub clock: &'a (dyn Fn() -> SampleTime + Sync),
}

/// What a meter told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// Names as the meter has them, with samples by time; a name may come more than once.
    pub series: Vec<(Box<str>, Vec<Sample>)>,
    /// What could not be used, in words.
    pub notes: BTreeSet<String>,
}

impl Told {
    /// How many samples there are.
    pub fn count(&self) -> usize {
        self.series.iter().map(|(_, samples)| samples.len()).sum()
    }
}
