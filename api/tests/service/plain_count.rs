//! What users and projects hold, counted plainly from the schedule and the reservations, by nothing of the service's own
//! counting; quotas are never exceeded by it, and `GET /api/v1/quotas` says the same.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::book::schedule;
use crate::client::Client;
use crate::cluster::{Hours, instant};

/// Seconds of a day of UTC, over which node-hours are added up.
const DAY: i64 = 86_400;

/// Of whom a quota tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    User,
    Project,
}

/// The most of each measure, by each user or each project; node-hours by day.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub nodes: (Whose, i64),
    pub reservations: (Whose, i64),
    pub node_hours: (Whose, i64),
}

/// Nodes from an instant to another; where it was cut, the end lies between two instants.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub start: i64,
    pub end: (i64, i64),
    pub nodes: i64,
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
    fn all(self) -> [(&'static str, Whose, i64); 3] {
        let (nodes, reservations, hours) = (self.nodes, self.reservations, self.node_hours);
        [
            ("nodes", nodes.0, nodes.1),
            ("reservations", reservations.0, reservations.1),
            ("node_hours", hours.0, hours.1),
        ]
    }

    /// The settings: one rule about each user, another about each project.
    pub fn settings(self) -> String {
        let rule = |whose: Whose, name: &str| {
            let own = self.all().into_iter().filter(|(_, of, _)| *of == whose);
            let own = own.map(|(measure, _, most)| format!("{measure} = {most}"));
            let own = own.collect::<Vec<_>>().join("\n");
            let per = if own.contains("node_hours") { "\nper = \"day\"" } else { "" };
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
                    let (used, most) = match measure {
                        "nodes" => (at_most(&own, |it| it.nodes_at(at)), most),
                        "reservations" => {
                            (at_most(&own, |it| i64::from(it.nodes_at(at) > 0)), most)
                        }
                        _ => {
                            (at_most(&own, |it| it.node_seconds(at.div_euclid(DAY)).0), most * 3600)
                        }
                    };
                    let at = instant(at);
                    assert!(used <= most, "{subject}: {used} {measure} of {most} at {at}: {own:?}");
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
                let (least, greatest) = used(&own, measure, now);
                let Some(row) = rows.get(subject.as_str()) else {
                    assert!(least == 0.0, "{subject}'s {measure} are not told: {told:?}");
                    continue;
                };
                let used = row["used"].as_f64().unwrap();
                let is_right = (least - 1e-9..=greatest + 1e-9).contains(&used);
                assert!(is_right, "{least} to {greatest} is used: {row} {own:?}");
                assert_eq!(row["limit"].as_f64(), Some(most as f64), "{row}");
                let left = (most as f64 - used).max(0.0);
                assert!((row["left"].as_f64().unwrap() - left).abs() < 1e-9, "{row}");
            }
            // Nobody is told to use something who holds nothing.
            for (subject, row) in rows {
                let is_known = of(holdings, whose, subject).next().is_some();
                assert!(is_known || row["used"] == 0.0, "{row}");
            }
        }
    }
}

/// What is used now: nodes and reservations at this instant, node-hours of this day; at the least and at the most.
fn used(own: &[&Holding], measure: &str, now: i64) -> (f64, f64) {
    let sum = |count: &dyn Fn(&Holding) -> i64| own.iter().map(|it| count(it)).sum::<i64>() as f64;
    match measure {
        "node_hours" => {
            let day = now.div_euclid(DAY);
            let least = sum(&|it| it.node_seconds(day).0) / 3600.0;
            (least, sum(&|it| it.node_seconds(day).1) / 3600.0)
        }
        "nodes" => {
            let nodes = sum(&|it| it.nodes_at(now));
            (nodes, nodes)
        }
        _ => {
            let reservations = sum(&|it| i64::from(it.nodes_at(now) > 0));
            (reservations, reservations)
        }
    }
}

impl Holding {
    fn subject(&self, whose: Whose) -> &str {
        match whose {
            Whose::User => &self.owner,
            Whose::Project => &self.project,
        }
    }

    /// Nodes at an instant; of open offers the one counts that takes the most.
    fn nodes_at(&self, at: i64) -> i64 {
        let there = self.pieces.iter().filter(|it| it.start <= at && at < it.end.1);
        let nodes = there.map(|it| it.nodes);
        if self.is_open { nodes.max().unwrap_or_default() } else { nodes.sum() }
    }

    /// Node-seconds of a day since 1970, at the least and at the most.
    fn node_seconds(&self, day: i64) -> (i64, i64) {
        let span = (day * DAY, (day + 1) * DAY);
        let of = |it: &Piece, end: i64| it.nodes * (end.min(span.1) - it.start.max(span.0)).max(0);
        let both = self.pieces.iter().map(|it| (of(it, it.end.0), of(it, it.end.1)));
        if self.is_open {
            both.fold((0, 0), |most, it| (most.0.max(it.0), most.1.max(it.1)))
        } else {
            both.fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1))
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
fn at_most(own: &[&Holding], count: impl Fn(&Holding) -> i64) -> i64 {
    let mut groups: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
    for it in own {
        let group = groups.entry(it.replaces.as_deref().unwrap_or(&it.id)).or_default();
        let place = if it.replaces.is_some() { &mut group.1 } else { &mut group.0 };
        *place += count(it);
    }
    groups.values().map(|(now, instead)| now.max(instead)).sum()
}

/// What is held by the schedule, and of what has ended what it shows still; nothing of reservations that are not given, since
/// they are newer.
pub async fn holdings(operator: &Client, hours: Hours, reservations: &[Value]) -> Vec<Holding> {
    let mut found: BTreeMap<String, Holding> = BTreeMap::new();
    for taken in schedule(operator, hours).await {
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
        let nodes = i64::try_from(taken.ordinals.len()).unwrap();
        holding.pieces.push(Piece { start: taken.start, end: (taken.end, taken.end), nodes });
    }
    found.into_values().collect()
}
