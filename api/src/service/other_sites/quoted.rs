//! What a site says to a quote, read with care: it is somebody else's program.

use grid_feeds::feed::{Accounting, Factors};
use planner::criterion::{Criterion, Values};
use planner::json::co2_accounting::Co2AccountingDocument;
use planner::quantity::{CarbonMass, Currency, Energy, Money};
use planner::request::Request;
use planner::search::SiteStart;
use planner::time::{Seconds, Timestamp};
use serde::Deserialize;

use super::figures::Figures;

/// A quote of a site, as far as it counts here.
#[derive(Deserialize)]
pub(super) struct SiteQuote {
    #[serde(default)]
    reasons: Vec<QuotedReason>,
    #[serde(default)]
    co2_accounting: Option<Co2AccountingDocument>,
    /// The starts that no other of the site beats.
    pareto: Vec<QuotedOffer>,
}

#[derive(Deserialize)]
struct QuotedReason {
    detail: String,
}

#[derive(Clone, Deserialize)]
struct QuotedOffer {
    #[serde(flatten)]
    figures: Figures,
    currency: String,
    peak_power_w: f64,
    idle_change: Option<QuotedIdleChange>,
    power_state: Option<String>,
    speed: Option<f64>,
}

#[derive(Clone, Copy, Deserialize)]
struct QuotedIdleChange {
    energy_j: f64,
    cost: f64,
    co2_g: f64,
}

/// A start that a site offers.
#[derive(Clone, Debug)]
pub struct QuotedStart {
    /// As the site told it.
    pub figures: Figures,
    /// The currency of the site.
    pub currency: Currency,
    /// The sum of the nodes' maximum power, watts.
    pub peak_power_w: f64,
    /// The slower state of its nodes; `None` at full speed.
    pub power_state: Option<String>,
    /// How fast nodes compute in it.
    pub speed: Option<f64>,
    /// Energy, cost and CO2 in this site's currency.
    pub values: Values,
    /// What it changes of idle nodes' energy, cost and CO2, where the site counts that.
    pub idle_change: Option<Values>,
}

/// Why a quote does not count.
#[derive(Debug, thiserror::Error)]
pub(super) enum QuoteFault {
    /// It is none.
    #[error(
        "does not answer as a Wattbook of this version does ({0}); ask those who run both sites to bring them to one version"
    )]
    Unreadable(String),
    /// It offers what was not asked for.
    #[error(
        "offers what was not asked for ({0}), so that nothing of it is shown; tell those who run it"
    )]
    NotAsked(String),
    /// Its amounts cannot be compared.
    #[error(
        "counts in {0}, and the settings do not say what that is in {1}: exchange_rate in its [[sites]]"
    )]
    Currency(String, Currency),
}

/// Against what a quote is read.
pub(super) struct QuoteTerms<'a> {
    /// What was asked of all sites.
    pub(super) request: &'a Request,
    /// The first start that the site was asked for.
    pub(super) earliest: Timestamp,
    /// How long results are on their way back.
    pub(super) output: Seconds,
    /// The currency of this site.
    pub(super) currency: Currency,
    /// What one unit of the other site's currency is in it.
    pub(super) exchange_rate: Option<f64>,
}

impl SiteQuote {
    /// The text of a decision.
    pub(super) fn read(text: &str) -> Result<Self, QuoteFault> {
        serde_json::from_str(text).map_err(|error| QuoteFault::Unreadable(error.to_string()))
    }

    /// Why nothing is offered, in the site's words.
    pub(super) fn reasons(&self) -> String {
        let all: Vec<&str> = self.reasons.iter().map(|it| it.detail.as_str()).collect();
        all.join("; ")
    }

    /// How the CO2 of its starts is counted; `None` where the site does not say it in words that are known here.
    pub(super) fn co2_accounting(&self) -> Option<Co2AccountingDocument> {
        let counted = self.co2_accounting.as_ref()?;
        Accounting::from_word(&counted.accounting)?;
        let is_known = |word: &str| Factors::from_word(word).is_some();
        counted.factors.as_deref().is_none_or(is_known).then(|| counted.clone())
    }

