//! Whether a decision is the one that brute force makes.

use std::collections::BTreeSet;

use planner::decision::{Decision, Offer, Reason, ReasonCode, Shortage};
use planner::order::NodeOrder;

use super::{Feasible, Oracle, OracleDecision, OracleStart};

impl Oracle<'_> {
    /// Panics where a reason does not bind where it says, or another start comes closer.
    #[track_caller]
    pub fn assert_reasons_bind(&self, decided: &OracleDecision, decision: &Decision) {
        // The checker judges where a window has no slot.
        let binding = decision.reasons.iter().filter(|it| it.code != ReasonCode::NoSlot);
        for reason in binding {
            assert!(self.binds(decided, reason), "where it binds: {reason:?}");
        }
    }

    fn binds(&self, decided: &OracleDecision, reason: &Reason) -> bool {
        let binding = &reason.binding;
        let missing: i128 = match (reason.code, binding.shortage) {
            (ReasonCode::AgendaGap, Shortage::Agenda(_)) => 0,
            (ReasonCode::Nodes, Shortage::Nodes(nodes)) => nodes.into(),
            (ReasonCode::PowerCap, Shortage::Power(power)) => power.as_microwatts().into(),
            _ => return false,
        };
        let start = binding.start.as_unix_seconds();
        let excluded = || decided.excluded(reason.code);
        let least = excluded().map(|(_, missing)| missing).min();
        least == Some(missing)
            && excluded().any(|(it, its_missing)| {
                it.start == start
                    && its_missing == missing
                    && self.world.is_short(start, it.shape, binding.span, binding.shortage)
            })
    }
}

impl OracleDecision {
    /// Panics where the decision is not this one: words, counts, starts, node sets and values.
    #[track_caller]
    pub fn assert_is(&self, order: &NodeOrder, decision: &Decision) {
        self.assert_offers_are(order, decision);
        assert_eq!(decision.candidate_starts, self.looked_at.len() as u64, "candidate starts");
        let reasons: Vec<_> =
            decision.reasons.iter().map(|reason| (reason.code, reason.excluded_starts)).collect();
        assert_eq!(reasons, self.reasons(), "reasons");
        let pareto: Vec<_> = decision.pareto.iter().map(|it| stated(order, it)).collect();
        assert_eq!(pareto, starts(&self.pareto), "Pareto front");
        assert_eq!(decision.compromise, self.compromise(), "compromise");
    }

    /// Panics where the decision offers other starts, or the first one differs.
    #[track_caller]
    pub fn assert_offers_are(&self, order: &NodeOrder, decision: &Decision) {
        assert_eq!(decision.word(), self.word());
        let soonest = decision.as_soon_as_possible.as_ref().map(|it| stated(order, it));
        assert_eq!(
            soonest,
            self.soonest.as_ref().map(|it| it.start.clone()),
            "as soon as possible"
        );
        let offers: Vec<_> = decision
            .offers()
            .iter()
            .map(|offer| (stated(order, offer), offer.rankings.clone()))
            .collect();
        let expected =
            self.offers.iter().map(|(it, rankings)| (it.start.clone(), rankings.clone()));
        assert_eq!(offers, expected.collect::<Vec<_>>(), "offers");
        for offer in decision.offers().iter().chain(&decision.pareto) {
            self.assert_savings_of(offer);
        }
    }

    #[track_caller]
    fn assert_savings_of(&self, offer: &Offer) {
        let soonest = &self.soonest.as_ref().unwrap().start;
        let (values, saves) = (&offer.values, &offer.saves);
        let energy = saves.energy.as_microjoules() + values.energy.as_microjoules();
        let cost = saves.cost.as_exact() + values.cost.as_exact();
        let co2 = saves.co2.as_exact() + values.co2.as_exact();
        assert_eq!([energy, cost, co2], [soonest.energy, soonest.cost, soonest.co2], "savings");
    }
}

fn starts(feasible: &[Feasible]) -> Vec<OracleStart> {
    feasible.iter().map(|it| it.start.clone()).collect()
}

/// An offer in the oracle's terms.
fn stated(order: &NodeOrder, offer: &Offer) -> OracleStart {
    let nodes: BTreeSet<u32> = order.ordinals(&offer.ranks).positions().collect();
    OracleStart {
        start: offer.span.start().as_unix_seconds(),
        duration: offer.span.length().get(),
        nodes: nodes.into_iter().collect(),
        energy: offer.values.energy.as_microjoules(),
        cost: offer.values.cost.as_exact(),
        co2: offer.values.co2.as_exact(),
        peak_power: offer.peak_power.as_microwatts().into(),
        delay: offer.delay.get(),
        slowing: offer
            .slowing
            .as_ref()
            .map(|it| (it.state.name.to_string(), it.state.speed.as_millionths(), it.later.get())),
    }
}
