//! Parameters of policies as names and values.

use std::str::FromStr;

use planner::quantity::{Power, Rate};

use super::inertial::Growth;
use super::sleeping::{Estimates, SleepingOptions};
use super::{Policy, Setting, no_option};
use crate::platform::{Groups, Platform};
use crate::steps::Steps;
use crate::supplier_tables::SupplierTable;
use crate::time::Time;

/// What is said, what of it was asked for, and what is wrong with it.
#[derive(Debug)]
pub(super) struct Options<'a> {
    said: &'a [(String, String)],
    known: Vec<&'static str>,
    errors: Vec<String>,
}

impl<'a> Options<'a> {
    pub(super) const fn new(said: &'a [(String, String)]) -> Self {
        Self { said, known: Vec::new(), errors: Vec::new() }
    }

    /// Everything that is wrong.
    pub(super) fn finish(mut self, policy: Policy) -> Result<(), Vec<String>> {
        let own: Vec<&str> = policy.options().iter().map(|option| option.name).collect();
        for (name, _) in self.said {
            if !own.contains(&name.as_str()) {
                self.errors.push(no_option(name, policy.name(), &own));
            } else if !self.known.contains(&name.as_str()) {
                self.errors.push(format!("{name} of {policy} needs shutdown=true"));
            }
        }
        if self.errors.is_empty() { Ok(()) } else { Err(self.errors) }
    }

    pub(super) fn wrong(&mut self, error: impl Into<String>) {
        self.errors.push(error.into());
    }

    /// The last value of this name.
    pub(super) fn text(&mut self, name: &'static str) -> Option<&'a str> {
        self.known.push(name);
        self.said.iter().rev().find(|(said, _)| said == name).map(|(_, value)| value.as_str())
    }

    /// The value of this name, as `read` says; `what` it must be.
    fn read<T>(
        &mut self,
        name: &'static str,
        what: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(name)?;
        let value = read(text);
        if value.is_none() {
            self.errors.push(format!("{name}: {text:?} is not {what}"));
        }
        value
    }

    /// A number from `least` to `most`.
    pub(super) fn number(&mut self, name: &'static str, least: f64, most: f64) -> Option<f64> {
        let what = format!("a number from {least} to {most}");
        let read =
            |text: &str| f64::from_str(text).ok().filter(|value| (least..=most).contains(value));
        self.read(name, &what, read)
    }

    /// A length of time, s.
    pub(super) fn time(&mut self, name: &'static str) -> Option<Time> {
        self.read(name, "a time in seconds", seconds)
    }

    /// A length of time above nothing, s.
    pub(super) fn period(&mut self, name: &'static str, default: Time) -> Time {
        let read = |text: &str| seconds(text).filter(|time| *time > Time::ZERO);
        self.read(name, "a time in seconds above 0", read).unwrap_or(default)
    }

    /// True or false.
    pub(super) fn flag(&mut self, name: &'static str, default: bool) -> bool {
        self.read(name, "true or false", |text| text.parse().ok()).unwrap_or(default)
    }

    /// A time, or `never`.
    pub(super) fn time_or_never(
        &mut self,
        name: &'static str,
        default: Option<Time>,
    ) -> Option<Time> {
        let read = |text: &str| match text {
            "never" => Some(None),
            text => seconds(text).map(Some),
        };
        self.read(name, "a time in seconds, or never", read).unwrap_or(default)
    }

    /// `x2` or `p1`: times or plus.
    pub(super) fn growth(&mut self, name: &'static str) -> Growth {
        let read = |text: &str| {
            let (kind, number) = text.split_at_checked(1)?;
            let number = number.parse().ok().filter(|number| (0.0..=1e6).contains(number))?;
            match kind {
                "x" => Some(Growth::Times(number)),
                "p" => Some(Growth::Plus(number)),
                _ => None,
            }
        };
        self.read(name, "x or p and a number, such as x2 or p1", read).unwrap_or(Growth::Times(2.0))
    }

    /// Machines that are near each other: in groups of `group_size`, or as the platform says.
    pub(super) fn groups(&mut self, platform: &Platform) -> Groups {
        let size = |text: &str| text.parse().ok().filter(|size: &u32| *size > 0);
        let size = self.read("group_size", "a whole number of machines from 1 on", size);
        let said = size.map(|size| Groups::of_size(platform.machines(), size));
        said.or_else(|| platform.groups().cloned()).unwrap_or_else(|| {
            if !self.said.iter().any(|(name, _)| name == "group_size") {
                self.wrong(
                    "this policy needs to know which machines share a switch: group or group_size in \
                     the platform, or the option group_size",
                );
            }
            Groups::of_size(platform.machines(), platform.machines().max(1))
        })
    }

    /// What the policies share that switch machines.
    pub(super) fn sleeping(&mut self, platform: &Platform) -> SleepingOptions {
        let told = |on| platform.longest_switch(on);
        if !platform.sleeps() {
            self.wrong("this policy needs a platform whose machines can be switched off");
        }
        SleepingOptions {
            period: self.period("period_s", Time::from_seconds(600)),
            idle: self.time_or_never("idle_s", Some(Time::from_seconds(300))),
            sedate_at_events: self.flag("sedate_at_events", true),
            decide_at_stages: self.flag("decide_at_stages", true),
            switch_on: self.time("switch_on_s").or_else(|| told(true)).unwrap_or_default(),
            switch_off: self.time("switch_off_s").or_else(|| told(false)).unwrap_or_default(),
        }
    }
}

impl Options<'_> {
    /// The options of policies that switch machines only if the option `shutdown` is given.
    pub(super) fn sleeping_if_said(&mut self, platform: &Platform) -> SleepingOptions {
        if self.flag("shutdown", false) {
            if self.text("idle_s").is_none() {
                return SleepingOptions { idle: Some(Time::ZERO), ..self.sleeping(platform) };
            }
            return self.sleeping(platform);
        }
        SleepingOptions {
            period: self.period("period_s", Time::from_seconds(600)),
            idle: None,
            sedate_at_events: false,
            decide_at_stages: true,
            switch_on: Time::ZERO,
            switch_off: Time::ZERO,
        }
    }

