//! Offers of sites and reservations there as people read them.

use comfy_table::Table;
use comfy_table::presets::NOTHING;
use planner::preference::COMPROMISE;
use planner::ranking::Ranking;
use serde::Deserialize;
use serde_json::Value;

use crate::cli::booking::answers::{kg, kwh, local, local_text, right};
use crate::cli::booking::co2_words::Co2Words;

/// The answer to a question to all sites, as far as it is shown.
#[derive(Deserialize)]
pub(super) struct SitesAnswer {
    pub(super) offers: Vec<OfferAnswer>,
    pub(super) compromise: Option<OfferAnswer>,
    pub(super) sites: Vec<SiteAnswer>,
}

/// A site that was asked.
#[derive(Deserialize)]
pub(super) struct SiteAnswer {
    pub(super) site: String,
    location: Option<String>,
    pub(super) here: bool,
    state: String,
    detail: Option<String>,
    compromise: Option<OfferAnswer>,
    #[serde(flatten)]
    co2: Co2Words,
}

/// A start at a site.
#[derive(Deserialize)]
pub(super) struct OfferAnswer {
    pub(super) site: String,
    pub(super) rankings: Vec<String>,
    start: String,
    end: String,
    node_count: u32,
    energy_j: f64,
    cost: f64,
    currency: String,
    co2_g: f64,
    data_transfer: Option<DataTransferAnswer>,
    pub(super) at_site: Value,
}

#[derive(Deserialize)]
struct DataTransferAnswer {
    output_arrives: String,
}

/// A page of reservations at other sites.
#[derive(Deserialize)]
pub(super) struct BookedPage {
    pub(super) items: Vec<BookedAnswer>,
    pub(super) next_cursor: Option<String>,
}

/// A reservation at another site.
#[derive(Deserialize)]
pub(super) struct BookedAnswer {
    id: String,
    owner: String,
    site: String,
    state: String,
    because: Option<String>,
    reservation_id: Option<String>,
    state_there: Option<String>,
    booked: Option<FiguresAnswer>,
}

#[derive(Deserialize)]
struct FiguresAnswer {
    start: String,
    end: String,
    node_count: u32,
}

impl OfferAnswer {
    /// When its results are here.
    fn results(&self) -> &str {
        self.data_transfer.as_ref().map_or(&self.end, |it| &it.output_arrives)
    }

    fn cells(&self) -> [String; 7] {
        [
            local(&self.start),
            local(&self.end),
            local(self.results()),
            self.node_count.to_string(),
            kwh(self.energy_j),
            format!("{:.2} {}", self.cost, self.currency),
            kg(self.co2_g),
        ]
    }

    /// Where and when it is, and what it takes.
    pub(super) fn in_words(&self) -> String {
        let [start, end, results, _, energy, cost, co2] = self.cells();
        let site = &self.site;
        format!("{site}, {start} to {end}, results {results}, {energy}, {cost}, {co2}")
    }
}

impl SitesAnswer {
    /// How all sites that offer something count CO2; `None` where two differ.
    fn common_co2(&self) -> Option<Co2Words> {
        let offering = self.sites.iter().filter(|it| !it.has_nothing());
        Co2Words::common(offering.map(|it| &it.co2))
    }

    /// The heads of an offer's cells.
    fn figures(&self) -> [String; 7] {
        let [.., co2] = FIGURES;
        let co2 = self.common_co2().map_or_else(|| co2.to_owned(), |it| it.head());
        FIGURES.map(|name| if name == "CO2" { co2.clone() } else { name.to_owned() })
    }

    /// The cells of an offer: its CO2 with how its site counts it, where sites differ in that.
    fn cells(&self, offer: &OfferAnswer) -> [String; 7] {
        let is_mixed = self.common_co2().is_none();
        let site = self.sites.iter().find(|it| it.site == offer.site);
        let [start, end, results, nodes, energy, cost, co2] = offer.cells();
        let co2 = match site {
            Some(site) => site.co2.cell(co2, is_mixed),
            None => co2,
        };
        [start, end, results, nodes, energy, cost, co2]
    }
}

