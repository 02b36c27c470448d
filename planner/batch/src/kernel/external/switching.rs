//! Machines being switched at the scheduler's word.

use serde::Deserialize;
use serde_json::json;

use super::message::Decision;
use super::session::Session;
use crate::job::Job;
use crate::kernel::{Observer, SimulationError};
use crate::machine_ranges;
use crate::scheduler::{PowerOrder, PowerTarget, Switched};

#[derive(Deserialize)]
struct SetResourceState {
    resources: String,
    /// Text in the protocol; a number says the same.
    state: serde_json::Value,
}

impl<E, J: Iterator<Item = Result<Job, E>>, O: Observer> Session<'_, J, O> {
    /// `SET_RESOURCE_STATE`.
    pub(super) fn set_resource_state(
        &mut self,
        decision: &Decision,
    ) -> Result<(), SimulationError<E>> {
        let SetResourceState { resources, state } = decision.data()?;
        let machines =
            machine_ranges::read_each_once(&resources).map_err(|what| decision.wrong(what))?;
        let platform = self.cluster.platform;
        let last = machines.ranges().last().map_or(0, |range| range.end);
        if machines.is_empty() || last > platform.machines() {
            let there = platform.machines();
            let what = format!("resources {resources:?}: the machines are 0 to {}", there - 1);
            return Err(decision.wrong(what).into());
        }
        let text = state.as_str().map_or_else(|| state.to_string(), str::to_owned);
        let number: Option<u16> = text.parse().ok();
        if number.is_some() && number == platform.off_number() {
            if !machines.difference(self.state.machines().idle()).is_empty() {
                let what = format!("machines {resources} are not all on and idle");
                return Err(decision.wrong(what).into());
            }
            return self.state.order(
                self.now,
                PowerOrder { machines, to: PowerTarget::Off },
                self.observer,
            );
        }
        let mut numbers = platform.state_numbers();
        let Some(target) = numbers.position(|of| Some(of) == number) else {
            let what = format!("state {text:?} is no power state of the machines");
            return Err(decision.wrong(what).into());
        };
        let off = machines.intersection(self.state.machines().off());
        let on = machines.difference(&off);
        if !on.difference(self.state.machines().idle()).is_empty() {
            let what = format!("machines {} neither idle nor off", machine_ranges::text(&on));
            return Err(decision.wrong(what).into());
        }
        if !on.is_empty() {
            let order = PowerOrder { machines: on.clone(), to: PowerTarget::State(target) };
            self.state.order(self.now, order, self.observer)?;
            self.tell_state(&machine_ranges::text(&on), &text);
        }
        if !off.is_empty() {
            self.wanted.push((off.clone(), target));
            self.state.order(
                self.now,
                PowerOrder { machines: off, to: PowerTarget::On },
                self.observer,
            )?;
        }
        Ok(())
    }

    /// Ends the switches that end now, and tells of them.
    pub(super) fn end_switches(&mut self) -> Result<(), SimulationError<E>> {
        let mut ended = Vec::new();
        self.state.end_switches(self.now, &mut ended, self.observer)?;
        for Switched { machines, on } in ended {
            let text = machine_ranges::text(&machines);
            let platform = self.cluster.platform;
            if !on {
                let number = platform.off_number().unwrap_or_default();
                self.tell_state(&text, &number.to_string());
                continue;
            }
            let of =
                |(wanted, _): &(planner::node_set::NodeSet, usize)| wanted.intersects(&machines);
            let place = self.wanted.iter().position(of);
            let target = place.map_or(platform.initial(), |place| self.wanted[place].1);
            for (wanted, _) in &mut self.wanted {
                *wanted = wanted.difference(&machines);
            }
            self.wanted.retain(|(wanted, _)| !wanted.is_empty());
            let number = platform.state_numbers().nth(target).unwrap_or_default();
            // They come up in the state that they were in.
            let order = PowerOrder { machines, to: PowerTarget::State(target) };
            if platform.state_numbers().count() > 1 {
                self.state.order(self.now, order, self.observer)?;
            }
            self.tell_state(&text, &number.to_string());
        }
        Ok(())
    }

    fn tell_state(&mut self, resources: &str, state: &str) {
        self.tell("RESOURCE_STATE_CHANGED", json!({"resources": resources, "state": state}));
    }
}
