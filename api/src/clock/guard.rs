//! A clock that follows what it reads, and doubts it where it jumps.
//!
//! What is believed goes on by a clock that nobody sets, also while the machine sleeps: waking is no jump. Readings of the time of day
//! correct it, as long as they are near. One that is further off is doubted: nothing goes by it until it has been the same for some
//! minutes, or somebody says that it is right.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::{SteadyInstant, machine_us};

/// A reading that is no further off is followed, microseconds.
const FOLLOWED_US: i64 = 60_000_000;

/// Readings that differ by less say the same, microseconds.
const SAME_US: i64 = 2_000_000;

/// A database's clock is read over a network: so much is no difference, microseconds.
const UNSURE_US: i64 = 100_000;

/// A reading of the database's clock that took longer says too little.
const SLOW: Duration = Duration::from_secs(1);

/// What is doubted is believed once it has been the same for so long.
pub const DOUBTED_FOR: Duration = Duration::from_mins(5);

/// The clock of this process.
#[derive(Debug)]
pub struct ClockGuard {
    origin: SteadyInstant,
    belief: Mutex<Belief>,
}

/// What is believed of the time, and what is doubted.
#[derive(Debug, Default)]
struct Belief {
    /// Microseconds since 1970 at the origin; `None` before the first reading.
    offset_us: Option<i64>,
    doubted: Option<Doubted>,
    /// Why the last one that was doubted is so no more.
    ended: Option<DoubtEnd>,
    /// Whether the database's clock is read, and the machine's is not.
    of_database: bool,
}

#[derive(Clone, Copy, Debug)]
struct Doubted {
    offset_us: i64,
    /// Since the origin.
    since: Duration,
}

/// A jump of the clock that nothing goes by yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockJump {
    /// Seconds by which it is ahead of what is believed; less than 0 where it is behind.
    pub by_s: i64,
    /// Since when it has been read, seconds.
    pub for_s: u64,
}

/// Why a jump is not doubted any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoubtEnd {
    /// An operator said that the clock is right.
    Accepted,
    /// The clock has been the same for long enough.
    Lasted,
    /// The clock is near again to what was believed.
    WentBack,
}

impl DoubtEnd {
    /// Its word in events.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Lasted => "lasted",
            Self::WentBack => "went_back",
        }
    }
}

impl Belief {
    /// Takes a reading: microseconds since 1970 at the origin, by what it says so long after the origin.
    fn read(&mut self, offset_us: i64, at: Duration) {
        let Some(believed) = self.offset_us else {
            self.offset_us = Some(offset_us);
            return;
        };
        if offset_us.abs_diff(believed) <= FOLLOWED_US.unsigned_abs() {
            self.offset_us = Some(offset_us);
            self.doubt_no_more(DoubtEnd::WentBack);
            return;
        }
        let same = self
            .doubted
            .filter(|doubted| offset_us.abs_diff(doubted.offset_us) <= SAME_US.unsigned_abs());
        let doubted = same.unwrap_or(Doubted { offset_us, since: at });
        if at.saturating_sub(doubted.since) >= DOUBTED_FOR {
            self.offset_us = Some(offset_us);
            self.doubt_no_more(DoubtEnd::Lasted);
        } else {
            self.doubted = Some(Doubted { offset_us, ..doubted });
        }
    }

    /// Believes what is doubted; whether anything is.
    fn accept(&mut self) -> bool {
        let Some(doubted) = self.doubted else { return false };
        self.offset_us = Some(doubted.offset_us);
        self.doubt_no_more(DoubtEnd::Accepted);
        true
    }

    /// Ends what is doubted, if anything is.
    fn doubt_no_more(&mut self, end: DoubtEnd) {
        if self.doubted.take().is_some() {
            self.ended = Some(end);
        }
    }

    fn jump(&self, at: Duration) -> Option<ClockJump> {
        let (Doubted { offset_us, since }, believed) = self.doubted.zip(self.offset_us)?;
        let by_s = (offset_us - believed) / 1_000_000;
        Some(ClockJump { by_s, for_s: at.saturating_sub(since).as_secs() })
    }
}

impl ClockGuard {
    fn new() -> Self {
        Self { origin: SteadyInstant::now(), belief: Mutex::default() }
    }

