//! Reservations whose jobs have all ended.

use crate::time::Timestamp;

/// What is known of all jobs of a reservation together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobsSummary {
    /// How many there are.
    pub jobs: u64,
    /// How many of them wait or run.
    pub lasting: u64,
    /// How many have ended nobody knows when.
    pub unknown_ends: u64,
    /// How many have begun.
    pub begun: u64,
    /// The latest end of those that have ended.
    pub last_end: Option<Timestamp>,
    /// What they have used, node-seconds: the nodes of each, from its start to its end, or to now while it runs.
    /// Jobs that share a node both count.
    pub used_node_seconds: u64,
}

impl JobsSummary {
    /// Since when nothing runs or waits any more: the latest end. `None` where one of them has yet to end, where
    /// one has ended nobody knows when, and where none ever ran, since who has yet to run a job still needs the
    /// nodes.
    pub fn idle_since(&self) -> Option<Timestamp> {
        let is_idle = self.lasting == 0 && self.unknown_ends == 0 && self.begun > 0;
        self.last_end.filter(|_| is_idle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource_manager::worked_example::at;

    fn ended() -> JobsSummary {
        JobsSummary { jobs: 3, begun: 2, last_end: Some(at(180)), ..JobsSummary::default() }
    }

    #[test]
    fn a_reservation_is_idle_since_its_last_job_ended() {
        assert_eq!(ended().idle_since(), Some(at(180)));
    }

    #[test]
    fn a_job_that_lasts_or_ended_nobody_knows_when_still_needs_it() {
        assert_eq!(JobsSummary { lasting: 1, ..ended() }.idle_since(), None);
        assert_eq!(JobsSummary { unknown_ends: 1, ..ended() }.idle_since(), None);
        assert_eq!(JobsSummary { begun: 0, ..ended() }.idle_since(), None, "none ever ran");
        assert_eq!(JobsSummary::default().idle_since(), None);
    }
}
