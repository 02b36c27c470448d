//! Offers of several sites as documents.

use planner::json::co2_accounting::Co2AccountingDocument;
use planner::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::service::other_sites::{
    AskedSite, BestOffers, DataTransfer, Figures, SiteOffer, SiteOffers,
};

/// The offers of all sites.
#[derive(Serialize, ToSchema)]
pub struct SiteOffersDocument {
    /// `choice`, `optimum` or `impossible`, as of a quote.
    #[schema(example = "choice")]
    decision: &'static str,
    /// The starts that win rankings among those of all sites, in time order.
    offers: Vec<SiteOfferDocument>,
    /// The start that gives up least of what is best among those of all sites; it may win no ranking.
    #[serde(skip_serializing_if = "Option::is_none")]
    compromise: Option<SiteOfferDocument>,
    /// The sites beside one another, this one first.
    sites: Vec<AskedSiteDocument>,
}

/// A site that was asked.
#[derive(Serialize, ToSchema)]
pub struct AskedSiteDocument {
    /// What it is called here.
    #[schema(example = "lyon")]
    site: String,
    /// Where it is, for people; absent where the settings do not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<String>,
    /// Whether it is this site.
    here: bool,
    /// `offers`, `impossible`, `data_too_late`, `slow`, `unreachable`, `paused`, `busy`, `refused`, `unreadable` or `other_currency`.
    #[schema(example = "offers")]
    state: &'static str,
    /// Why it has no offers, and what helps; absent where it has some.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    /// How long its answer took, or was waited for, seconds.
    answered_in_s: f64,
    /// How the CO2 of its offers is counted; null where it does not say that, or has none. CO2 of sites that count in two ways
    /// does not compare.
    co2_accounting: Option<Co2AccountingDocument>,
    /// The starts that win rankings among its own, in time order.
    offers: Vec<SiteOfferDocument>,
    /// The one of its own starts that gives up least of what is best.
    #[serde(skip_serializing_if = "Option::is_none")]
    compromise: Option<SiteOfferDocument>,
}

/// A start at a site, with what its data takes.
#[derive(Serialize, ToSchema)]
pub struct SiteOfferDocument {
    /// The site.
    #[schema(example = "lyon")]
    site: String,
    /// The rankings that it wins.
    #[schema(example = json!(["cost_co2_energy"]))]
    rankings: Vec<String>,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    start: Timestamp,
    /// RFC 3339, the first instant after.
    #[schema(value_type = String, format = DateTime)]
    end: Timestamp,
    /// How many nodes it takes.
    node_count: u32,
    /// Joules, with those of the data.
    energy_j: f64,
    /// In units of `currency`, with that of the data.
    cost: f64,
    /// This site's, ISO 4217.
    #[schema(example = "EUR")]
    currency: String,
    /// Grams of CO2, with those of the data.
    co2_g: f64,
    /// The sum of the nodes' maximum power, watts.
    peak_power_w: f64,
    /// From the earliest start to the start, and what the output takes on its way back, seconds: by this, times are compared.
    delay_s: i64,
    /// The slower state of its nodes; absent at full speed, as is the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    power_state: Option<String>,
    /// How fast nodes compute in it, a share of full speed.
    #[serde(skip_serializing_if = "Option::is_none")]
    speed: Option<f64>,
    /// What the data takes; absent at this site.
    #[serde(skip_serializing_if = "Option::is_none")]
    data_transfer: Option<DataTransferDocument>,
    /// What it is at the site, in the site's own currency and without the data: `expected` of a reservation there.
    at_site: Figures,
}

/// What it takes to bring data to a site and back.
#[derive(Serialize, ToSchema)]
pub struct DataTransferDocument {
    /// How long the input takes, seconds.
    input_s: i64,
    /// How long the output takes, seconds.
    output_s: i64,
    /// When the output is here, RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    output_arrives: Timestamp,
    /// Joules.
    energy_j: f64,
    /// In units of the offer's currency.
    cost: f64,
    /// Grams of CO2.
    co2_g: f64,
}

impl SiteOffersDocument {
    /// The offers of all sites.
    pub fn new(all: &SiteOffers) -> Self {
        let (offers, compromise) = documents(all, &all.best);
        Self {
            decision: match offers.len() {
                0 => "impossible",
                1 => "optimum",
                _ => "choice",
            },
            offers,
            compromise,
            sites: all.sites.iter().map(|site| AskedSiteDocument::new(all, site)).collect(),
        }
    }
}

impl AskedSiteDocument {
    fn new(all: &SiteOffers, site: &AskedSite) -> Self {
        let (offers, compromise) = documents(all, &site.best);
        Self {
            site: site.name.clone(),
            location: site.location.clone(),
            here: site.is_here,
            state: site.outcome.word(),
            detail: Some(site.detail.clone()).filter(|detail| !detail.is_empty()),
            answered_in_s: site.took.as_secs_f64(),
            co2_accounting: site.co2_accounting.clone(),
            offers,
            compromise,
        }
    }
}

/// What is best as documents: the winners, and the compromise.
fn documents(
    all: &SiteOffers,
    best: &BestOffers,
) -> (Vec<SiteOfferDocument>, Option<SiteOfferDocument>) {
    let document = |index: usize| SiteOfferDocument::new(all, &all.offers[index], best, index);
    let winners = best.winners.iter().map(|(index, _)| document(*index)).collect();
    (winners, best.compromise.map(document))
}

impl SiteOfferDocument {
    fn new(all: &SiteOffers, offer: &SiteOffer, best: &BestOffers, index: usize) -> Self {
        let SiteOffer { site, quoted, transfer, values, delay } = offer;
        let figures = &quoted.figures;
        let transfer = transfer.as_deref();
        Self {
            site: all.sites[*site].name.clone(),
            rankings: best.rankings_of(index).iter().map(ToString::to_string).collect(),
            start: figures.start,
            end: figures.end,
            node_count: figures.node_count,
            energy_j: values.energy.as_joules(),
            cost: values.cost.as_units(),
            currency: values.cost.currency().to_string(),
            co2_g: values.co2.as_grams(),
            peak_power_w: quoted.peak_power_w,
            delay_s: delay.get(),
            power_state: quoted.power_state.clone(),
            speed: quoted.speed,
            data_transfer: transfer.map(|it| DataTransferDocument::new(it, figures.end)),
            at_site: figures.clone(),
        }
    }
}

impl DataTransferDocument {
    fn new(transfer: &DataTransfer, end: Timestamp) -> Self {
        let DataTransfer { input, output, values, .. } = transfer;
        Self {
            input_s: input.get(),
            output_s: output.get(),
            output_arrives: end + *output,
            energy_j: values.energy.as_joules(),
            cost: values.cost.as_units(),
            co2_g: values.co2.as_grams(),
        }
    }
}
