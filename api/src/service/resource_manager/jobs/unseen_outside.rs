//! Jobs outside of our reservations that came and went while nobody looked are asked of the resource manager's accounting.

use planner::resource_manager::ManagedJob;
use planner::time::{Seconds, Span, Timestamp};

use crate::service::resource_manager::turn::Turn;
use crate::service::resource_manager::{ResourceManagerService, TurnError};

/// So much time is asked about at once, by the clock.
const SLICE: Seconds = Seconds::new(900);

/// The accounting is told of the end of a job so much later at the most.
const TOLD_AFTER: Seconds = Seconds::new(60);

impl ResourceManagerService {
    /// Asks for the jobs outside of reservations that may have run unseen, by so many questions at the most; how many are
    /// left.
    pub(super) async fn ask_for_unseen_outside(
        &self,
        turn: &Turn<'_>,
        questions: u16,
    ) -> Result<u16, TurnError> {
        let index = turn.state.cluster.nodes.index();
        let is_ours = |job: &ManagedJob| job.nodes.iter().any(|it| index.ordinal(it).is_some());
        let mut left = questions;
        while left > 0 {
            let unseen = self.shared.database.unseen_outside().await?;
            let Some(slice) = unseen.and_then(|unseen| next_slice(unseen, turn.now)) else { break };
            left -= 1;
            let mut ended = turn.ports.manager.ended_jobs_during(slice).await?;
            ended.retain(is_ours);
            self.shared.database.put_unseen_outside(&ended, slice).await?;
        }
        Ok(left)
    }
}

/// The first slice of a span, once the accounting knows of it.
fn next_slice(unseen: Span, now: Timestamp) -> Option<Span> {
    let end = (unseen.start() + Seconds::new(1)).ceil_to(SLICE).min(unseen.end());
    Span::new(unseen.start(), end).filter(|slice| now >= slice.end() + TOLD_AFTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: i64, end: i64) -> Span {
        let [start, end] = [start, end].map(Timestamp::from_unix_seconds);
        Span::new(start, end).unwrap()
    }

    /// From 1000 to 2000: 1000 to 1800, which is the next quarter of an hour, and 1800 to 2000.
    #[test]
    fn time_is_asked_about_by_quarter_hours_a_minute_later() {
        let next = |start, now| next_slice(span(start, 2000), Timestamp::from_unix_seconds(now));
        assert_eq!(next(1000, 2059), Some(span(1000, 1800)));
        assert_eq!(next(1000, 1859), None);
        assert_eq!([2059, 2060].map(|now| next(1800, now)), [None, Some(span(1800, 2000))]);
    }
}
