//! What users and projects hold, counted plainly from the schedule and the reservations, by nothing of the service's own
//! counting; quotas are never exceeded by it, and `GET /api/v1/quotas` says the same.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::book::{Taken, schedule};
use crate::client::Client;
use crate::cluster::{Hours, instant, seconds};

/// Seconds of a day of UTC, over which node-hours and budgets are added up.
const DAY: i64 = 86_400;

/// What a node draws at full utilisation, which is planned where a request says none.
const NODE_W: f64 = 200.0;

/// Figures that differ by less are the same: they were divided and added up in another order.
const SAME: f64 = 1e-9;

/// Budgets, as quotas call them.
const BUDGETS: [&str; 3] = ["energy_kwh", "cost", "co2_kg"];

/// Of whom a quota tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    User,
    Project,
}

/// The most of each measure, by each user or each project; node-hours and budgets by day.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub nodes: (Whose, i64),
    pub reservations: (Whose, i64),
    pub node_hours: (Whose, i64),
    /// Energy, cost and CO2, where there are any.
    pub budgets: Option<[(Whose, f64); 3]>,
}

/// Nodes from an instant to another; where it was cut, the end lies between two instants.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub start: i64,
    pub end: (i64, i64),
    pub nodes: i64,
    /// What a node takes in a second: kWh, cost, kg of CO2.
    pub takes: [f64; 3],
}

/// What one reservation holds or held.
#[derive(Clone, Debug)]
pub struct Holding {
    pub id: String,
    pub owner: String,
    pub project: String,
    /// Whether the pieces are offers of which one may be chosen.
    pub is_open: bool,
    /// Whose place it takes, if it is chosen.
    pub replaces: Option<String>,
    pub pieces: Vec<Piece>,
}

impl Limits {
    fn all(self) -> Vec<(&'static str, Whose, f64)> {
        let counted = [
            ("nodes", self.nodes),
            ("reservations", self.reservations),
            ("node_hours", self.node_hours),
        ];
        let counted = counted.map(|(measure, (whose, most))| (measure, whose, most as f64));
        let budgets = BUDGETS.into_iter().zip(self.budgets.into_iter().flatten());
        let budgets = budgets.map(|(measure, (whose, most))| (measure, whose, most));
        counted.into_iter().chain(budgets).collect()
    }

    /// The settings: one rule about each user, another about each project.
    pub fn settings(self) -> String {
        let rule = |whose: Whose, name: &str| {
            let own = self.all().into_iter().filter(|(_, of, _)| *of == whose);
            let own: Vec<(&str, f64)> = own.map(|(measure, _, most)| (measure, most)).collect();
            let of_days = own.iter().any(|(measure, _)| is_of_days(measure));
            let per = if of_days { "\nper = \"day\"" } else { "" };
            let own = own.iter().map(|(measure, most)| format!("{measure} = {most}"));
            let own = own.collect::<Vec<_>>().join("\n");
            if own.is_empty() {
                return String::new();
            }
            format!("[[quotas.rules.default]]\n{name} = \"/\"\n{own}{per}\n")
        };
        rule(Whose::User, "user") + &rule(Whose::Project, "project")
    }

    /// At no instant from now on, and on no day, does anybody hold more than the most.
    pub fn assert_kept(self, holdings: &[Holding], now: i64) {
        for (measure, whose, most) in self.all() {
            for subject in subjects(holdings, whose) {
                let own: Vec<&Holding> = of(holdings, whose, &subject).collect();
                let ahead = edges(&own).into_iter().filter(|at| *at >= now).chain([now]);
                for at in ahead {
                    let used = at_most(&own, |it| it.amount(measure, at).0);
                    let at = instant(at);
                    let is_kept = used <= most + SAME;
                    assert!(is_kept, "{subject}: {used} {measure} of {most} at {at}: {own:?}");
                }
            }
        }
    }

