//! What the users of a month want, and what power there is.

use planner::time::{Seconds, Span};

use super::{SharingError, SharingParameters};
use crate::sesames::price;
use crate::sesames::streams::{Draw, stream, uniform};

/// A request of a user; times are hours of the month.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharedRequest {
    /// The position of the user.
    pub user: usize,
    /// When it is sent.
    pub sent: u32,
    /// When it is to start.
    pub wished: u32,
    /// When it may start at the latest.
    pub last: u32,
    /// Nodes.
    pub nodes: u32,
    /// For how many hours.
    pub hours: u32,
    /// What each of its nodes draws where the user's factor is 1, watts.
    pub draw_w: f64,
    /// Of 1000.
    pub priority: i64,
}

/// The cap is lowered, as the supplier announces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lowering {
    pub(super) announced: u32,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// What a month is played with, whoever draws what.
#[derive(Clone, Debug)]
pub(super) struct Demand {
    /// By when they are sent; of one hour in the order of users.
    pub(super) requests: Vec<SharedRequest>,
    /// By when they are announced.
    pub(super) lowerings: Vec<Lowering>,
    /// EUR for a watt in each hour.
    pub(super) price: Vec<f64>,
}

/// Watt-hours of a megawatt-hour.
const WH: f64 = 1e6;

impl Demand {
    /// The demand of run number `run`, from 0; with `given` requests in place of drawn ones, of which what nodes draw is drawn.
    pub(super) fn draw(
        parameters: &SharingParameters,
        given: Option<&[SharedRequest]>,
        run: u32,
    ) -> Result<Self, SharingError> {
        let mut rng = stream(parameters.seed, run, Draw::SharedRequests);
        let [low, high] = parameters.draw_percent;
        let mut draw_w = || {
            let share = f64::from(uniform(&mut rng, low * 100..=high * 100)) / 1e4;
            share * f64::from(parameters.node_max_w)
        };
        let requests = given.map_or_else(|| drawn(parameters, run), <[SharedRequest]>::to_vec);
        let with_draw = |it: SharedRequest| SharedRequest { draw_w: draw_w(), ..it };
        let mut requests: Vec<SharedRequest> = requests.into_iter().map(with_draw).collect();
        sort(&mut requests);
        let hours = hours(parameters, &requests);
        Ok(Self {
            lowerings: lowerings(parameters, run),
            price: prices(parameters, run, hours)?,
            requests,
        })
    }

    /// Hours that any request can touch.
    pub(super) fn hours(&self) -> u32 {
        u32::try_from(self.price.len()).unwrap_or(u32::MAX)
    }
}

fn sort(requests: &mut [SharedRequest]) {
    requests.sort_by_key(|it| (it.sent, it.user));
}

fn hours(parameters: &SharingParameters, requests: &[SharedRequest]) -> u32 {
    let last = requests.iter().map(|it| it.last + it.hours).max().unwrap_or(0);
    last.max(parameters.days * 24) + 1
}

/// The requests of all users: each value takes one word, so that one more user shifts no other.
fn drawn(parameters: &SharingParameters, run: u32) -> Vec<SharedRequest> {
    let mut rng = stream(parameters.seed, run, Draw::Requests);
    let mut requests = Vec::new();
    for user in 0..parameters.users as usize {
        for _ in 0..parameters.requests_per_user {
            let sent = uniform(&mut rng, 0..=parameters.days * 24 - 1);
            let wished = sent + uniform(&mut rng, 0..=parameters.longest_lead_h);
            let nodes = uniform(&mut rng, 1..=parameters.most_nodes);
            let hours = uniform(&mut rng, 1..=parameters.longest_h);
            let priority = uniform(&mut rng, 0..=parameters.highest_priority).into();
            let last = wished + parameters.max_delay_h;
            let draw_w = 0.0;
            requests.push(SharedRequest {
                user,
                sent,
                wished,
                last,
                nodes,
                hours,
                draw_w,
                priority,
            });
        }
    }
    requests
}

/// A lowering is announced up to a day before it begins.
fn lowerings(parameters: &SharingParameters, run: u32) -> Vec<Lowering> {
    let mut rng = stream(parameters.seed, run, Draw::PowerCap);
    let mut one = || {
        let start = uniform(&mut rng, 0..=parameters.days * 24 - 1);
        let end = start + uniform(&mut rng, 1..=parameters.longest_lowering_h);
        let announced = start.saturating_sub(uniform(&mut rng, 1..=24));
        Lowering { announced, start, end }
    };
    let mut all: Vec<Lowering> = (0..parameters.lowerings).map(|_| one()).collect();
    all.sort_by_key(|it| (it.announced, it.start, it.end));
    all
}

/// The price of the SESAMES paper's tariff, its days' colours drawn anew for each run.
fn prices(parameters: &SharingParameters, run: u32, hours: u32) -> Result<Vec<f64>, SharingError> {
    let no_price = || SharingError { name: "days", problem: "have no price".to_owned() };
    let hour = |number: u32| parameters.start + Seconds::new(i64::from(number) * 3600);
    let horizon = Span::new(hour(0), hour(hours)).ok_or_else(no_price)?;
    let days = price::draw_days(horizon, &mut stream(parameters.seed, run, Draw::Price));
    let agenda = price::of_days(horizon, &days).map_err(|_| no_price())?;
    let at = |number| {
        let price = agenda.agenda().at(hour(number))?;
        Some(planner::quantity::Rate::as_millionths(price) as f64 / 1e6 / WH)
    };
    (0..hours).map(|number| at(number).ok_or_else(no_price)).collect()
}
