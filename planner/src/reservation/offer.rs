//! Offers as they are held: a start with exact amounts.

use crate::criterion::Values;
use crate::decision::{Offer, Savings};
use crate::identity::OfferId;
use crate::node::Nodes;
use crate::node_set::NodeSet;
use crate::order::NodeOrder;
use crate::preference::Preference;
use crate::quantity::{CarbonMass, Energy, Money, Power};
use crate::ranking::Ranking;
use crate::slower_states::Slowing;
use crate::time::{Seconds, Span, Timestamp};

/// More nodes than this are told without their names.
pub const MAX_NAMES: u32 = 64;

/// An offer of a reservation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldOffer {
    /// By what it is chosen.
    pub id: OfferId,
    /// What was offered, with the nodes that it has now.
    pub terms: OfferTerms,
}

/// What is offered: when, on which nodes, and what that takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferTerms {
    /// The rankings that it wins; none of the compromise where others win all.
    pub rankings: Vec<Ranking>,
    /// Whether it is the compromise of its decision.
    pub is_compromise: bool,
    /// From its start to its end.
    pub span: Span,
    /// The nodes it takes; where others took the place of some, those that it has in the end.
    pub nodes: NamedNodes,
    /// Energy, CO2 and cost, without the fee for extra power.
    pub values: Values,
    /// What it changes of what nodes consume that nobody has, as it was when it was offered; `None` where that is not counted.
    pub idle_change: Option<Values>,
    /// What the supplier takes for the extra power that it needs; `None` where it needs none.
    pub extra_power_fee: Option<Money>,
    /// The sum of the nodes' maximum power.
    pub peak_power: Power,
    /// From the earliest start.
    pub delay: Seconds,
    /// What it saves against starting as soon as possible.
    pub saves: Savings,
    /// The least and the most that it will probably cost, without the fee, where a part of the prices
    /// is an estimate.
    pub cost_band: Option<(Money, Money)>,
    /// The least and the most CO2 that it will probably emit, where a part of the intensities is an
    /// estimate.
    pub co2_band: Option<(CarbonMass, CarbonMass)>,
    /// Positions in the decision's basis that it rests on; `None` where it is all of it.
    pub basis: Option<Vec<usize>>,
    /// The slower state of its nodes; `None` at full speed.
    pub slowing: Option<Box<Slowing>>,
}

/// A set of nodes with the names by which it is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedNodes {
    /// The names, for up to [`MAX_NAMES`] nodes.
    pub names: Option<Vec<String>>,
    /// Ordinals in input order.
    pub ordinals: NodeSet,
}

impl NamedNodes {
    /// The nodes of these ranks in an order.
    pub fn new(ranks: &NodeSet, order: &NodeOrder, nodes: &Nodes) -> Self {
        let ordinals = order.ordinals(ranks);
        let names = || ordinals.positions().map(|o| nodes.name(o).into_owned()).collect();
        Self { names: (ordinals.count() <= MAX_NAMES).then(names), ordinals }
    }

    /// How many they are.
    pub fn count(&self) -> u32 {
        self.ordinals.count()
    }
}

/// What an offer takes more than it did, since it ends later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddedAmounts {
    /// Energy, cost and CO2.
    pub values: Values,
    /// The least and the most that it will probably cost more, where the prices are estimates.
    pub cost_band: Option<(Money, Money)>,
    /// The least and the most CO2 that it will probably emit more, where the intensities are estimates.
    pub co2_band: Option<(CarbonMass, CarbonMass)>,
}

impl OfferTerms {
    /// The terms of an offer whose nodes are ranks of `order`.
    pub fn new(offer: &Offer, order: &NodeOrder, nodes: &Nodes) -> Self {
        Self::on(NamedNodes::new(&offer.ranks, order, nodes), offer)
    }

    /// The terms of an offer on these nodes.
    pub(crate) fn on(nodes: NamedNodes, offer: &Offer) -> Self {
        Self {
            rankings: offer.rankings.clone(),
            is_compromise: false,
            span: offer.span,
            nodes,
            values: offer.values,
            idle_change: offer.idle_change.as_deref().copied(),
            extra_power_fee: None,
            peak_power: offer.peak_power,
            delay: offer.delay,
            saves: offer.saves,
            cost_band: None,
            co2_band: None,
            basis: None,
            slowing: offer.slowing.clone(),
        }
    }

    /// Whether it is chosen by a preference.
    pub fn is_preferred_by(&self, preference: Preference) -> bool {
        match preference {
            Preference::Ranking(ranking) => self.rankings.contains(&ranking),
            Preference::Compromise => self.is_compromise,
        }
    }

    /// All that it costs: the energy, and the fee for extra power.
    pub fn cost(&self) -> Money {
        match self.extra_power_fee {
            Some(fee) => self.values.cost + fee,
            None => self.values.cost,
        }
    }

    /// The terms with other nodes, which take `more` energy. Cost and CO2 change in proportion; the fee
    /// for extra power stays.
    #[must_use]
    pub fn redrawn(self, nodes: NamedNodes, peak_power: Power, more: Energy) -> Self {
        let Self { values, saves, .. } = self;
        if values.energy <= Energy::default() {
            return Self { nodes, peak_power, ..self };
        }
        let energy = values.energy + more;
        let cost = |it: Money| it.in_proportion(energy, values.energy);
        let co2 = |it: CarbonMass| it.in_proportion(energy, values.energy);
        let after = Values { energy, cost: cost(values.cost), co2: co2(values.co2) };
        let less = Savings::against(&values, &after);
        Self {
            nodes,
            peak_power,
            values: after,
            saves: Savings {
                energy: saves.energy + less.energy,
                cost: saves.cost + less.cost,
                co2: saves.co2 + less.co2,
            },
            cost_band: self.cost_band.map(|(low, high)| (cost(low), cost(high))),
            co2_band: self.co2_band.map(|(low, high)| (co2(low), co2(high))),
            ..self
        }
    }

