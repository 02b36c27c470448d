//! Energy budgets: the thesis's energyBud (6.4, algorithm 2) and reducePC (6.4.4).
//!
//! Over a period energy becomes available at a rate; what is not consumed is saved. A job starts only if
//! the balance stays above nothing as long as any job may run, by over-estimates of what machines draw,
//! so that there are no debts. Periodically what was really consumed is measured, and what was
//! estimated too high is available. The first waiting job has a reservation of energy: what it needs
//! beyond the rate. Under energyBud others start only if what they leave of the balance is as much; under
//! reducePC they may draw no more than the rate, less what it lacks per second until it starts.

use planner::quantity::{Power, Rate};

use super::{Estimates, ExpectedDraw, Gate, GatePart, More, span};
use crate::policy::options::{Options, PolicyOption, option};
use crate::policy::part::About;
use crate::policy::setting::Setting;
use crate::quantity::ExactEnergy;
use crate::steps::Steps;
use crate::supplier_tables::SupplierTable;
use crate::time::Time;

const OPTIONS: &[PolicyOption] = &[
    option(
        "budget_j",
        "must be said",
        "the energy that becomes available from from_s to until_s, J",
    ),
    option(
        "follow",
        "nothing",
        "price or co2: more becomes available the less energy costs or emits",
    ),
];

/// The first waiting job has a reservation of energy.
pub const ENERGY_BUD: GatePart = GatePart {
    about: About {
        name: "energy_bud",
        meaning: "the cluster consumes no more than a budget that becomes available over time",
        options: OPTIONS,
    },
    build: Some(|setting, options, switches| budget(setting, options, switches, false)),
    table,
};

/// Others draw no more than the rate, less what the first waiting job lacks.
pub const REDUCE_PC: GatePart = GatePart {
    about: About { name: "reduce_pc", meaning: "as energy_bud, nearer to a cap", options: OPTIONS },
    build: Some(|setting, options, switches| budget(setting, options, switches, true)),
    table,
};

/// The table that the budget follows.
fn table(options: &mut Options<'_>) -> Option<SupplierTable> {
    match options.text("follow") {
        Some("price") => Some(SupplierTable::Price),
        Some("co2") => Some(SupplierTable::Co2),
        _ => None,
    }
}

fn budget(
    setting: &Setting<'_>,
    options: &mut Options<'_>,
    switches: bool,
    reduces: bool,
) -> Box<dyn Gate> {
    let estimates = Estimates::read(setting.platform, options, switches);
    let rate = rate(setting, options);
    let idle = setting.platform.idle().unwrap_or_default();
    let (balance, at, measured) = (ExactEnergy::ZERO, Time::ZERO, None);
    Box::new(Budget { rate, estimates, reduces, idle, balance, at, measured })
}

/// At what rate the budget becomes available: evenly from `from_s` to `until_s`, or the more the less
/// energy costs or emits.
fn rate(setting: &Setting<'_>, options: &mut Options<'_>) -> Steps<Power> {
    let budget_j = options.number("budget_j", 0.0, 1e18);
    let (from, until) = span(options);
    let follows = options.text("follow");
    let Some(budget_j) = budget_j else {
        options.wrong("an energy budget needs budget_j");
        return Steps::default();
    };
    if until == Time::FOREVER {
        options.wrong("an energy budget needs until_s");
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
            options.wrong(format!("follow: {other:?} is neither price nor co2 nor nothing"));
            return Steps::default();
        }
    };
    rate.unwrap_or_else(|| {
        options.wrong(format!("follow={} needs a table of it", follows.unwrap_or_default()));
        Steps::default()
    })
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

/// A budget.
#[derive(Debug)]
struct Budget {
    /// At which energy becomes available, by time.
    rate: Steps<Power>,
    estimates: Estimates,
    /// Whether others' rate is reduced by what the first waiting job needs, and not their balance.
    reduces: bool,
    /// What all machines really draw when idle.
    idle: Power,
    /// What is available; what is owed is below nothing.
    balance: ExactEnergy,
    at: Time,
    /// The last measurement: when, what was consumed, and the balance then.
    measured: Option<(Time, ExactEnergy, ExactEnergy)>,
}