impl SiteAnswer {
    pub(super) fn has_nothing(&self) -> bool {
        self.compromise.is_none()
    }

    /// Why it offers nothing.
    pub(super) fn in_words(&self) -> String {
        let state = self.state.replace('_', " ");
        let detail = self.detail.as_deref().map_or_else(String::new, local_text);
        format!("{}: {state}: {detail}", self.site)
    }
}

const FIGURES: [&str; 7] = ["START", "END", "RESULTS", "NODES", "ENERGY", "COST", "CO2"];

/// The best starts of all sites.
pub(super) fn offers(answer: &SitesAnswer) -> Table {
    let compromise = answer.compromise.as_ref();
    let is_compromise = |it: &OfferAnswer| {
        compromise.is_some_and(|best| (&best.site, &best.at_site) == (&it.site, &it.at_site))
    };
    let apart = compromise.filter(|best| {
        !answer.offers.iter().any(|it| (&best.site, &best.at_site) == (&it.site, &it.at_site))
    });
    let rows = answer.offers.iter().chain(apart).map(|it| {
        let rankings = if it.rankings.len() == Ranking::ALL.len() {
            "all of them".to_owned()
        } else {
            it.rankings.join(" ")
        };
        let compromise = is_compromise(it).then(|| COMPROMISE.to_owned());
        let best: Vec<String> =
            [rankings].into_iter().filter(|it| !it.is_empty()).chain(compromise).collect();
        std::iter::once(it.site.clone())
            .chain(answer.cells(it))
            .chain([best.join(" ")])
            .collect::<Vec<_>>()
    });
    let words = |it: &str| std::iter::once(it.to_owned());
    let head = words("SITE").chain(answer.figures()).chain(words("BEST BY RANKING"));
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(head).add_rows(rows);
    right(&mut table, 4..8);
    table
}

/// The sites beside one another: the compromise of each, or why there is none.
pub(super) fn sites(answer: &SitesAnswer) -> Table {
    let rows = answer.sites.iter().map(|it| {
        let place = match (&it.location, it.here) {
            (Some(location), _) => location.clone(),
            (None, true) => "here".to_owned(),
            (None, false) => String::new(),
        };
        let cells = it.compromise.as_ref().map(|it| answer.cells(it)).unwrap_or_default();
        let detail = it.detail.as_deref().map_or_else(String::new, local_text);
        let state = it.state.replace('_', " ");
        let first = [it.site.clone(), place, state];
        first.into_iter().chain(cells).chain([detail]).collect::<Vec<_>>()
    });
    let first = ["SITE", "WHERE", "STATE"].map(str::to_owned).into_iter();
    let head = first.chain(answer.figures()).chain(["BECAUSE".to_owned()]);
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(head).add_rows(rows);
    right(&mut table, 6..10);
    table
}

/// Reservations at other sites.
pub(super) fn booked(all: &[BookedAnswer]) -> Table {
    let rows = all.iter().map(|it| {
        let figures = it.booked.as_ref();
        let at = |of: fn(&FiguresAnswer) -> &String| {
            figures.map_or_else(String::new, |it| local(of(it)))
        };
        [
            it.id.clone(),
            it.owner.clone(),
            it.site.clone(),
            it.state.clone(),
            it.state_there.clone().unwrap_or_default(),
            at(|it| &it.start),
            at(|it| &it.end),
            figures.map_or_else(String::new, |it| it.node_count.to_string()),
        ]
    });
    let head = ["ID", "OWNER", "SITE", "STATE", "THERE", "START", "END", "NODES"];
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(head).add_rows(rows);
    right(&mut table, 7..8);
    table
}

impl BookedAnswer {
    /// How it stands.
    pub(super) fn in_words(&self) -> String {
        let Self { id, site, state, .. } = self;
        let there = match (&self.reservation_id, &self.state_there) {
            (Some(id), Some(state)) => format!(", there {id}: {state}"),
            _ => String::new(),
        };
        let because = self.because.as_deref();
        let because =
            because.map_or_else(String::new, |it| format!("\nBecause {site} {}", local_text(it)));
        format!("{id} is {state} at {site}{there}{because}")
    }
}