    /// The terms with a later end, until which it takes `more`. What was promised until the end that it had
    /// stays, and so does what its start saved when it was offered.
    #[must_use]
    pub fn extended(self, end: Timestamp, more: &AddedAmounts) -> Self {
        let Values { energy, cost, co2 } = self.values;
        let sure = (more.values.cost, more.values.co2);
        let cost_band = (self.cost_band.is_some() || more.cost_band.is_some()).then(|| {
            let (low, high) = self.cost_band.unwrap_or((cost, cost));
            let (more_low, more_high) = more.cost_band.unwrap_or((sure.0, sure.0));
            (low + more_low, high + more_high)
        });
        let co2_band = (self.co2_band.is_some() || more.co2_band.is_some()).then(|| {
            let (low, high) = self.co2_band.unwrap_or((co2, co2));
            let (more_low, more_high) = more.co2_band.unwrap_or((sure.1, sure.1));
            (low + more_low, high + more_high)
        });
        Self {
            span: Span::new(self.span.start(), end).unwrap_or(self.span),
            values: Values {
                energy: energy + more.values.energy,
                cost: cost + sure.0,
                co2: co2 + sure.1,
            },
            cost_band,
            co2_band,
            ..self
        }
    }

    /// The terms with fewer nodes, which take so much less. What its start saved when it was offered stays.
    #[must_use]
    pub fn on_fewer_nodes(self, nodes: NamedNodes, peak_power: Power, less: &Values) -> Self {
        let Values { energy, cost, co2 } = self.values;
        let cheaper = |it: Money| it - less.cost;
        let cleaner = |it: CarbonMass| it - less.co2;
        Self {
            nodes,
            peak_power,
            values: Values { energy: energy - less.energy, cost: cheaper(cost), co2: cleaner(co2) },
            cost_band: self.cost_band.map(|(low, high)| (cheaper(low), cheaper(high))),
            co2_band: self.co2_band.map(|(low, high)| (cleaner(low), cleaner(high))),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::Currency;

    fn values(energy: i128, cost: i128, co2: i128) -> Values {
        Values {
            energy: Energy::from_microjoules(energy),
            cost: Money::from_exact(cost, Currency::EUR),
            co2: CarbonMass::from_exact(co2),
        }
    }

    fn money(low: i128, high: i128) -> (Money, Money) {
        (Money::from_exact(low, Currency::EUR), Money::from_exact(high, Currency::EUR))
    }

    /// Three nodes for 100 s take 300, cost 30 and emit 60; they save 1, 2 and 3.
    fn terms() -> OfferTerms {
        let saves = Savings::against(&values(301, 32, 63), &values(300, 30, 60));
        OfferTerms {
            rankings: Ranking::ALL.to_vec(),
            is_compromise: true,
            span: Span::starting(Timestamp::MIN, Seconds::new(100)).unwrap(),
            nodes: NamedNodes { names: None, ordinals: NodeSet::from_positions(0..3) },
            values: values(300, 30, 60),
            idle_change: None,
            extra_power_fee: None,
            peak_power: Power::from_microwatts(9),
            delay: Seconds::new(0),
            saves,
            cost_band: None,
            co2_band: None,
            basis: None,
            slowing: None,
        }
    }

    /// 50 s more take 150 at 20 and 30, of which the price is an estimate between 15 and 28: with the 30 that
    /// are sure the whole costs 45 to 58.
    #[test]
    fn a_later_end_adds_what_it_takes() {
        let (before, end) = (terms(), Timestamp::from_unix_seconds(150));
        let more = values(150, 20, 30);
        let added = AddedAmounts { values: more, cost_band: Some(money(15, 28)), co2_band: None };
        let after = before.clone().extended(end, &added);
        assert_eq!((after.span.end(), after.values), (end, values(450, 50, 90)));
        assert_eq!((after.cost_band, after.co2_band), (Some(money(45, 58)), None));
        assert_eq!((&after.nodes, after.saves), (&before.nodes, before.saves));
        // And once more, by what is sure.
        let sure = AddedAmounts { cost_band: None, ..added };
        let later = after.extended(Timestamp::from_unix_seconds(200), &sure);
        assert_eq!((later.values, later.cost_band), (values(600, 70, 120), Some(money(65, 78))));
    }

    /// A third of the nodes is given back for the last 40 s: 40 less of 300, 4 of 30 and 8 of 60.
    #[test]
    fn fewer_nodes_take_less() {
        let before = OfferTerms { cost_band: Some(money(25, 35)), ..terms() };
        let left = NamedNodes { names: None, ordinals: NodeSet::from_positions(0..2) };
        let peak = Power::from_microwatts(6);
        let after = before.clone().on_fewer_nodes(left.clone(), peak, &values(40, 4, 8));
        assert_eq!((after.values, after.cost_band), (values(260, 26, 52), Some(money(21, 31))));
        assert_eq!((after.nodes, after.peak_power, after.span), (left, peak, before.span));
    }
}
