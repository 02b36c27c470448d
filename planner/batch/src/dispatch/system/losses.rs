//! What is lost between the supplier and the nodes, and what is drawn beside them.
//!
//! As in `ExaDigiT`'s RAPS: a stage that gives `P` draws `(P + c) / efficiency`, with the constant `c` of each device. First
//! the converter of each node, then the rectifiers of each group of nodes (a chassis), which share its load evenly; the
//! group's switches hang before the rectifiers or after them. The facility adds a constant (pumps) and a PUE that goes by the load.

use planner::quantity::Power;

/// What is lost on the way to nodes of one type.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LossChain {
    /// Of each node.
    pub converter: Option<Converter>,
    /// Of each group of nodes.
    pub rectifiers: Option<Rectifiers>,
    /// Of each group of nodes too.
    pub switches: Option<Switches>,
    /// The number of nodes in a group; 0 where there are no groups.
    pub group: u32,
}

/// A device that converts power with a loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Converter {
    /// What it needs itself.
    pub loss: Power,
    /// What arrives of the rest, above 0 and at most 1.
    pub efficiency: f64,
}

/// Rectifiers that share the load of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectifiers {
    /// How many there are.
    pub count: u32,
    /// What each is.
    pub each: Converter,
    /// Up to what load one serves alone: as many are on as the load needs. All are on where this is not said.
    pub sharing: Option<Power>,
}

/// Network switches of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Switches {
    /// How many there are.
    pub count: u32,
    /// What each draws.
    pub each: Power,
    /// Whether the rectifiers feed them too; otherwise they draw beside them.
    pub rectified: bool,
}

impl Converter {
    /// What it draws to give `power`.
    pub fn draws(self, power: Power) -> Power {
        nearest((power + self.loss).as_watts() / self.efficiency)
    }
}

impl Rectifiers {
    /// What they draw together to give `power`.
    pub fn draws(self, power: Power) -> Power {
        let watts = power.as_watts();
        let needed = self.sharing.map(|most| (watts / most.as_watts()).ceil());
        let on = needed.unwrap_or(f64::INFINITY).clamp(1.0, f64::from(self.count.max(1)));
        nearest((watts + on * self.each.loss.as_watts()) / self.each.efficiency)
    }
}

impl LossChain {
    /// What a node draws from its group that needs `power` itself.
    pub fn of_node(&self, power: Power) -> Power {
        self.converter.map_or(power, |converter| converter.draws(power))
    }

    /// What a group draws whose nodes draw `power` from it.
    pub fn of_group(&self, power: Power) -> Power {
        let switches = self.switches.map_or(Power::default(), |it| it.each * it.count);
        let rectified = self.switches.is_some_and(|it| it.rectified);
        let load = if rectified { power + switches } else { power };
        let drawn = self.rectifiers.map_or(load, |rectifiers| rectifiers.draws(load));
        if rectified { drawn } else { drawn + switches }
    }

    /// Whether nodes draw from groups.
    pub const fn has_groups(&self) -> bool {
        self.rectifiers.is_some() || self.switches.is_some()
    }
}

/// What is drawn beside the nodes and what feeds them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facility {
    /// Whatever the load is: pumps.
    pub constant: Power,
    /// The power usage effectiveness by the load: power of the nodes and losses, and the factor, in the order of the
    /// powers. Linear between two points, level beyond them; 1 where there are none.
    pub pue: Vec<(Power, f64)>,
}

impl Facility {
    /// What the whole facility draws where nodes and losses draw `power`.
    pub fn draws(&self, power: Power) -> Power {
        if self.pue.is_empty() {
            return power + self.constant;
        }
        nearest(power.as_watts() * self.factor(power)) + self.constant
    }

    /// The power usage effectiveness at a load.
    fn factor(&self, power: Power) -> f64 {
        let after = self.pue.partition_point(|(at, _)| *at <= power);
        match (after.checked_sub(1).and_then(|at| self.pue.get(at)), self.pue.get(after)) {
            (Some((from, low)), Some((to, high))) => {
                let part = (power - *from).as_watts() / (*to - *from).as_watts();
                low + (high - low) * part
            }
            (Some((_, factor)), None) | (None, Some((_, factor))) => *factor,
            (None, None) => 1.0,
        }
    }
}

/// The nearest microwatt; the largest power for what cannot be said.
fn nearest(watts: f64) -> Power {
    Power::from_watts(watts).unwrap_or(Power::from_microwatts(i64::MAX / 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watts(watts: f64) -> Power {
        Power::from_watts(watts).unwrap()
    }

    /// 20 kW need two rectifiers of 13,670 W, (20,000 + 2 x 17) / 0.96 = 20,868.75 W; 60 kW would need five and have
    /// four, (60,000 + 68) / 0.96 = 62,570.833 W; none at all still one, 17 / 0.96 = 17.708 W.
    #[test]
    fn as_many_rectifiers_are_on_as_the_load_needs() {
        let each = Converter { loss: watts(17.0), efficiency: 0.96 };
        let rectifiers = Rectifiers { count: 4, each, sharing: Some(watts(13_670.0)) };
        let drawn = [20_000.0, 60_000.0, 0.0].map(|it| rectifiers.draws(watts(it)).as_watts());
        for (drawn, expected) in drawn.iter().zip([20_868.75, 62_570.833_333, 17.708_333]) {
            assert!((drawn - expected).abs() < 1e-5, "{drawn}");
        }
    }

    /// A PUE of 1.5 up to 100 W and of 1.1 from 300 W on: at 50 W 75 W, at 200 W 200 x 1.3 = 260 W, at 400 W 440 W; and 10 W of
    /// pumps.
    #[test]
    fn the_pue_goes_by_the_load() {
        let pue = vec![(watts(100.0), 1.5), (watts(300.0), 1.1)];
        let facility = Facility { constant: watts(10.0), pue };
        let drawn = [50.0, 200.0, 400.0].map(|it| facility.draws(watts(it)).as_watts());
        assert!(drawn.iter().zip([85.0, 270.0, 450.0]).all(|(it, to)| (it - to).abs() < 1e-6));
    }
}
