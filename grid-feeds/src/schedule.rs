//! When to ask a source next: a state machine of virtual time, outcomes and an injected generator.
//!
//! A source is asked at its publication times, and from then on until what it publishes is there: often
//! at first, then ever more seldom, and for half a day. Else it is asked at its usual pace. Failures
//! wait ever longer, with jitter, and as long as the supplier asks for. Requests stay inside a budget. After a downtime sources are asked one after
//! another, spread over a while, rather than all at once.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use jiff::civil::{Date, Time};
use planner::time::{Seconds, Timestamp};
use rand::Rng;

use crate::feed::RetryClass;
use crate::local_time::LocalTime;

/// What a publication should have brought is awaited for so long.
const AWAITED_FOR: Seconds = Seconds::new(12 * 3600);

/// While something is awaited, this part of the time since its publication passes between polls ...
const AWAITED_PART: i64 = 12;

/// ... but no more than so many times the shortest pause.
const AWAITED_LONGEST: i64 = 6;

/// How a source publishes and how it may be asked.
#[derive(Clone, Debug, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rhythm {
    /// The zone of the publication times.
    pub time_zone: String,
    /// Times of the clock, such as `12:55`, from which something new is awaited every day.
    pub publications: Vec<String>,
    /// Seconds between polls while nothing is awaited.
    pub poll_every_s: u32,
    /// Seconds between polls while something is awaited; later on a twelfth of the time since the
    /// publication, up to six times as many.
    pub poll_awaited_every_s: u32,
    /// Seconds to wait after a first failure; each further one doubles it.
    pub backoff_first_s: u32,
    /// Seconds to wait at the most after failures.
    pub backoff_longest_s: u32,
    /// Seconds to wait after a first refusal; each further one doubles it.
    pub refused_first_s: u32,
    /// Seconds to wait at the most after refusals, which somebody may have to mend.
    pub refused_s: u32,
    /// Seconds over which first polls are spread after a start.
    pub catch_up_s: u32,
    /// Requests ...
    pub budget_requests: u32,
    /// ... that may be made in so many seconds.
    pub budget_per_s: u32,
}

impl Default for Rhythm {
    /// Every 15 minutes; a minute after a failure, doubled up to an hour; five minutes after a
    /// refusal, doubled up to two hours; 30 requests a minute.
    fn default() -> Self {
        Self {
            time_zone: "UTC".to_owned(),
            publications: Vec::new(),
            poll_every_s: 900,
            poll_awaited_every_s: 300,
            backoff_first_s: 60,
            backoff_longest_s: 3600,
            refused_first_s: 300,
            refused_s: 2 * 3600,
            catch_up_s: 60,
            budget_requests: 30,
            budget_per_s: 60,
        }
    }
}

impl Rhythm {
    /// Publications every day at these times of the clock, and every four hours in between.
    pub fn daily(time_zone: &str, times: &[&str]) -> Self {
        Self {
            time_zone: time_zone.to_owned(),
            publications: times.iter().map(|&time| time.to_owned()).collect(),
            poll_every_s: 4 * 3600,
            ..Self::default()
        }
    }
}

/// How a poll ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PollOutcome {
    /// The source has all that it should have published by now.
    Complete,
    /// It answered, but what is awaited is not there yet.
    Awaiting,
    /// It failed.
    Failed(RetryClass),
}

/// Why a rhythm cannot be kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RhythmError(String);

/// What of a schedule outlives a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saved {
    /// When to ask next.
    pub next_poll: Timestamp,
    /// The supplier asked not to be asked before.
    pub closed_until: Timestamp,
    /// Failures since the last success.
    pub failures: u32,
}

/// When to ask one source.
#[derive(Clone, Debug)]
pub struct Schedule {
    rhythm: Rhythm,
    local: LocalTime,
    publications: Vec<Time>,
    next_poll: Timestamp,
    failures: u32,
    /// The supplier asked not to be asked before.
    closed_until: Timestamp,
    /// When the latest requests were made, the oldest first; at most the budget's.
    requests: VecDeque<Timestamp>,
}

