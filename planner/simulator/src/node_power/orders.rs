//! A node under orders: what it does now, what it is to do next, and when.

use std::collections::VecDeque;

use planner::power_plan::{SleepTimes, Switching};
use planner::time::{Span, Timestamp};

use super::course::{NodeActivity, NodeCourse};

/// The milliseconds of a day.
pub(super) const DAY_MS: i64 = 86_400_000;

/// What a node does, and until when. Instants are milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    Up,
    /// It will be off, and is to be woken afterwards.
    SwitchingOff {
        until: i64,
        wake: i64,
    },
    /// It is to be woken.
    Off {
        wake: i64,
    },
    /// It will be up, or fails; it is counted on to be up at `by`.
    SwitchingOn {
        until: i64,
        by: i64,
        fails: bool,
    },
    OutOfService {
        until: i64,
    },
}

/// A node under orders.
#[derive(Clone, Debug)]
pub(super) struct NodeUnderOrders {
    pub doing: Doing,
    /// The sleeps that are planned, in time order.
    pub sleeps: VecDeque<SleepTimes>,
    pub course: NodeCourse,
    pub boots: u32,
    /// How often it was switched off on the last day on which it was.
    pub switched_off: (i64, u32),
}

impl NodeUnderOrders {
    pub fn new(start_ms: i64) -> Self {
        let course = NodeCourse { steps: vec![(start_ms, NodeActivity::Up)], holds: Vec::new() };
        let sleeps = VecDeque::new();
        Self { doing: Doing::Up, sleeps, course, boots: 0, switched_off: (i64::MIN, 0) }
    }

    /// Begins something else.
    pub fn change(&mut self, at_ms: i64, doing: Doing) {
        self.doing = doing;
        self.course.begin(at_ms, doing.activity());
    }

    /// The instant at which somebody holds the node next, from an instant on, or holds it already.
    pub fn next_hold(&self, from: Timestamp) -> Option<Timestamp> {
        self.course.holds.iter().find(|hold| hold.span.end() > from).map(|hold| hold.span.start())
    }

    /// Wakes a node that sleeps by an instant, or as soon as it is off; tells when, where that is another instant.
    pub fn wake_by(&mut self, now_ms: i64, wanted_ms: i64) -> Option<i64> {
        let (Doing::Off { wake } | Doing::SwitchingOff { wake, .. }) = self.doing else {
            return None;
        };
        let possible = match self.doing {
            Doing::SwitchingOff { until, .. } => until,
            _ => now_ms,
        };
        let sooner = wanted_ms.max(possible);
        if sooner >= wake {
            return None;
        }
        match &mut self.doing {
            Doing::Off { wake } | Doing::SwitchingOff { wake, .. } => *wake = sooner,
            _ => {}
        }
        Some(sooner)
    }

    /// The first instant at which the node can be counted on, if it is ordered to wake now.
    pub fn ready_at(&self, now_ms: i64, lead_ms: i64) -> i64 {
        match self.doing {
            Doing::Up => now_ms,
            Doing::SwitchingOn { by, .. } => by,
            Doing::Off { .. } => now_ms + lead_ms,
            Doing::SwitchingOff { until, .. } => until.max(now_ms) + lead_ms,
            Doing::OutOfService { until } => until,
        }
    }

    /// Whether the node is counted on to be up at a later instant, by its state and its plan.
    pub fn is_up_at(&self, at_ms: i64, lead_ms: i64) -> bool {
        match self.doing {
            Doing::Up => {
                let away = |it: &SleepTimes| (it.off_ms..it.wake_ms + lead_ms).contains(&at_ms);
                !self.sleeps.iter().any(away)
            }
            Doing::SwitchingOn { by, .. } => by <= at_ms,
            Doing::Off { wake } | Doing::SwitchingOff { wake, .. } => wake + lead_ms <= at_ms,
            Doing::OutOfService { until } => until <= at_ms,
        }
    }

    /// Whether the node may be switched off once more on the day of an instant.
    pub fn may_switch_off(&self, at_ms: i64, most: Option<u32>) -> bool {
        let (day, count) = self.switched_off;
        let today = if day == at_ms.div_euclid(DAY_MS) { count } else { 0 };
        most.is_none_or(|most| today < most)
    }

    pub fn count_switch(&mut self, at_ms: i64) {
        let today = at_ms.div_euclid(DAY_MS);
        let (day, count) = self.switched_off;
        self.switched_off = (today, if day == today { count + 1 } else { 1 });
    }

    /// Whether anybody holds the node at an instant.
    pub fn is_held_at(&self, at: Timestamp) -> bool {
        let from = self.course.holds.iter().rev();
        from.take_while(|hold| hold.span.end() > at).any(|hold| hold.span.contains(at))
    }

    /// Whether nobody holds the node in a span and it is not out of service then.
    pub fn can_hold(&self, span: Span) -> bool {
        let is_whole = match self.doing {
            Doing::OutOfService { until } => until <= millis(span.start()),
            _ => true,
        };
        is_whole && self.course.is_free(span)
    }
}

impl Doing {
    const fn activity(self) -> NodeActivity {
        match self {
            Self::Up => NodeActivity::Up,
            Self::SwitchingOff { .. } => NodeActivity::SwitchingOff,
            Self::Off { .. } => NodeActivity::Off,
            Self::SwitchingOn { .. } => NodeActivity::SwitchingOn,
            Self::OutOfService { .. } => NodeActivity::OutOfService,
        }
    }
}

/// Milliseconds that a node needs: to switch off, to switch on at least, and by which it is woken.
#[derive(Clone, Copy, Debug)]
pub(super) struct SwitchingTimes {
    pub off: i64,
    pub on: i64,
    pub lead: i64,
}

impl SwitchingTimes {
    pub fn of(switching: &Switching) -> Self {
        let millis = |time: std::time::Duration| i64::try_from(time.as_millis()).unwrap_or(0);
        let on = millis(switching.sleep.switching_on.time);
        Self {
            off: millis(switching.sleep.switching_off.time),
            on,
            lead: millis(switching.boot).max(on),
        }
    }
}

/// Milliseconds since the Unix epoch.
pub(super) const fn millis(at: Timestamp) -> i64 {
    at.as_unix_seconds() * 1000
}

/// The first second that is not before a millisecond.
pub(super) const fn second_after(ms: i64) -> Timestamp {
    Timestamp::from_unix_seconds((ms + 999).div_euclid(1000))
}