    /// Of everybody who holds something the quotas are told with what is used of them.
    pub fn assert_told(self, told: &Value, holdings: &[Holding], now: i64) {
        let told = told["quotas"].as_array().unwrap();
        for (measure, whose, most) in self.all() {
            let key = match whose {
                Whose::User => "user",
                Whose::Project => "project",
            };
            let rows: BTreeMap<&str, &Value> = told
                .iter()
                .filter(|row| row["measure"] == measure)
                .map(|row| (row[key].as_str().unwrap(), row))
                .collect();
            for subject in subjects(holdings, whose) {
                let own: Vec<&Holding> = of(holdings, whose, &subject).collect();
                let amounts = own.iter().map(|it| it.amount(measure, now));
                let (least, greatest) =
                    amounts.fold((0.0, 0.0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
                let Some(row) = rows.get(subject.as_str()) else {
                    assert!(least < SAME, "{subject}'s {measure} are not told: {told:?}");
                    continue;
                };
                let used = row["used"].as_f64().unwrap();
                let is_right = (least - SAME..=greatest + SAME).contains(&used);
                assert!(is_right, "{least} to {greatest} is used: {row} {own:?}");
                assert_row(row, measure, most);
            }
            // Nobody is told to use something who holds nothing.
            for (subject, row) in rows {
                let is_known = of(holdings, whose, subject).next().is_some();
                assert!(is_known || row["used"] == 0.0, "{row}");
            }
        }
    }
}

/// The rest of a row follows from what is used. Nothing is measured here: what is used of a budget is reserved.
fn assert_row(row: &Value, measure: &str, most: f64) {
    let figure = |name: &str| row[name].as_f64().unwrap();
    assert!((figure("limit") - most).abs() < SAME, "{row}");
    let left = most - figure("used");
    if BUDGETS.contains(&measure) {
        assert!((figure("left") - left).abs() < SAME, "{row}");
        assert!((figure("reserved") - figure("used")).abs() < SAME, "{row}");
        assert!(figure("measured").abs() < SAME, "{row}");
    } else {
        assert!((figure("left") - left.max(0.0)).abs() < SAME, "{row}");
    }
}

/// Whether a measure is added up over days.
fn is_of_days(measure: &str) -> bool {
    measure == "node_hours" || BUDGETS.contains(&measure)
}

impl Holding {
    fn subject(&self, whose: Whose) -> &str {
        match whose {
            Whose::User => &self.owner,
            Whose::Project => &self.project,
        }
    }

    /// What counts of a measure at an instant, or on the day of it; at the least and at the most.
    fn amount(&self, measure: &str, at: i64) -> (f64, f64) {
        let of_day = |takes: &dyn Fn(&Piece) -> f64| self.of_day(at.div_euclid(DAY), takes);
        match (measure, BUDGETS.iter().position(|it| *it == measure)) {
            (_, Some(budget)) => of_day(&|it| it.takes[budget]),
            ("node_hours", None) => of_day(&|_| 1.0 / 3600.0),
            (measure, None) => {
                let nodes = self.nodes_at(at);
                let count = if measure == "nodes" { nodes } else { i64::from(nodes > 0) };
                (count as f64, count as f64)
            }
        }
    }

    /// Nodes at an instant; of open offers the one counts that takes the most.
    fn nodes_at(&self, at: i64) -> i64 {
        let there = self.pieces.iter().filter(|it| it.start <= at && at < it.end.1);
        let nodes = there.map(|it| it.nodes);
        if self.is_open { nodes.max().unwrap_or_default() } else { nodes.sum() }
    }

    /// What falls into a day since 1970 of what each node takes in a second, at the least and at the most.
    fn of_day(&self, day: i64, takes: &dyn Fn(&Piece) -> f64) -> (f64, f64) {
        let span = (day * DAY, (day + 1) * DAY);
        let of = |it: &Piece, end: i64| {
            let node_seconds = it.nodes * (end.min(span.1) - it.start.max(span.0)).max(0);
            node_seconds as f64 * takes(it)
        };
        let both = self.pieces.iter().map(|it| (of(it, it.end.0), of(it, it.end.1)));
        if self.is_open {
            both.fold((0.0, 0.0), |most, it| (it.0.max(most.0), it.1.max(most.1)))
        } else {
            both.fold((0.0, 0.0), |sum, it| (sum.0 + it.0, sum.1 + it.1))
        }
    }
}

fn subjects(holdings: &[Holding], whose: Whose) -> BTreeSet<String> {
    holdings.iter().map(|it| it.subject(whose).to_owned()).collect()
}

fn of<'a>(
    holdings: &'a [Holding],
    whose: Whose,
    subject: &'a str,
) -> impl Iterator<Item = &'a Holding> {
    holdings.iter().filter(move |it| it.subject(whose) == subject)
}