impl Schedule {
    /// A schedule that begins at `now`, when the source was last asked at `last_poll`. Sources that
    /// are due are spread over the time to catch up.
    ///
    /// # Errors
    /// Where the rhythm has no such zone or time, or a number that must not be zero.
    pub fn new(
        rhythm: Rhythm,
        now: Timestamp,
        last_poll: Option<Timestamp>,
        random: &mut dyn Rng,
    ) -> Result<Self, RhythmError> {
        let local = LocalTime::named(&rhythm.time_zone)
            .map_err(|_| RhythmError(format!("{} is no time zone", rhythm.time_zone)))?;
        let time = |text: &String| {
            let time = text.parse::<Time>().ok().filter(|_| text.len() == 5);
            time.ok_or_else(|| RhythmError(format!("{text:?} is no time such as 12:55")))
        };
        let publications = rhythm.publications.iter().map(time).collect::<Result<_, _>>()?;
        let numbers = [
            ("poll_every_s", rhythm.poll_every_s),
            ("poll_awaited_every_s", rhythm.poll_awaited_every_s),
            ("backoff_first_s", rhythm.backoff_first_s),
            ("backoff_longest_s", rhythm.backoff_longest_s),
            ("refused_first_s", rhythm.refused_first_s),
            ("refused_s", rhythm.refused_s),
            ("budget_requests", rhythm.budget_requests),
            ("budget_per_s", rhythm.budget_per_s),
        ];
        if let Some((name, _)) = numbers.iter().find(|(_, number)| *number == 0) {
            return Err(RhythmError(format!("{name} must not be 0")));
        }
        let mut schedule = Self {
            local,
            publications,
            next_poll: now,
            failures: 0,
            closed_until: Timestamp::MIN,
            requests: VecDeque::new(),
            rhythm,
        };
        let due = last_poll.map_or(now, |last| schedule.usual_poll(last.min(now)));
        let spread = seconds(schedule.rhythm.catch_up_s);
        schedule.next_poll = if due <= now { now + up_to(spread, random) } else { due };
        Ok(schedule)
    }

    /// The schedule that was saved before a restart: what is yet to come stays, what was missed is
    /// spread over the time to catch up, and a supplier that asked to wait is not asked before.
    ///
    /// # Errors
    /// The rhythm cannot work, as [`Schedule::new`] says.
    pub fn resumed(
        rhythm: Rhythm,
        now: Timestamp,
        saved: Saved,
        random: &mut dyn Rng,
    ) -> Result<Self, RhythmError> {
        let mut schedule = Self::new(rhythm, now, None, random)?;
        schedule.failures = saved.failures;
        schedule.closed_until = saved.closed_until;
        schedule.next_poll = schedule
            .next_poll
            .max(saved.closed_until)
            .max(saved.next_poll.min(schedule.latest(now)));
        Ok(schedule)
    }

    /// What to save.
    pub fn saved(&self) -> Saved {
        let Self { next_poll, closed_until, failures, .. } = *self;
        Saved { next_poll, closed_until, failures }
    }

    /// The latest publication up to `now`, today or yesterday; `None` for a source without such.
    pub fn latest_publication(&self, now: Timestamp) -> Option<Timestamp> {
        let today = self.local.date(now).ok()?;
        let days = [today.yesterday().ok(), Some(today)];
        self.publications_of(days).filter(|&instant| instant <= now).max()
    }

    /// The publication that may still be awaited: it is not long ago.
    pub fn awaited(&self, now: Timestamp) -> Option<Timestamp> {
        self.latest_publication(now).filter(|&published| now - published < AWAITED_FOR)
    }

    /// An instant whose value a publication brings: noon of the next day. No day before reaches so far,
    /// wherever a supplier's days begin and end.
    pub fn brought_by(&self, published: Timestamp) -> Option<Timestamp> {
        let next = self.local.date(published).ok()?.tomorrow().ok()?;
        self.local.civil_instant(next.at(12, 0, 0, 0)).ok()
    }

    /// When to ask next.
    pub fn next_poll(&self) -> Timestamp {
        self.next_poll
    }

