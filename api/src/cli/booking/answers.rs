//! Answers as people, tables and programs read them.

use std::fmt;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use planner::preference::COMPROMISE;
use planner::ranking::Ranking;
use serde::Deserialize;
use serde_json::Value;

use super::co2_words::Co2Words;

/// A start that was offered, as far as it is shown.
#[derive(Deserialize)]
pub struct Offer {
    #[serde(rename = "offer_id")]
    pub id: Option<String>,
    rankings: Option<Vec<String>>,
    /// Whether it is the compromise.
    #[serde(default)]
    pub(super) compromise: bool,
    pub start: String,
    pub end: String,
    pub node_count: u32,
    nodes: Option<Vec<String>>,
    energy_j: f64,
    cost: f64,
    currency: String,
    co2_g: f64,
    /// By the other accounting; absent where that is not known.
    other_co2_g: Option<f64>,
    peak_power_w: f64,
    delay_s: i64,
    saves: Saving,
    /// The slower state of its nodes, and how much later it ends than at full speed.
    power_state: Option<String>,
    speed: Option<f64>,
    later_s: Option<i64>,
    /// Absent where the site has no shares.
    standing: Option<OfferStandingAnswer>,
}

/// What an offer would do to how one stands.
#[derive(Deserialize)]
struct OfferStandingAnswer {
    factor: f64,
    factor_after: f64,
}

/// How one stands, as far as it is shown.
#[derive(Deserialize)]
pub struct StandingAnswer {
    pub factor: f64,
    pub advice: Vec<AdviceAnswer>,
}

/// How one can stand better.
#[derive(Deserialize)]
pub struct AdviceAnswer {
    pub detail: String,
}

#[derive(Deserialize)]
struct Saving {
    energy_j: f64,
    cost: f64,
    co2_g: f64,
}

/// Why starts are excluded.
#[derive(Deserialize)]
pub struct ReasonAnswer {
    pub detail: String,
}

/// The utilisation that earlier runs of an application had.
#[derive(Deserialize)]
pub struct LearntAnswer {
    pub application: String,
    pub utilisation: f64,
    pub runs: u32,
}

/// A reservation, as far as it is shown.
#[derive(Deserialize)]
pub struct ReservationAnswer {
    pub id: String,
    pub owner: String,
    pub project: Option<String>,
    pub state: String,
    pub degraded: bool,
    pub expires_at: String,
    pub chosen_offer_id: Option<String>,
    /// Absent where the service shares none.
    #[serde(default)]
    pub shared_with: Vec<SharedAnswer>,
    pub notice: Option<Notice>,
    pub offers: Vec<Offer>,
    #[serde(flatten)]
    pub co2: Co2Words,
    pub learnt_utilisation: Option<LearntAnswer>,
    /// Absent where the service makes no reservations in Slurm.
    pub slurm: Option<SlurmAnswer>,
    /// While offers are held, where the site has shares.
    pub standing: Option<StandingAnswer>,
}

/// Somebody with whom a reservation is shared.
#[derive(Deserialize)]
pub struct SharedAnswer {
    user: Option<String>,
    project: Option<String>,
    may: String,
}

impl fmt::Display for SharedAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.user, &self.project) {
            (Some(user), _) => write!(f, "{user} ({})", self.may),
            (None, project) => {
                write!(f, "project {} ({})", project.as_deref().unwrap_or_default(), self.may)
            }
        }
    }
}

/// The reservation in Slurm that stands for one of the service's, as far as it is shown.
#[derive(Deserialize)]
pub struct SlurmAnswer {
    pub reservation: String,
    pub state: String,
    pub because: Option<String>,
    #[serde(default)]
    pub jobs: Vec<JobAnswer>,
    /// How many there are.
    #[serde(default)]
    pub jobs_count: usize,
    pub node_seconds: Option<NodeSecondsAnswer>,
}