/// Every instant at which something begins or ends.
fn edges(holdings: &[&Holding]) -> BTreeSet<i64> {
    let pieces = holdings.iter().flat_map(|it| &it.pieces);
    pieces.flat_map(|it| [it.start, it.end.0, it.end.1]).collect()
}

/// What counts at the most whatever is chosen: a reservation and those that would take its place are not had together.
fn at_most(own: &[&Holding], count: impl Fn(&Holding) -> f64) -> f64 {
    let mut groups: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for it in own {
        let group = groups.entry(it.replaces.as_deref().unwrap_or(&it.id)).or_default();
        let place = if it.replaces.is_some() { &mut group.1 } else { &mut group.0 };
        *place += count(it);
    }
    groups.values().map(|(now, instead)| now.max(*instead)).sum()
}

/// What is held by the schedule, and of what has ended what it shows still; nothing of reservations that are not given, since
/// they are newer.
pub async fn holdings(operator: &Client, hours: Hours, reservations: &[Value]) -> Vec<Holding> {
    let mut found: BTreeMap<String, Holding> = BTreeMap::new();
    let all = schedule(operator, hours).await;
    for taken in &all {
        let is_it = |it: &&Value| it["id"] == taken.reservation.as_str();
        let Some(reservation) = reservations.iter().find(is_it) else { continue };
        let is_open = taken.state == "proposed";
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let holding = found.entry(taken.reservation.clone()).or_insert_with(|| Holding {
            id: taken.reservation.clone(),
            owner: text(&reservation["owner"]),
            project: text(&reservation["project"]),
            is_open,
            replaces: reservation["replaces"].as_str().filter(|_| is_open).map(str::to_owned),
            pieces: Vec::new(),
        });
        let same = all
            .iter()
            .filter(|it| (&it.reservation, &it.offer) == (&taken.reservation, &taken.offer));
        holding.pieces.push(Piece {
            start: taken.start,
            end: (taken.end, taken.end),
            nodes: nodes(taken),
            takes: takes(reservation, taken, &same.collect::<Vec<_>>()),
        });
    }
    found.into_values().collect()
}

fn nodes(taken: &Taken) -> i64 {
    i64::try_from(taken.ordinals.len()).unwrap()
}

/// What a node takes in a second by an offer: what the offer takes, evenly over all that is and was held for it until its
/// end. The energy is what the node draws.
fn takes(reservation: &Value, taken: &Taken, same: &[&Taken]) -> [f64; 3] {
    let offers = reservation["offers"].as_array().unwrap();
    let offer = offers.iter().find(|it| it["offer_id"] == taken.offer.as_str());
    let offer = offer.unwrap_or_else(|| panic!("{taken:?} is of no offer: {reservation}"));
    let last_end = same.iter().map(|it| it.end).max().unwrap();
    let at_last = offer["node_count"].as_i64().unwrap();
    let freed = at_last * (seconds(&offer["end"]) - last_end).max(0);
    let held = same.iter().map(|it| nodes(it) * (it.end - it.start)).sum::<i64>();
    let whole = (held + freed) as f64;
    let figure = |name: &str| offer[name].as_f64().unwrap();
    let kwh = NODE_W / 3_600_000.0;
    let planned = figure("energy_j") / 3_600_000.0;
    let is_right = (planned - kwh * whole).abs() < SAME;
    assert!(is_right, "{planned} kWh for {whole} node-seconds: {offer} {same:?}");
    [kwh, figure("cost") / whole, figure("co2_g") / 1000.0 / whole]
}