    /// The one of this process, since a machine has one clock.
    pub fn of_process() -> &'static Self {
        static GUARD: OnceLock<ClockGuard> = OnceLock::new();
        GUARD.get_or_init(Self::new)
    }

    /// Microseconds since 1970, as is believed.
    pub fn now_us(&self) -> i64 {
        let mut belief = self.belief();
        let at = self.origin.elapsed();
        let at_us = micros(at);
        if !belief.of_database {
            belief.read(machine_us() - at_us, at);
        }
        belief.offset_us.map_or_else(machine_us, |offset| offset + at_us)
    }

    /// Takes a reading of the database's clock, which was asked for at one instant and came at another. From the first
    /// one on, the database's clock decides, since all processes on it read it.
    pub fn read_database(&self, read_us: i64, asked: Instant, came: Instant) {
        let took = came.saturating_duration_since(asked);
        let mut belief = self.belief();
        let at = self.origin.elapsed().saturating_sub((asked + took / 2).elapsed());
        let offset_us = read_us - micros(at);
        if !std::mem::replace(&mut belief.of_database, true) {
            (belief.offset_us, belief.doubted) = (Some(offset_us), None);
            return;
        }
        let near = |of: Option<i64>| {
            of.is_some_and(|of| of.abs_diff(offset_us) <= UNSURE_US.unsigned_abs())
        };
        if took <= SLOW && !near(belief.offset_us) {
            belief.read(offset_us, at);
        } else if near(belief.offset_us) {
            belief.doubt_no_more(DoubtEnd::WentBack);
        }
    }

    /// The jump that is doubted, if there is one.
    pub fn jump(&self) -> Option<ClockJump> {
        self.belief().jump(self.origin.elapsed())
    }

    /// Why the last jump that was doubted is so no more; `None` where there was none.
    pub fn ended(&self) -> Option<DoubtEnd> {
        self.belief().ended
    }

    /// Believes the jump that is doubted; whether there was one.
    pub fn accept(&self) -> bool {
        self.belief().accept()
    }

    fn belief(&self) -> MutexGuard<'_, Belief> {
        self.belief.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_US: i64 = 3_600_000_000;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// A second off, then a minute more is followed; an hour is not, and is told as such.
    #[test]
    fn small_steps_are_followed_and_jumps_are_not() {
        let mut belief = Belief::default();
        for offset in [1_000_000, 2_000_000, 62_000_000] {
            belief.read(offset, seconds(1));
            assert_eq!((belief.offset_us, belief.jump(seconds(1))), (Some(offset), None));
        }
        belief.read(HOUR_US, seconds(10));
        belief.read(HOUR_US + 1_000_000, seconds(40));
        assert_eq!(belief.offset_us, Some(62_000_000));
        assert_eq!(belief.jump(seconds(70)), Some(ClockJump { by_s: 3_539, for_s: 60 }));
    }

    #[test]
    fn a_jump_that_goes_back_is_forgotten() {
        let mut belief = Belief::default();
        belief.read(0, seconds(0));
        belief.read(-HOUR_US, seconds(1));
        assert_eq!(belief.jump(seconds(1)).map(|jump| jump.by_s), Some(-3_600));
        belief.read(100, seconds(3));
        assert_eq!((belief.offset_us, belief.jump(seconds(3))), (Some(100), None));
        assert_eq!(belief.ended, Some(DoubtEnd::WentBack));
    }

    /// A jump has been read from 1 s on: at 300 s it is not believed yet, at 301 s it is.
    #[test]
    fn a_jump_that_stays_is_believed_after_five_minutes() {
        let mut belief = Belief::default();
        belief.read(0, seconds(0));
        for at in (1..=300).step_by(13) {
            belief.read(HOUR_US, seconds(at));
        }
        assert_eq!((belief.offset_us, belief.ended), (Some(0), None));
        belief.read(HOUR_US, seconds(301));
        assert_eq!(belief.ended, Some(DoubtEnd::Lasted));
        assert_eq!((belief.offset_us, belief.jump(seconds(301))), (Some(HOUR_US), None));
    }

    /// Every minute another hour: none of them is ever believed.
    #[test]
    fn a_clock_that_jumps_on_is_never_believed() {
        let mut belief = Belief::default();
        belief.read(0, seconds(0));
        for (hours, at) in (1..=20).zip((60..).step_by(60)) {
            belief.read(hours * HOUR_US, seconds(at));
        }
        assert_eq!(belief.offset_us, Some(0));
        assert!(belief.accept());
        assert_eq!(
            (belief.offset_us, belief.ended),
            (Some(20 * HOUR_US), Some(DoubtEnd::Accepted))
        );
        assert!(!belief.accept());
    }

    /// The database says an hour more than the machine, and decides; what it says later is doubted as any other jump.
    #[test]
    fn the_database_decides_where_it_has_a_clock() {
        let guard = ClockGuard::new();
        let machine = guard.now_us();
        let read = |us: i64| {
            let now = Instant::now();
            guard.read_database(us, now, now);
        };
        read(machine + HOUR_US);
        assert!(guard.now_us().abs_diff(machine + HOUR_US) < 30_000_000);
        assert_eq!(guard.jump(), None);
        read(machine + 3 * HOUR_US);
        assert!(guard.now_us().abs_diff(machine + HOUR_US) < 30_000_000);
        assert!(guard.jump().is_some_and(|jump| (7_170..=7_230).contains(&jump.by_s)));
    }
}
