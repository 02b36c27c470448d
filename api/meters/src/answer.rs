//! What a meter said.

use std::collections::{BTreeMap, BTreeSet};

use grid_feeds::feed::{FeedError, scrub};
use planner::metering::Sample;

/// No more notes are kept of an answer.
const MOST_NOTES: usize = 8;

/// What a meter said of a node, rack or site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeriesSamples {
    /// Its name, as the meter has it.
    pub name: Box<str>,
    /// By time, none twice.
    pub samples: Vec<Sample>,
}

/// What a meter answered, and what of it could not be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// What it said; an answer that was put together of several may have a name more than once, earlier times first.
    pub series: Vec<SeriesSamples>,
    /// What was left out and why, the first few.
    pub notes: BTreeSet<String>,
}

impl Answer {
    /// Notes what was left out, and why.
    pub(crate) fn note(&mut self, note: String) {
        if self.notes.len() < MOST_NOTES {
            self.notes.insert(note);
        }
    }

    /// What another answer said, too.
    pub(crate) fn extend(&mut self, other: Self) {
        self.series.extend(other.series);
        other.notes.into_iter().for_each(|note| self.note(note));
    }

    /// How many samples there are.
    pub fn count(&self) -> usize {
        self.series.iter().map(|it| it.samples.len()).sum()
    }
}

/// An answer of what each node told; failures that read alike are one note.
///
/// # Errors
/// Where no node told anything: why the first by name did not.
pub(crate) fn gathered(told: Vec<(&str, Result<Sample, FeedError>)>) -> Result<Answer, FeedError> {
    let (mut answer, mut first) = (Answer::default(), None::<(&str, FeedError)>);
    let mut failures: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (node, told) in told {
        match told {
            Ok(sample) => {
                answer.series.push(SeriesSamples { name: node.into(), samples: vec![sample] });
            }
            Err(error) => {
                failures.entry(scrub(&error.to_string())).or_default().push(node);
                if first.as_ref().is_none_or(|(other, _)| node < *other) {
                    first = Some((node, error));
                }
            }
        }
    }
    if let Some((_, error)) = first.filter(|_| answer.series.is_empty()) {
        return Err(error);
    }
    answer.series.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    for (words, mut nodes) in failures {
        nodes.sort_unstable();
        answer.note(match nodes.as_slice() {
            [node] => format!("{node}: {words}"),
            [node, ..] => format!("{} nodes, such as {node}: {words}", nodes.len()),
            [] => words,
        });
    }
    Ok(answer)
}
