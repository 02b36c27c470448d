//! A power cap (the thesis, 6.5.2): no job starts that would let the cluster draw more than the cap at
//! any instant, if everything lasts as long as it may. The cap may change over time.

use planner::quantity::Power;

use super::{Estimates, ExpectedDraw, Gate, GatePart, More, span};
use crate::policy::options::{Options, option};
use crate::policy::part::About;
use crate::policy::setting::Setting;
use crate::steps::Steps;
use crate::supplier_tables::SupplierTable;
use crate::time::Time;

/// The cluster draws no more than a cap.
pub const GATE: GatePart = GatePart {
    about: About {
        name: "power_cap",
        meaning: "the cluster draws no more than a cap",
        options: &[option("cap_w", "the table --cap", "the cluster's power, W")],
    },
    build: Some(|setting, options, switches| {
        let estimates = Estimates::read(setting.platform, options, switches);
        let machines = setting.platform.machines();
        Box::new(PowerCap { cap: cap(setting, options), machines, estimates })
    }),
    table: |options| options.text("cap_w").is_none().then_some(SupplierTable::Cap),
};

/// The cap of the cluster's power by time: `cap_w`, or a table; the less of both.
fn cap(setting: &Setting<'_>, options: &mut Options<'_>) -> Steps<Power> {
    let said = options.number("cap_w", 0.0, 1e11).and_then(Power::from_watts);
    let (from, until) = span(options);
    let said = said.map(|cap| Steps::of([(from, until, cap)]));
    match (said, setting.tables.cap.as_ref()) {
        (Some(said), None) => said,
        (None, Some(table)) => table.part(from, until),
        (Some(said), Some(table)) => said.least(&table.part(from, until)),
        (None, None) => {
            options.wrong("power_cap needs cap_w, or a table of caps");
            Steps::default()
        }
    }
}

/// A cap.
#[derive(Debug)]
struct PowerCap {
    /// By time.
    cap: Steps<Power>,
    machines: u32,
    estimates: Estimates,
}

impl Gate for PowerCap {
    fn bound_at(&self, now: Time) -> Option<Power> {
        self.cap.at(now)
    }

    fn next_change(&self, now: Time) -> Time {
        self.cap.from(now).1
    }

    fn estimates(&self) -> Estimates {
        self.estimates
    }

    fn ever_allows(&self, now: Time, idle: Power, more: Power, walltime: Time) -> bool {
        let fits = |cap: Option<Power>| cap.is_none_or(|cap| idle + more <= cap);
        // It may start now, or where a piece ends under which it may not run.
        let (mut start, mut at) = (now, now);
        while at < start + walltime {
            let (cap, next) = self.cap.from(at);
            if !fits(cap) {
                start = next;
            }
            if next >= Time::FOREVER {
                return fits(cap);
            }
            at = next;
        }
        true
    }

    fn most(&self, now: Time) -> Option<Power> {
        self.bound_at(now)
    }

    fn rests(&self, _: Time) -> bool {
        true
    }

    fn counts_first(&self) -> bool {
        true
    }

    fn limits(&self) -> Option<Vec<(Time, Time, u32)>> {
        let idle = self.estimates.idle * self.machines;
        let each_uw = (self.estimates.computing - self.estimates.idle).as_microwatts();
        let most = |cap: Power| match (cap - idle).as_microwatts() {
            room_uw if room_uw < 0 => 0,
            room_uw => room_uw.checked_div(each_uw).unwrap_or(i64::MAX),
        };
        let pieces = self
            .cap
            .pieces()
            .map(|(from, until, cap)| (from, until, u32::try_from(most(cap)).unwrap_or(u32::MAX)));
        Some(pieces.collect())
    }

    fn allows(&self, expected_draw: &ExpectedDraw, more: More) -> bool {
        // What goes on anyway is not in question where the new is not drawn.
        let spans = expected_draw.spans(more, &self.cap).skip_while(|it| it.until <= more.from);
        let mut concerned = spans.take_while(|it| it.from < more.until);
        concerned.all(|it| it.bound.is_none_or(|cap| it.drawn <= cap))
    }
}