/// A job that Slurm runs in a reservation, as far as it is shown.
#[derive(Deserialize)]
pub struct JobAnswer {
    pub id: String,
    pub user: String,
    pub account: String,
    pub state: String,
    pub start: Option<String>,
    /// When it ended, or will end at the latest.
    pub end: Option<String>,
    pub nodes: String,
    pub energy_j: Option<f64>,
}

/// How long nodes were reserved and used, summed over them.
#[derive(Deserialize)]
pub struct NodeSecondsAnswer {
    pub reserved: i64,
    pub used: i64,
}

#[derive(Deserialize)]
pub struct Notice {
    #[serde(default)]
    pub detail: String,
}

/// A page of reservations.
#[derive(Deserialize)]
pub struct Page {
    pub items: Vec<Value>,
    pub next_cursor: Option<String>,
}

impl ReservationAnswer {
    /// The offer that was chosen.
    pub fn chosen(&self) -> Option<&Offer> {
        let id = self.chosen_offer_id.as_deref()?;
        self.offers.iter().find(|it| it.id.as_deref() == Some(id))
    }
}

impl Offer {
    /// Whether it is chosen by a ranking, or by `compromise`.
    pub fn is_preferred_by(&self, preference: &str) -> bool {
        self.preferences().any(|it| it == preference)
    }

    /// The rankings that it wins, and `compromise` where it is that.
    fn preferences(&self) -> impl Iterator<Item = &str> {
        let rankings = self.rankings.iter().flatten().map(String::as_str);
        rankings.chain(self.compromise.then_some(COMPROMISE))
    }

    /// When it is, and what it takes.
    pub fn in_words(&self) -> String {
        let Self { cost, currency, .. } = self;
        let (start, end) = (local(&self.start), local(&self.end));
        format!(
            "{start} to {end}, {}, {cost:.2} {currency}, {}",
            kwh(self.energy_j),
            kg(self.co2_g)
        )
    }

    /// The first names of its nodes, and how many there are.
    pub fn nodes(&self) -> String {
        some_names(self.nodes.as_deref(), self.node_count)
    }
}

/// The first of names that are not listed beyond some count, and how many there are.
pub fn some_names(names: Option<&[String]>, count: u32) -> String {
    const MOST: usize = 20;
    let names = names.unwrap_or_default();
    let some = names.get(..MOST).unwrap_or(names).join(",");
    match count as usize {
        count if count > names.len().min(MOST) => format!("{some}... ({count} in all)"),
        _ => some,
    }
}

/// What offers are called where they are listed.
pub fn letter(index: usize) -> String {
    u8::try_from(index)
        .ok()
        .filter(|it| *it < 26)
        .map_or_else(|| (index + 1).to_string(), |index| char::from(b'A' + index).to_string())
}

/// An instant of the API in the zone of who reads it, which is named.
pub fn local(instant: &str) -> String {
    in_zone(instant, &TimeZone::system())
}

fn in_zone(instant: &str, zone: &TimeZone) -> String {
    let shown = |it: Timestamp| it.to_zoned(zone.clone()).strftime("%a %Y-%m-%d %H:%M:%S %Z");
    instant.parse().map_or_else(|_| instant.to_owned(), |it| shown(it).to_string())
}

/// A text of the service with its instants as [`local`] shows them: one zone in what people read.
pub fn local_text(text: &str) -> String {
    text_in_zone(text, &TimeZone::system())
}

