//! What a month draws, costs and emits: bookings laid over what nodes did, exactly.

use planner::agenda::RateAgenda;
use planner::power_plan::CriteriaAmounts;
use planner::quantity::{Power, Rate};
use planner::time::Span;

use super::PowerMonth;
use super::course::{NodeActivity, NodeCourse, NodeHold, PlayedPower};
use super::orders::millis;

/// What the nodes of a month took, by what they did. A cost or a mass is not known where its agenda does not cover the month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerAccount {
    /// By nodes that computed for bookings.
    pub computing: CriteriaAmounts,
    /// By nodes that were on without a booking, or out of service.
    pub idle: CriteriaAmounts,
    /// By nodes that were off.
    pub off: CriteriaAmounts,
    /// By nodes that were being switched, in gaps or in the time of bookings to which they came late.
    pub switching: CriteriaAmounts,
    /// What switching wears off, apart from what is drawn.
    pub wear: CriteriaAmounts,
    /// The nodes that came late to a booking, each time.
    pub late_nodes: u64,
    /// The node-milliseconds of bookings in which their nodes were not up.
    pub late_ms: u64,
}

impl PowerAccount {
    const NOTHING: Self = Self {
        computing: CriteriaAmounts::ZERO,
        idle: CriteriaAmounts::ZERO,
        off: CriteriaAmounts::ZERO,
        switching: CriteriaAmounts::ZERO,
        wear: CriteriaAmounts::ZERO,
        late_nodes: 0,
        late_ms: 0,
    };

    /// What is drawn without computing for anybody, and wear.
    pub fn beside_computing(&self) -> CriteriaAmounts {
        self.idle + self.off + self.switching + self.wear
    }

    /// What is drawn altogether.
    pub fn drawn(&self) -> CriteriaAmounts {
        self.computing + self.idle + self.off + self.switching
    }
}

/// What a month took that was played, or planned by the oracle.
pub fn account(month: &PowerMonth, played: &PlayedPower) -> PowerAccount {
    let rates = MonthRates::of(month);
    let mut sum = PowerAccount::NOTHING;
    for (node, course) in played.nodes.iter().enumerate() {
        let own = OneNode { month, rates: &rates, node };
        own.add(course, &mut sum);
    }
    let cycles = i64::try_from(played.counts.sleeps).unwrap_or(i64::MAX);
    sum.wear = month.rules.wear.times_millionths(cycles.saturating_mul(1_000_000));
    sum
}

/// What the month would take if all nodes were on throughout.
pub fn without_manager(month: &PowerMonth) -> PowerAccount {
    let mut nodes = month.nodes_at_start();
    for (place, booking) in month.bookings.iter().enumerate() {
        for node in booking.nodes.positions() {
            let hold = NodeHold { span: booking.span, booking: place };
            nodes[node as usize].course.hold(hold);
        }
    }
    let nodes = nodes.into_iter().map(|node| node.course).collect();
    account(month, &PlayedPower { nodes, ..PlayedPower::default() })
}

struct OneNode<'a> {
    month: &'a PowerMonth,
    rates: &'a MonthRates,
    node: usize,
}

impl OneNode<'_> {
    fn add(&self, course: &NodeCourse, sum: &mut PowerAccount) {
        let end = millis(self.month.month.end());
        let mut late = vec![0_u64; course.holds.len()];
        for (from, until, activity) in course.spans(end) {
            let mut at = from;
            let first = course.holds.partition_point(|hold| millis(hold.span.end()) <= from);
            for (place, hold) in course.holds.iter().enumerate().skip(first) {
                let (start, stop) =
                    (millis(hold.span.start()).max(from), millis(hold.span.end()).min(until));
                if start >= until {
                    break;
                }
                self.draw(activity, None, (at, start), sum);
                self.draw(activity, Some(hold), (start, stop), sum);
                if activity != NodeActivity::Up {
                    late[place] += (stop - start).unsigned_abs();
                }
                at = stop;
            }
            self.draw(activity, None, (at, until), sum);
        }
        sum.late_nodes += late.iter().filter(|late| **late > 0).count() as u64;
        sum.late_ms += late.iter().sum::<u64>();
    }

    /// Adds what the node draws from a millisecond to another.
    fn draw(
        &self,
        activity: NodeActivity,
        hold: Option<&NodeHold>,
        (from, until): (i64, i64),
        sum: &mut PowerAccount,
    ) {
        if from >= until {
            return;
        }
        let idle = self.month.nodes.as_slice()[self.node].idle();
        let sleep = self.month.switching[self.node].map(|it| it.sleep);
        let (part, power) = match (activity, hold, sleep) {
            (NodeActivity::Up, Some(hold), _) => {
                let draws = &self.month.bookings[hold.booking].draws;
                (&mut sum.computing, draws[self.node])
            }
            (NodeActivity::SwitchingOff, _, Some(sleep)) => {
                (&mut sum.switching, sleep.switching_off.power)
            }
            (NodeActivity::SwitchingOn, _, Some(sleep)) => {
                (&mut sum.switching, sleep.switching_on.power)
            }
            (NodeActivity::Off, _, Some(sleep)) => (&mut sum.off, sleep.off),
            _ => (&mut sum.idle, idle),
        };
        *part = *part + self.rates.between(power, from, until);
    }
}

/// Energy, price and intensity over the month, as integrals from its start on.
struct MonthRates {
    start_ms: i64,
    price: Option<Steps>,
    co2: Option<Steps>,
}

impl MonthRates {
    fn of(month: &PowerMonth) -> Self {
        Self {
            start_ms: millis(month.month.start()),
            price: Steps::of(&month.agendas.price, month.month),
            co2: Steps::of(&month.agendas.co2, month.month),
        }
    }

    /// What a power draws, costs and emits from a millisecond to another, in thousandths of exact units.
    fn between(&self, power: Power, from: i64, until: i64) -> CriteriaAmounts {
        let microwatts = i128::from(power.as_microwatts());
        let (from, until) = (from - self.start_ms, until - self.start_ms);
        let of = |steps: &Option<Steps>| {
            steps.as_ref().map(|steps| microwatts * (steps.up_to(until) - steps.up_to(from)))
        };
        let energy = microwatts * i128::from(until - from);
        CriteriaAmounts::from_thousandths([Some(energy), of(&self.price), of(&self.co2)])
    }
}

/// A rate in steps: the milliseconds from the start of the month at which each begins, the rate, and the integral until then.
struct Steps(Vec<(i64, i64, i128)>);

impl Steps {
    /// `None` where the agenda does not cover the month.
    fn of<R: Rate>(agenda: &RateAgenda<R>, month: Span) -> Option<Self> {
        if !agenda.agenda().covers(month) {
            return None;
        }
        let mut steps: Vec<(i64, i64, i128)> = Vec::new();
        for piece in agenda.agenda().overlapping(month) {
            let from = (millis(piece.span.start()) - millis(month.start())).max(0);
            let until_here = steps.last().map_or(0, |&(start, rate, integral)| {
                integral + i128::from(rate) * i128::from(from - start)
            });
            steps.push((from, piece.value.as_millionths(), until_here));
        }
        Some(Self(steps))
    }

    fn up_to(&self, at: i64) -> i128 {
        let next = self.0.partition_point(|step| step.0 <= at);
        let last = next.checked_sub(1).map(|last| self.0[last]);
        last.map_or(0, |(start, rate, integral)| {
            integral + i128::from(rate) * i128::from(at - start)
        })
    }
}
