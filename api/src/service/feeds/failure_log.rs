//! What the log says of a source that fails: a warning once it does and whenever it fails otherwise,
//! then now and again, and a word once it answers again.

use grid_feeds::feed::FeedError;
use planner::time::{Seconds, Timestamp};

use super::answer::class;

/// A source that goes on failing alike is told of so often.
const TOLD_AGAIN: Seconds = Seconds::new(6 * 3600);

/// What was last told of a source that fails; `None` while it answers.
#[derive(Debug, Default)]
pub(super) struct FailureLog(Option<Failing>);

#[derive(Debug)]
struct Failing {
    class: &'static str,
    since: Timestamp,
    told: Timestamp,
    polls: u32,
}

impl FailureLog {
    /// Notes that a poll failed.
    pub fn failed(&mut self, feed: &str, error: &FeedError, now: Timestamp) {
        let class = class(error);
        let is_first = self.0.is_none();
        let failing = self.0.get_or_insert(Failing { class, since: now, told: now, polls: 0 });
        failing.polls = failing.polls.saturating_add(1);
        let (since, polls) = (failing.since, failing.polls);
        let is_news = is_first || failing.class != class || now - failing.told >= TOLD_AGAIN;
        if is_news {
            (failing.class, failing.told) = (class, now);
            tracing::warn!(feed, class, %error, %since, polls, "a poll failed");
        } else {
            tracing::debug!(feed, class, %error, %since, polls, "a poll failed");
        }
    }

    /// Notes that a poll went well.
    pub fn answered(&mut self, feed: &str, now: Timestamp) {
        if let Some(Failing { since, polls, .. }) = self.0.take() {
            let after_s = (now - since).get();
            tracing::info!(feed, %since, after_s, polls, "answers again after failed polls");
        }
    }
}