impl Budget {
    /// Whether something is drawn only when energy is not bounded.
    fn concerns_not(&self, more: More) -> bool {
        self.rate.energy(more.from, more.until) == ExactEnergy::ZERO && !self.bounds(more.from)
    }

    /// Whether the balance stays above nothing.
    fn stays(&self, expected_draw: &ExpectedDraw, more: More) -> bool {
        let mut balance = self.balance;
        expected_draw.spans(more, &self.rate).all(|span| {
            if let Some(rate) = span.bound {
                balance += (rate - span.drawn) * (span.until - span.from);
            }
            balance >= ExactEnergy::ZERO
        })
    }

    /// What the cluster draws beyond the rate while `more` lasts.
    fn excess(&self, expected_draw: &ExpectedDraw, more: More) -> ExactEnergy {
        let spans = expected_draw.spans(more, &self.rate).skip_while(|it| it.until <= more.from);
        let excess = spans.take_while(|it| it.from < more.until).filter_map(|it| {
            let excess = (it.drawn - it.bound?).max(Power::ZERO);
            Some(excess * (it.until - it.from))
        });
        excess.sum()
    }

    /// What the cluster draws beyond the rate while `more` lasts if nothing else ends, less what is
    /// saved.
    fn steady_excess(&self, expected_draw: &ExpectedDraw, more: More) -> ExactEnergy {
        let part = self.rate.part(more.from, more.until);
        let drawn = expected_draw.drawn + more.power;
        part.pieces().map(|(from, until, rate)| (drawn - rate) * (until - from)).sum()
    }
}

impl Gate for Budget {
    fn bound_at(&self, now: Time) -> Option<Power> {
        self.rate.at(now)
    }

    fn next_change(&self, now: Time) -> Time {
        self.rate.from(now).1
    }

    fn estimates(&self) -> Estimates {
        self.estimates
    }

    fn rests(&self, now: Time) -> bool {
        // What is owed only grows.
        self.balance < ExactEnergy::ZERO && self.bound_at(now).is_some_and(|rate| rate <= self.idle)
    }

    fn pass(&mut self, now: Time, drawn: Power) {
        let mut at = self.at;
        while at < now {
            let (rate, next) = self.rate.from(at);
            let end = next.min(now);
            if let Some(rate) = rate {
                self.balance += (rate - drawn) * (end - at);
            }
            at = end;
        }
        self.at = now;
    }

    fn measure(&mut self, now: Time, consumed: ExactEnergy) {
        let bounded = self.bounds(now) || self.measured.is_some();
        if let Some((at, before, balance)) = self.measured {
            self.balance = balance + self.rate.energy(at, now) - (consumed - before);
        }
        let goes_on = bounded && self.bounds(now);
        self.measured = goes_on.then_some((now, consumed, self.balance));
    }

    fn allows(&self, expected_draw: &ExpectedDraw, more: More) -> bool {
        self.concerns_not(more) || self.stays(expected_draw, more)
    }

    fn allows_before(&self, expected_draw: &ExpectedDraw, more: More, first: Option<More>) -> bool {
        let Some(first) = first.filter(|first| first.from > expected_draw.now) else {
            return self.allows(expected_draw, more);
        };
        if self.concerns_not(more) {
            return true;
        }
        let needed = self.excess(expected_draw, first);
        let spared = if self.reduces {
            let drawn = expected_draw.drawn + more.power;
            let rate = self.bound_at(expected_draw.now);
            let missing = (needed - self.balance).max(ExactEnergy::ZERO);
            let missing = missing.over(first.from - expected_draw.now);
            rate.is_none_or(|rate| drawn <= rate - missing)
        } else {
            self.steady_excess(expected_draw, more) <= self.balance - needed
        };
        spared && self.stays(expected_draw, more)
    }
}