fn text_in_zone(text: &str, zone: &TimeZone) -> String {
    const LIKE: &[u8] = b"0000-00-00T00:00:00Z";
    let (mut shown, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(character) = rest.chars().next() {
        let instant = rest.get(..LIKE.len()).filter(|it| {
            it.bytes().zip(LIKE).all(|(is, like)| match like {
                b'0' => is.is_ascii_digit(),
                like => is == *like,
            })
        });
        match instant {
            Some(instant) => shown.push_str(&in_zone(instant, zone)),
            None => shown.push(character),
        }
        rest = &rest[instant.map_or(character.len_utf8(), str::len)..];
    }
    shown
}

/// An energy as people read it.
pub fn kwh(joules: f64) -> String {
    format!("{:.3} kWh", joules / 3.6e6)
}

/// A mass as people read it.
pub fn kg(grams: f64) -> String {
    format!("{:.3} kg", grams / 1000.0)
}

/// Puts the cells of columns to their right.
pub fn right(table: &mut Table, columns: impl IntoIterator<Item = usize>) {
    for column in columns {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

/// Offers to choose from, each with its letter.
pub fn offers(offers: &[Offer], co2: &Co2Words) -> Table {
    let mut table = Table::new();
    let (co2_head, other_head) = (co2.head(), co2.other_head());
    let mut head = vec!["", "START", "END", "NODES", "ENERGY", "COST", co2_head.as_str()];
    head.extend(["SAVES", "", "", "BEST BY RANKING"]);
    head.extend(other_head.as_deref());
    let any_slower = offers.iter().any(|it| it.speed.is_some());
    head.extend(any_slower.then_some("SPEED"));
    let any_standing = offers.iter().any(|it| it.standing.is_some());
    head.extend(any_standing.then_some("FACTOR"));
    table.load_style(NOTHING).set_header(head);
    for (index, it) in offers.iter().enumerate() {
        let mut row = vec![
            letter(index),
            local(&it.start),
            local(&it.end),
            it.node_count.to_string(),
            kwh(it.energy_j),
            format!("{:.2} {}", it.cost, it.currency),
            kg(it.co2_g),
            kwh(it.saves.energy_j),
            format!("{:.2} {}", it.saves.cost, it.currency),
            kg(it.saves.co2_g),
            match it.rankings.as_deref().unwrap_or_default() {
                all if all.len() == Ranking::ALL.len() => "all of them".to_owned(),
                _ => it.preferences().collect::<Vec<&str>>().join(" "),
            },
        ];
        row.extend(other_head.is_some().then(|| it.other_co2_g.map(kg).unwrap_or_default()));
        row.extend(any_slower.then(|| match it.speed {
            Some(speed) => format!("{} %", speed * 100.0),
            None => "full".to_owned(),
        }));
        row.extend(any_standing.then(|| match &it.standing {
            Some(it) => format!("{:.4} ({:+.4})", it.factor_after, it.factor_after - it.factor),
            None => String::new(),
        }));
        table.add_row(row);
    }
    right(&mut table, 3..10);
    table
}

/// Offers as a table for programs.
pub fn offers_csv(offers: &[Offer], co2: &Co2Words) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record([
        "offer",
        "offer_id",
        "start",
        "end",
        "node_count",
        "energy_j",
        "cost",
        "currency",
        "co2_g",
        "peak_power_w",
        "delay_s",
        "saves_energy_j",
        "saves_cost",
        "saves_co2_g",
        "rankings",
        "power_state",
        "speed",
        "later_s",
        "factor_after",
        "co2_accounting",
        "other_co2_g",
        "other_co2_accounting",
    ])?;
    for (index, it) in offers.iter().enumerate() {
        writer.write_record([
            letter(index),
            it.id.clone().unwrap_or_default(),
            it.start.clone(),
            it.end.clone(),
            it.node_count.to_string(),
            it.energy_j.to_string(),
            it.cost.to_string(),
            it.currency.clone(),
            it.co2_g.to_string(),
            it.peak_power_w.to_string(),
            it.delay_s.to_string(),
            it.saves.energy_j.to_string(),
            it.saves.cost.to_string(),
            it.saves.co2_g.to_string(),
            it.preferences().collect::<Vec<&str>>().join(" "),
            it.power_state.clone().unwrap_or_default(),
            it.speed.map(|speed| speed.to_string()).unwrap_or_default(),
            it.later_s.map(|later| later.to_string()).unwrap_or_default(),
            it.standing.as_ref().map(|it| it.factor_after.to_string()).unwrap_or_default(),
            co2.word(),
            it.other_co2_g.map(|grams| grams.to_string()).unwrap_or_default(),
            co2.other_word(),
        ])?;
    }
    text(writer)
}

/// Reservations, a row each; what is not chosen yet has no times.
pub fn reservations(all: &[ReservationAnswer]) -> Table {
    let mut table = Table::new();
    // What has no figure yet has no part in the head.
    let chosen = all.iter().filter(|it| it.chosen().is_some()).map(|it| &it.co2);
    let common = Co2Words::common(chosen);
    let co2_head = common.as_ref().map_or_else(|| "CO2".to_owned(), Co2Words::head);
    let mut head = vec!["ID", "OWNER", "PROJECT", "STATE", "START", "END", "NODES"];
    head.extend(["ENERGY", "COST", co2_head.as_str()]);
    table.load_style(NOTHING).set_header(head);
    for it in all {
        let state = if it.degraded { format!("{} degraded", it.state) } else { it.state.clone() };
        let mut row =
            vec![it.id.clone(), it.owner.clone(), it.project.clone().unwrap_or_default(), state];
        row.extend(it.chosen().into_iter().flat_map(|offer| {
            [
                local(&offer.start),
                local(&offer.end),
                offer.node_count.to_string(),
                kwh(offer.energy_j),
                format!("{:.2} {}", offer.cost, offer.currency),
                it.co2.cell(kg(offer.co2_g), common.is_none()),
            ]
        }));
        table.add_row(row);
    }
    right(&mut table, 6..10);
    table
}

/// Reservations as a table for programs.
pub fn reservations_csv(all: &[ReservationAnswer]) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record([
        "id",
        "owner",
        "state",
        "degraded",
        "start",
        "end",
        "node_count",
        "energy_j",
        "cost",
        "currency",
        "co2_g",
        "project",
        "co2_accounting",
    ])?;
    for it in all {
        let chosen = it.chosen();
        let field = |of: fn(&Offer) -> String| chosen.map(of).unwrap_or_default();
        writer.write_record([
            it.id.clone(),
            it.owner.clone(),
            it.state.clone(),
            it.degraded.to_string(),
            field(|it| it.start.clone()),
            field(|it| it.end.clone()),
            field(|it| it.node_count.to_string()),
            field(|it| it.energy_j.to_string()),
            field(|it| it.cost.to_string()),
            field(|it| it.currency.clone()),
            field(|it| it.co2_g.to_string()),
            it.project.clone().unwrap_or_default(),
            it.co2.word(),
        ])?;
    }
    text(writer)
}

/// What was written.
pub fn text(writer: csv::Writer<Vec<u8>>) -> anyhow::Result<String> {
    let bytes = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8(bytes)?.trim_end().to_owned())
}

/// Now, in the zone of who asks.
pub fn now() -> anyhow::Result<Zoned> {
    let now = crate::clock::Clock::default().now();
    Ok(Timestamp::from_second(now.as_unix_seconds())?.to_zoned(TimeZone::system()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_its_instants_in_one_zone_that_is_named() {
        let paris = TimeZone::get("Europe/Paris").unwrap();
        for (text, shown) in [
            (
                "too little at 2026-11-22T08:00:00Z, of 2026-07-01T08:00:00Z",
                "too little at Sun 2026-11-22 09:00:00 CET, of Wed 2026-07-01 10:00:00 CEST",
            ),
            ("é2026-11-22T08:00:00Z", "éSun 2026-11-22 09:00:00 CET"),
            (
                "id 2026-13-22T08:00:00Z 2026-11-22T08:00",
                "id 2026-13-22T08:00:00Z 2026-11-22T08:00",
            ),
        ] {
            assert_eq!(text_in_zone(text, &paris), shown);
        }
        assert_eq!(
            text_in_zone("at 2026-11-22T08:00:00Z", &TimeZone::UTC),
            "at Sun 2026-11-22 08:00:00 UTC"
        );
    }
}