    /// Whether to ask now. After the clock was set back by more than a poll lasts, too.
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.next_poll <= now || self.next_poll.max(self.closed_until) > self.latest(now)
    }

    /// No poll is planned for later, unless the clock was set back.
    fn latest(&self, now: Timestamp) -> Timestamp {
        let longest = self.rhythm.refused_s.max(self.rhythm.backoff_longest_s);
        let longest = 2 * i64::from(longest.max(self.rhythm.poll_every_s));
        now + Seconds::new(longest + 86_400)
    }

    /// Notes that `count` requests were made at `now`.
    pub fn requested(&mut self, now: Timestamp, count: u32) {
        for _ in 0..count.min(self.rhythm.budget_requests) {
            self.requests.push_back(now);
        }
        let most = usize::try_from(self.rhythm.budget_requests).unwrap_or(usize::MAX);
        let excess = self.requests.len().saturating_sub(most);
        self.requests.drain(..excess);
    }

    /// Notes how a poll ended at `now`, and says when to ask next.
    pub fn finished(
        &mut self,
        now: Timestamp,
        outcome: PollOutcome,
        random: &mut dyn Rng,
    ) -> Timestamp {
        self.failures = match outcome {
            PollOutcome::Failed(RetryClass::NotYet)
            | PollOutcome::Complete
            | PollOutcome::Awaiting => 0,
            PollOutcome::Failed(_) => self.failures.saturating_add(1),
        };
        let next = match outcome {
            PollOutcome::Complete => self.usual_poll_about(now, random),
            PollOutcome::Awaiting | PollOutcome::Failed(RetryClass::NotYet) => {
                match self.awaited(now) {
                    Some(published) => self.awaited_poll(now, published, random),
                    None => self.usual_poll_about(now, random),
                }
            }
            PollOutcome::Failed(RetryClass::Backoff) => now + around(self.backoff(), random),
            PollOutcome::Failed(RetryClass::After(wait)) => {
                self.closed_until = now + wait;
                let wait = wait.max(self.backoff());
                now + wait + up_to(tenth(wait), random)
            }
            PollOutcome::Failed(RetryClass::Permanent) => {
                let Rhythm { refused_first_s, refused_s, .. } = self.rhythm;
                now + around(self.doubled(refused_first_s, refused_s), random)
            }
        };
        self.next_poll = next.max(self.closed_until).max(self.within_budget(now));
        self.next_poll
    }

    /// Asks as soon as the supplier and the budget allow, for somebody who wants it now.
    pub fn refresh(&mut self, now: Timestamp) -> Timestamp {
        self.next_poll = now.max(self.closed_until).max(self.within_budget(now));
        self.next_poll
    }

    /// When the next request is inside the budget.
    fn within_budget(&self, now: Timestamp) -> Timestamp {
        let most = usize::try_from(self.rhythm.budget_requests).unwrap_or(usize::MAX);
        match self.requests.front() {
            Some(&oldest) if self.requests.len() >= most => {
                now.max(oldest + seconds(self.rhythm.budget_per_s))
            }
            _ => now,
        }
    }

    /// The usual poll, perhaps a while later.
    fn usual_poll_about(&self, now: Timestamp, random: &mut dyn Rng) -> Timestamp {
        let usual = self.usual_poll(now);
        usual + up_to(tenth(usual - now), random)
    }

    /// While something is awaited that should have been published a while ago: the later it is, the
    /// more seldom it is asked for, but at the next publication in any case.
    fn awaited_poll(
        &self,
        now: Timestamp,
        published: Timestamp,
        random: &mut dyn Rng,
    ) -> Timestamp {
        let shortest = seconds(self.rhythm.poll_awaited_every_s);
        let late = Seconds::new((now - published).get() / AWAITED_PART);
        let longest = Seconds::new(AWAITED_LONGEST * shortest.get());
        let poll = now + around(late.clamp(shortest, longest), random);
        self.next_publication(now).map_or(poll, |next| poll.min(next))
    }

    /// The next publication or the end of the usual pause, whatever is earlier.
    fn usual_poll(&self, now: Timestamp) -> Timestamp {
        let paced = now + seconds(self.rhythm.poll_every_s);
        self.next_publication(now).map_or(paced, |publication| publication.min(paced))
    }

    fn next_publication(&self, now: Timestamp) -> Option<Timestamp> {
        let today = self.local.date(now).ok()?;
        let days = [Some(today), today.tomorrow().ok()];
        self.publications_of(days).filter(|&instant| instant > now).min()
    }

    fn publications_of(&self, days: [Option<Date>; 2]) -> impl Iterator<Item = Timestamp> {
        days.into_iter().flatten().flat_map(move |day| {
            let instant = move |time: &Time| self.local.civil_instant(day.to_datetime(*time)).ok();
            self.publications.iter().filter_map(instant)
        })
    }

    fn backoff(&self) -> Seconds {
        self.doubled(self.rhythm.backoff_first_s, self.rhythm.backoff_longest_s)
    }

    /// The first wait, doubled with each further failure in turn.
    fn doubled(&self, first: u32, longest: u32) -> Seconds {
        let doubled = i64::from(first) << self.failures.saturating_sub(1).min(20);
        Seconds::new(doubled.min(longest.into()))
    }
}

fn seconds(count: u32) -> Seconds {
    Seconds::new(count.into())
}

fn tenth(length: Seconds) -> Seconds {
    Seconds::new(length.get() / 10)
}

/// From zero to `most`, both included.
fn up_to(most: Seconds, random: &mut dyn Rng) -> Seconds {
    let choices = most.get().max(0).unsigned_abs() + 1;
    // The bias of the remainder is far below a second.
    Seconds::new(i64::try_from(random.next_u64() % choices).unwrap_or(0))
}

/// From half of `length` to three halves of it.
fn around(length: Seconds, random: &mut dyn Rng) -> Seconds {
    Seconds::new(length.get() / 2) + up_to(length, random)
}
