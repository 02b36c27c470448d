//! How somebody stands, as they are told it before they book.

use planner::fair_share::{Advice, AdviceRules, Prospect, ShareFactor, advise, advise_on_offers};
use planner::json::decision::{DecisionDocument, OfferDocument};
use planner::json::standing::{AdviceDocument, OfferStandingDocument, StandingDocument};
use planner::quantity::Currency;

use crate::config::shares::CountedUsage;

/// How the account stands that a request is for, and what it rests on.
#[derive(Clone, Debug)]
pub struct ToldStanding {
    /// The user.
    pub account: String,
    /// The project; empty for none.
    pub parent: String,
    /// What counts.
    pub counts: CountedUsage,
    /// In what money is told.
    pub currency: Currency,
    /// How the account stands, and what would change it.
    pub prospect: Prospect,
    /// What advice rests on.
    pub rules: AdviceRules,
}

impl ToldStanding {
    /// Tells it with a decision and each of its offers.
    pub fn tell(&self, decision: &mut DecisionDocument) {
        decision.standing = Some(self.document(decision.offers.iter()));
        let all = decision.offers.iter_mut().chain(&mut decision.pareto);
        all.chain(&mut decision.as_soon_as_possible).for_each(|it| self.tell_offer(it));
    }

    /// Tells what an offer would do.
    pub fn tell_offer(&self, offer: &mut OfferDocument) {
        let uses = uses(self.counts, offer);
        let (factor, factor_after) = (self.prospect.factor(), self.prospect.factor_with(uses));
        offer.standing = Some(OfferStandingDocument { factor, factor_after, uses });
    }

    /// How the account stands, with advice on these offers.
    pub fn document<'a>(
        &self,
        offers: impl Iterator<Item = &'a OfferDocument>,
    ) -> StandingDocument {
        let offers: Vec<&OfferDocument> = offers.collect();
        let uses: Vec<f64> = offers.iter().map(|it| uses(self.counts, it)).collect();
        let on_offers = advise_on_offers(&self.prospect, &uses);
        let mut advice = self.advice();
        advice.extend(on_offers.map(|it| AdviceDocument::new(it, self.detail(it, &offers))));
        StandingDocument {
            account: self.account.clone(),
            parent: self.parent.clone(),
            counts: self.counts.word(),
            factor: self.prospect.factor(),
            until_half: self.until_half(),
            advice,
        }
    }

    /// How much more may be used until the factor is a half.
    pub fn until_half(&self) -> Option<f64> {
        self.prospect.until(ShareFactor::HALF.as_f64())
    }

    /// What can be done whatever is booked.
    pub fn advice(&self) -> Vec<AdviceDocument> {
        let all = advise(&self.prospect, &self.rules).into_iter();
        all.map(|advice| AdviceDocument::new(advice, self.detail(advice, &[]))).collect()
    }

    /// Advice in words; on offers where it is about them.
    fn detail(&self, advice: Advice, offers: &[&OfferDocument]) -> String {
        match advice {
            Advice::Wait { until, days, factor } => format!(
                "the factor is {factor:.4} at {until}, in {days} {}, if nothing more is used or booked until then",
                if days == 1 { "day" } else { "days" }
            ),
            Advice::UntilHalf { left } => {
                format!("{} more may be used until the factor is a half", self.amount(left))
            }
            Advice::LeastUsed { offer, instead_of, factor, gain } => {
                let named = |at: usize| {
                    offers.get(at).map_or_else(
                        || format!("offer {}", at + 1),
                        |it| format!("the offer of {} nodes from {}", it.node_count, it.start),
                    )
                };
                let (best, other) = (named(offer), named(instead_of));
                format!("{best} leaves a factor of {factor:.4}, {gain:.4} more than {other}")
            }
        }
    }

    fn amount(&self, counted: f64) -> String {
        match self.counts {
            CountedUsage::Energy => format!("{:.3} kWh", counted / 3.6e6),
            CountedUsage::NodeSeconds => format!("{:.1} node-hours", counted / 3600.0),
            CountedUsage::Cost => format!("{counted:.2} {}", self.currency),
            CountedUsage::Co2 => format!("{:.3} kg of CO2", counted / 1000.0),
        }
    }
}

/// What counts of an offer. What costs less than nothing counts nothing, and no fee for extra power counts, since the ledger
/// has none.
fn uses(counts: CountedUsage, offer: &OfferDocument) -> f64 {
    match counts {
        CountedUsage::Energy => offer.energy_j,
        CountedUsage::NodeSeconds => {
            f64::from(offer.node_count) * (offer.end - offer.start).get() as f64
        }
        CountedUsage::Cost => (offer.cost - offer.extra_power_fee.unwrap_or_default()).max(0.0),
        CountedUsage::Co2 => offer.co2_g.max(0.0),
    }
}
