//! Reading the traces of an application, and whether all of its ranks come to their ends.

use std::sync::Arc;

use super::action::{Action, ActionReader};
use super::application::ApplicationTrace;
use super::ranks::Ranks;

/// Ranks of an application, at most.
pub const MOST_RANKS: usize = 100_000;

/// Ranks each of which may send to each other, at most: so many messages are under way at once.
pub const MOST_AMONG_ALL: u32 = 2_000;

/// Why traces cannot be replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApplicationTraceError {
    /// There is no rank, or there are too many.
    #[error("it has {0} ranks, and may have 1 to {MOST_RANKS}")]
    Ranks(usize),
    /// A line is no action.
    #[error("rank {rank}, line {line}: {what}")]
    Line {
        /// Whose trace it is.
        rank: u32,
        /// The line, from 1.
        line: u32,
        /// What is wrong with it.
        what: String,
    },
    /// Too many ranks send to each other at once.
    #[error(
        "rank {rank}, line {line}: each of {ranks} ranks sends to each other there, and {MOST_AMONG_ALL} may at most"
    )]
    AmongAll {
        /// Whose trace it is.
        rank: u32,
        /// The line, from 1.
        line: u32,
        /// How many there are.
        ranks: u32,
    },
    /// Ranks wait for each other.
    #[error(
        "rank {rank} never comes beyond line {line} of its trace, since no other rank sends or receives what it waits for there"
    )]
    Stuck {
        /// One that waits.
        rank: u32,
        /// The line, from 1.
        line: u32,
    },
}

/// Reads the text of each rank's trace, the first rank's first, and checks that all come to their ends.
///
/// # Errors
/// The first line that is no action; ranks that wait for each other.
pub fn read_application<'a>(
    texts: impl ExactSizeIterator<Item = &'a str>,
) -> Result<Arc<ApplicationTrace>, ApplicationTraceError> {
    let count = texts.len();
    let ranks = u32::try_from(count).ok().filter(|_| (1..=MOST_RANKS).contains(&count));
    let ranks = ranks.ok_or(ApplicationTraceError::Ranks(count))?;
    let traces = (0..).zip(texts).map(|(rank, text)| read_rank(rank, ranks, text));
    let application = Arc::new(ApplicationTrace::of(traces.collect::<Result<_, _>>()?));
    if let Some((rank, line)) = application.first_among_all().filter(|_| ranks > MOST_AMONG_ALL) {
        return Err(ApplicationTraceError::AmongAll { rank, line, ranks });
    }
    check(&application)?;
    Ok(application)
}

fn read_rank(
    rank: u32,
    ranks: u32,
    text: &str,
) -> Result<Vec<(u32, Action)>, ApplicationTraceError> {
    let mut reader = ActionReader::of(rank, ranks);
    let mut actions = Vec::new();
    for (line, written) in (1..).zip(text.lines()) {
        let read = reader.read(written);
        let read = read.map_err(|what| ApplicationTraceError::Line { rank, line, what })?;
        actions.extend(read.map(|action| (line, action)));
    }
    Ok(actions)
}

/// Checks that all ranks come to their ends where nothing takes any time.
fn check(application: &Arc<ApplicationTrace>) -> Result<(), ApplicationTraceError> {
    let mut ranks = Ranks::of(Arc::clone(application));
    loop {
        let begun = ranks.go_on();
        if begun.is_empty() {
            break;
        }
        for order in begun {
            ranks.ended(order.of);
        }
    }
    let Some((rank, place)) = ranks.stuck() else { return Ok(()) };
    let line = application.line(rank, place);
    Err(ApplicationTraceError::Stuck { rank, line })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(traces: &[&str]) -> String {
        read_application(traces.iter().copied()).unwrap_err().to_string()
    }

    /// Large messages hold up their senders, so that two who both send first wait for ever; small ones do not.
    #[test]
    fn ranks_that_wait_for_each_other_are_told() {
        let both = |size: u32| {
            let of = |rank, other| {
                format!("{rank} init\n{rank} send {other} 0 {size}\n{rank} recv {other} 0 {size}\n")
            };
            [of(0, 1), of(1, 0)]
        };
        let small = both(65_535);
        assert!(read_application(small.iter().map(String::as_str)).is_ok());
        let expected = "rank 0 never comes beyond line 2 of its trace, since no other rank sends or receives what it \
                        waits for there";
        assert_eq!(wrong(&both(65_536).each_ref().map(String::as_str)), expected);
    }

    #[test]
    fn the_place_of_what_is_wrong_is_told() {
        let expected = "rank 1, line 2: it lacks operations";
        assert_eq!(wrong(&["0 compute 1", "# none\n1 compute"]), expected);
        assert_eq!(wrong(&[]), "it has 0 ranks, and may have 1 to 100000");
        let many: Vec<String> = (0..2_001).map(|rank| format!("{rank} alltoall 1 1")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let expected =
            "rank 0, line 1: each of 2001 ranks sends to each other there, and 2000 may at most";
        assert_eq!(wrong(&many), expected);
    }
}