    /// What machines are taken to draw: what is said, or the most that any does.
    pub(super) fn estimates(&mut self, platform: &Platform, switches: bool) -> Estimates {
        let Some(most) = platform.most() else {
            self.wrong("this policy needs a platform that says what machines draw");
            let none = Power::ZERO;
            return Estimates {
                idle: none,
                computing: none,
                switching_off: none,
                switching_on: none,
            };
        };
        let mut power = |name, default: Power| {
            self.number(name, 0.0, 1e6).and_then(Power::from_watts).unwrap_or(default)
        };
        let idle = power("idle_estimate_w", most.idle);
        let computing = power("computing_estimate_w", most.computing);
        let [switching_off, switching_on] =
            most.switching.filter(|_| switches).unwrap_or([idle; 2]);
        if computing < idle {
            self.wrong("computing_estimate_w is less than idle_estimate_w");
        }
        Estimates { idle, computing, switching_off, switching_on }
    }

    /// From when to when something holds.
    fn span(&mut self) -> (Time, Time) {
        let from = self.time("from_s").unwrap_or(Time::ZERO);
        let until = self.time("until_s").unwrap_or(Time::FOREVER);
        if from >= until {
            self.wrong("until_s must be after from_s");
        }
        (from, until)
    }

    /// The cap of the cluster's power by time: `cap_w`, or a table; the less of both.
    pub(super) fn cap(&mut self, setting: &Setting<'_>) -> Steps<Power> {
        let said = self.number("cap_w", 0.0, 1e11).and_then(Power::from_watts);
        let (from, until) = self.span();
        let said = said.map(|cap| Steps::of([(from, until, cap)]));
        match (said, setting.tables.cap.as_ref()) {
            (Some(said), None) => said,
            (None, Some(table)) => table.part(from, until),
            (Some(said), Some(table)) => said.least(&table.part(from, until)),
            (None, None) => {
                self.wrong("power_cap needs cap_w, or a table of caps");
                Steps::default()
            }
        }
    }

    /// At what rate a budget becomes available: evenly from `from_s` to `until_s`, or the more the
    /// less energy costs or emits.
    pub(super) fn rate(&mut self, setting: &Setting<'_>) -> Steps<Power> {
        let budget_j = self.number("budget_j", 0.0, 1e18);
        let (from, until) = self.span();
        let follows = self.text("follow");
        let Some(budget_j) = budget_j else {
            self.wrong("an energy budget needs budget_j");
            return Steps::default();
        };
        if until == Time::FOREVER {
            self.wrong("an energy budget needs until_s");
            return Steps::default();
        }
        let rate = match follows {
            None | Some("nothing") => Some(even(budget_j, from, until)),
            Some("price") => {
                let table = setting.tables.price.as_ref();
                table.map(|table| inverse(budget_j, &table.part(from, until)))
            }
            Some("co2") => {
                let table = setting.tables.co2.as_ref();
                table.map(|table| inverse(budget_j, &table.part(from, until)))
            }
            Some(other) => {
                self.wrong(format!("follow: {other:?} is neither price nor co2 nor nothing"));
                return Steps::default();
            }
        };
        rate.unwrap_or_else(|| {
            self.wrong(format!("follow={} needs a table of it", follows.unwrap_or_default()));
            Steps::default()
        })
    }
}

impl Policy {
    /// The table by which the policy goes with these options, and from when to when; none where it goes
    /// by no table, or something else is said for where the table has no value.
    pub fn goes_by(self, said: &[(String, String)]) -> Option<(SupplierTable, Time, Time)> {
        let mut options = Options::new(said);
        let table = match self {
            Self::PowerCap if options.text("cap_w").is_none() => SupplierTable::Cap,
            Self::EnergyBud | Self::ReducePc => match options.text("follow") {
                Some("price") => SupplierTable::Price,
                Some("co2") => SupplierTable::Co2,
                _ => return None,
            },
            _ => return None,
        };
        let (from, until) = options.span();
        Some((table, from, until))
    }
}

/// So much energy, evenly.
#[expect(
    clippy::cast_possible_truncation,
    reason = "within 10^18 after the division, or saturating"
)]
fn even(budget_j: f64, from: Time, until: Time) -> Steps<Power> {
    let rate = budget_j / (until - from).as_seconds() * 1e6;
    Steps::of([(from, until, Power::from_microwatts(rate.floor() as i64))])
}

/// So much energy over the pieces of a table, in inverse proportion to its values.
#[expect(clippy::cast_possible_truncation, reason = "saturates")]
fn inverse<R: Rate>(budget_j: f64, table: &Steps<R>) -> Steps<Power> {
    // Values of nothing or less would take everything.
    let weight = |value: R| 1.0 / (value.as_millionths().max(1) as f64);
    let weights: f64 = table
        .pieces()
        .map(|(from, until, value)| weight(value) * (until - from).as_seconds())
        .sum();
    table.map(|value| {
        Power::from_microwatts((budget_j * weight(value) / weights * 1e6).floor() as i64)
    })
}

fn seconds(text: &str) -> Option<Time> {
    text.parse().ok().and_then(Time::from_seconds_f64).filter(|time| *time >= Time::ZERO)
}