    /// The starts that it offers, each judged against what was asked.
    pub(super) fn starts(&self, terms: &QuoteTerms<'_>) -> Result<Vec<QuotedStart>, QuoteFault> {
        self.pareto.iter().map(|offer| offer.start(terms)).collect()
    }
}

impl QuotedOffer {
    fn start(&self, terms: &QuoteTerms<'_>) -> Result<QuotedStart, QuoteFault> {
        let Figures { start, end, node_count, energy_j, cost, co2_g } = self.figures;
        let has_nodes = terms.request.shapes().any(|shape| shape.nodes == node_count);
        let in_window = (terms.earliest..=terms.request.latest_start).contains(&start)
            && terms.request.latest_end.is_none_or(|latest| end + terms.output <= latest);
        if !has_nodes || !in_window || end <= start || energy_j < 0.0 {
            let told = format!("{node_count} nodes from {start} to {end} for {energy_j} J");
            return Err(QuoteFault::NotAsked(told));
        }
        let rate = self.rate(terms)?;
        let values = |energy_j, cost: f64, co2_g| {
            let money = Money::from_units(cost * rate, terms.currency);
            let all = (Energy::from_joules(energy_j), money, CarbonMass::from_grams(co2_g));
            let (Some(energy), Some(cost), Some(co2)) = all else {
                return Err(QuoteFault::Unreadable("an amount is no number".to_owned()));
            };
            Ok(Values { energy, cost, co2 })
        };
        let idle_change = self.idle_change.map(|it| values(it.energy_j, it.cost, it.co2_g));
        let unreadable = |_| QuoteFault::Unreadable("a currency is none".to_owned());
        Ok(QuotedStart {
            figures: self.figures.clone(),
            currency: Currency::parse(&self.currency).map_err(unreadable)?,
            peak_power_w: self.peak_power_w,
            power_state: self.power_state.clone(),
            speed: self.speed,
            values: values(energy_j, cost, co2_g)?,
            idle_change: idle_change.transpose()?,
        })
    }

    /// What its currency is in this site's.
    fn rate(&self, terms: &QuoteTerms<'_>) -> Result<f64, QuoteFault> {
        if self.currency == terms.currency.code() {
            return Ok(1.0);
        }
        terms
            .exchange_rate
            .ok_or_else(|| QuoteFault::Currency(self.currency.clone(), terms.currency))
    }
}

/// The sums of two amounts of all criteria.
pub(super) fn sum(one: Values, other: Values) -> Values {
    Values {
        energy: one.energy + other.energy,
        cost: one.cost + other.cost,
        co2: one.co2 + other.co2,
    }
}

/// A start as it is compared: what counts of it, and when it counts as begun.
pub(super) fn compared(counted: &Values, counted_start: Timestamp) -> SiteStart {
    SiteStart { counted_start, amounts: Criterion::ALL.map(|criterion| criterion.exact(counted)) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_site_says_how_its_co2_is_counted_in_words_that_are_known_here() {
        let told = |counted: serde_json::Value| {
            let quote = json!({ "pareto": [], "co2_accounting": counted }).to_string();
            let quote = SiteQuote::read(&quote).unwrap();
            quote.co2_accounting().map(|it| it.to_string())
        };
        let counted = |accounting: &str, factors: Option<&str>| {
            told(json!({ "accounting": accounting, "factors": factors }))
        };
        assert_eq!(counted("marginal", Some("direct")).as_deref(), Some("marginal, direct"));
        assert_eq!(counted("average", None).as_deref(), Some("average"));
        assert_eq!(counted("mean", None), None);
        assert_eq!(counted("average", Some("none")), None);
        assert_eq!(told(serde_json::Value::Null), None);
        // An older site says nothing of it.
        assert_eq!(SiteQuote::read("{\"pareto\":[]}").unwrap().co2_accounting(), None);
    }
}
