//! Nodes on which jobs arrive unannounced: from when on they may be switched off, millisecond by millisecond.

use planner::agenda::Agenda;
use planner::criterion::Criterion;
use planner::power_plan::Switching;
use planner::quantity::{Power, Rate};
use planner::time::Span;

use super::{Oracle, ms};

impl Oracle<'_> {
    /// The earliest millisecond at which a node may be switched off in a gap, at a whole second.
    pub(super) fn earliest_off(&self, node: u32, gap: Span) -> Option<i64> {
        let start = ms(gap.start());
        if !self.problem.unannounced.contains(node) {
            return Some(start);
        }
        let is_idle_now = gap.start() == self.problem.horizon.start();
        let since = self.problem.idle_since.get(&node).filter(|_| is_idle_now);
        let since = since.map_or(start, |since| ms(*since));
        let first = (since..=ms(gap.end())).find(|at| self.has_idled(node, since, *at))?;
        Some(((first + 999).div_euclid(1000) * 1000).max(start))
    }

    /// Whether idling has cost as much more than being off as a cycle that begins at an instant, and is woken at once.
    fn has_idled(&self, node: u32, since: i64, at: i64) -> bool {
        let Switching { sleep, .. } = self.problem.switching[node as usize].unwrap();
        let length = |time: std::time::Duration| i64::try_from(time.as_millis()).unwrap();
        let is_off = at + length(sleep.switching_off.time);
        let is_on = is_off + length(sleep.switching_on.time);
        let criterion = self.problem.rank_by.first();
        let costs = |power: Power, from: i64, until: i64| {
            let above = i128::from(power.as_microwatts() - sleep.off.as_microwatts());
            above * self.rate(criterion, from, until.min(ms(self.problem.horizon.end())))
        };
        let idle = self.problem.nodes.as_slice()[node as usize].idle();
        let (wear, (probability, loss)) = (self.problem.wear, self.problem.failure);
        let cycle = wear.thousandths(criterion).unwrap()
            + loss.thousandths(criterion).unwrap() * i128::from(probability) / 1_000_000
            + costs(sleep.switching_off.power, at, is_off)
            + costs(sleep.switching_on.power, is_off, is_on);
        costs(idle, since, at) >= cycle
    }

    /// The integral of a rate as far as it is known.
    fn rate(&self, criterion: Criterion, from: i64, until: i64) -> i128 {
        let agendas = &self.problem.agendas;
        match criterion {
            Criterion::Energy => i128::from((until - from).max(0)),
            Criterion::Cost => sum(agendas.price.agenda(), from, until),
            Criterion::Co2 => sum(agendas.co2.agenda(), from, until),
        }
    }
}

fn sum<R: Rate>(agenda: &Agenda<R>, from: i64, until: i64) -> i128 {
    let parts = agenda.pieces().iter().map(|piece| {
        let both = ms(piece.span.end()).min(until) - ms(piece.span.start()).max(from);
        i128::from(piece.value.as_millionths()) * i128::from(both.max(0))
    });
    parts.sum()
}
