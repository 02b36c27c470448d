//! Inertial shutdown (the thesis, 7.4.3, algorithm 3): while the liquid load horizon falls, ever more
//! machines are switched off, and while it rises, ever more on.

use super::SwitchingPart;
use crate::policy::core::{Core, Horizon, Stage};
use crate::policy::options::{Options, option};
use crate::policy::part::About;

/// Machines go off while the load falls, and on while it rises.
pub const SWITCHING: SwitchingPart = SwitchingPart {
    about: About {
        name: "inertial",
        meaning: "beside that, ever more machines go off while the load falls, and on while it rises",
        options: &[
            option(
                "threshold_s",
                "10000",
                "the mean load horizon from which machines only go on, s",
            ),
            option("growth", "x2", "how many machines follow on n: x2 is 2 n, p1 is n + 1"),
            option(
                "future_switches",
                "true",
                "machines that compute may be chosen to go off afterwards",
            ),
        ],
    },
    build: Some(|pace, options| {
        let threshold_s = options.number("threshold_s", 0.0, 1e18).unwrap_or(1e4);
        let growth = growth(options);
        let future_switches = options.flag("future_switches", true);
        let period_s = pace.period.as_seconds();
        Box::new(Inertial::new(period_s, threshold_s, growth, future_switches))
    }),
};

/// `x2` or `p1`: times or plus.
fn growth(options: &mut Options<'_>) -> Growth {
    let read = |text: &str| {
        let (kind, number) = text.split_at_checked(1)?;
        let number = number.parse().ok().filter(|number| (0.0..=1e6).contains(number))?;
        match kind {
            "x" => Some(Growth::Times(number)),
            "p" => Some(Growth::Plus(number)),
            _ => None,
        }
    };
    let what = "x or p and a number, such as x2 or p1";
    options.read("growth", what, read).unwrap_or(Growth::Times(2.0))
}

/// How many machines follow on so many: `f` of algorithm 3.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Growth {
    /// So many more.
    Plus(f64),
    /// So many times as many.
    Times(f64),
}

impl Growth {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    fn of(self, machines: u32) -> u32 {
        let machines = f64::from(machines);
        let more = match self {
            Self::Plus(more) => machines + more,
            Self::Times(factor) => machines * factor,
        };
        (more as u32).max(1)
    }
}

/// Which way it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    On,
    Off,
}

/// The state of algorithm 3.
#[derive(Debug)]
struct Inertial {
    /// The time between stages, s.
    period_s: f64,
    /// From this mean horizon on machines are switched on, s.
    threshold_s: f64,
    growth: Growth,
    /// Whether machines that run jobs may be chosen to be switched off afterwards.
    future_switches: bool,
    horizon: Horizon,
    /// None before the first stage.
    last: Option<Direction>,
    /// The horizon's integral over the period before.
    integral_before: f64,
}

impl Inertial {
    fn new(period_s: f64, threshold_s: f64, growth: Growth, future_switches: bool) -> Self {
        let (horizon, last) = (Horizon::default(), None);
        let integral_before = 0.0;
        Self { period_s, threshold_s, growth, future_switches, horizon, last, integral_before }
    }

    /// Switches more machines on.
    fn on(&self, core: &mut Core) {
        let awakable = core.plan.asleep.without(&core.plan.to_awaken);
        let count = self.growth.of(core.lately_awakened.count()).min(awakable.count());
        let machines = core.plan.soonest_awakable(count, &awakable);
        if !core.expect_switch_if_admitted(machines.count(), true) {
            return;
        }
        core.cancel_sedations(machines.count());
        core.plan.to_awaken.add(&machines);
    }

    /// Switches more machines off; those count that are off already because they were idle.
    fn off(&self, core: &mut Core) {
        let mut sedatable = core.plan.awake.without(&core.plan.to_sedate);
        if !self.future_switches {
            sedatable = sedatable.and(&core.plan.free);
        }
        let first = core.first_place();
        let needed = first.as_ref().map_or(0, |(job, _)| job.nodes);
        let room = sedatable.count().saturating_sub(needed);
        let count = self.growth.of(core.lately_sedated.count()).min(room);
        if count == 0 {
            return;
        }
        if core.by_stage(count) < count {
            let usable = first.as_ref().and_then(|(_, place)| place.as_ref());
            let machines =
                core.soonest_sedatable(count, &sedatable, usable.map(|(_, free)| free), needed);
            core.sedated_by_stage += machines.count();
            core.plan.to_sedate.add(&machines);
        }
    }

    /// Algorithm 3.
    fn switch(&mut self, core: &mut Core, integral: f64) {
        let Some(last) = &mut self.last else {
            self.last = Some(Direction::On);
            return;
        };
        if integral / self.period_s >= self.threshold_s {
            *last = Direction::On;
            self.integral_before = 0.0;
        }
        let rises = integral > self.integral_before;
        match (*last, rises) {
            (Direction::On, true) => self.on(core),
            (Direction::Off, false) => self.off(core),
            (Direction::On, false) => *last = Direction::Off,
            (Direction::Off, true) => *last = Direction::On,
        }
    }
}

impl Stage for Inertial {
    fn decide(&mut self, core: &mut Core) {
        self.horizon.advance(core.plan.now, core.load);
        core.reserved = None;
        core.cancel_all_sedations();
        let integral = self.horizon.take();
        let place = core.first_place();
        let fits = place.as_ref().is_none_or(|(_, place)| place.is_some());
        if fits {
            self.switch(core, integral);
        } else if self.last.is_none() {
            self.last = Some(Direction::On);
        }
        self.integral_before = integral;
        if fits && let Some((job, Some((start, free)))) = place {
            core.reserve_fitting(&job, start, &free);
        }
        let kept = core.reserved.as_ref().map(|reserved| reserved.machines.clone());
        core.switch_queued(kept.as_ref());
        if !fits {
            core.reserve_first();
        }
        core.update_idle();
        let needed = core.queue.first().map_or(0, |job| job.nodes);
        core.sedate_idle(needed);
        self.horizon.renew(&core.plan, core.reserved.as_ref(), core.load);
    }

    fn before(&mut self, core: &Core) {
        self.horizon.advance(core.plan.now, core.load);
    }

    fn after(&mut self, core: &Core) {
        self.horizon.renew(&core.plan, core.reserved.as_ref(), core.load);
    }
}
