//! Plays a month: requests wait for nodes and power, and are served by the standing of who sent them.
//!
//! Each hour goes as a turn of the service does. A cap that is lowered then makes reservations give way that have not begun, in
//! the order of [`YieldOrder::LowestStandingFirst`]; they wait again. Then everything that waits is tried, the highest standing
//! first: what fits, from when it is to start or from now on, is booked. What could start no more is refused.

use planner::agenda::{Agenda, Piece};
use planner::dialogue::{Claim, YieldOrder, keep};
use planner::fair_share::{ShareFactor, in_turn};
use planner::headroom::Headroom;
use planner::quantity::Power;
use planner::time::{Seconds, Span, Timestamp};

use super::demand::{Demand, SharedRequest};
use super::usage::{BookedUsage, ShareRule};
use super::{SharingError, SharingParameters};

/// What became of the requests of a user in a month.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UserMonth {
    /// Requests.
    pub requests: u32,
    /// Of these, those that were never served.
    pub refused: u32,
    /// How often a reservation gave way when the cap was lowered.
    pub gave_way: u32,
    /// How much later than they were to start, summed; a refused one counts all that it could have waited. Hours.
    pub delay_h: f64,
    /// Joules.
    pub energy_j: f64,
    /// EUR.
    pub cost: f64,
    /// The factor at the end of the month.
    pub factor: f64,
}

/// How a request stands in the month.
#[derive(Clone, Copy, Debug)]
struct State {
    /// What sorts those that compete.
    standing: i64,
    /// When it was booked, and for when.
    booked: Option<(u32, u32)>,
}

struct Play<'a> {
    parameters: &'a SharingParameters,
    demand: &'a Demand,
    /// By how much of what others draw each user draws.
    energy: &'a [f64],
    states: Vec<State>,
    /// Positions of requests.
    waiting: Vec<usize>,
    /// By hour: nodes that the cap allows as it is known, and nodes that are booked.
    allowed: Vec<u32>,
    taken: Vec<u32>,
    usage: BookedUsage,
    users: Vec<UserMonth>,
}

/// Plays a month in which users draw by these factors.
pub(super) fn play(
    parameters: &SharingParameters,
    demand: &Demand,
    rule: ShareRule,
    energy: &[f64],
) -> Result<Vec<UserMonth>, SharingError> {
    let hours = demand.hours() as usize;
    let mut play = Play {
        parameters,
        demand,
        energy,
        states: vec![State { standing: 0, booked: None }; demand.requests.len()],
        waiting: Vec::new(),
        allowed: vec![nodes_under(parameters, parameters.cap_percent); hours],
        taken: vec![0; hours],
        usage: BookedUsage::new(parameters, rule),
        users: vec![UserMonth::default(); parameters.users as usize],
    };
    let (mut sent, mut announced) = (0, 0);
    for now in 0..demand.hours() {
        if now == parameters.days * 24 {
            play.note_factors(now)?;
        }
        while let Some(it) = demand.lowerings.get(announced).filter(|it| it.announced <= now) {
            play.lower(it.start, it.end);
            play.give_way(now);
            announced += 1;
        }
        let first = sent;
        while demand.requests.get(sent).is_some_and(|it| it.sent <= now) {
            sent += 1;
        }
        if first < sent {
            play.receive(first..sent, now)?;
        }
        play.serve(now);
    }
    Ok(play.users)
}

/// The nodes whose greatest power a cap allows.
fn nodes_under(parameters: &SharingParameters, percent: u32) -> u32 {
    parameters.nodes * percent / 100
}

impl Play<'_> {
    /// The factor of who sends a request is that of the time and stays.
    fn receive(&mut self, sent: std::ops::Range<usize>, now: u32) -> Result<(), SharingError> {
        let factors = self.factors(now)?;
        for at in sent {
            let SharedRequest { user, priority, .. } = self.demand.requests[at];
            self.states[at].standing = self.parameters.weights().standing(priority, factors[user]);
            self.users[user].requests += 1;
            self.waiting.push(at);
        }
        Ok(())
    }

    fn factors(&self, now: u32) -> Result<Vec<ShareFactor>, SharingError> {
        let problem = |error: planner::fair_share::AccountError| error.to_string();
        let told = self.usage.factors(now).map_err(problem);
        told.map_err(|problem| SharingError { name: "users", problem })
    }

    fn note_factors(&mut self, now: u32) -> Result<(), SharingError> {
        for (user, factor) in self.factors(now)?.into_iter().enumerate() {
            self.users[user].factor = factor.as_f64();
        }
        Ok(())
    }

    /// Tries all that wait, in the order of their standing.
    fn serve(&mut self, now: u32) {
        let mut waiting = std::mem::take(&mut self.waiting);
        in_turn(&mut waiting, |&at| self.states[at].standing);
        waiting.retain(|&at| {
            let request = self.demand.requests[at];
            let start = request.wished.max(now);
            if start > request.last {
                let user = &mut self.users[request.user];
                user.refused += 1;
                user.delay_h += f64::from(request.last - request.wished);
                return false;
            }
            let fits = self.fits(&request, start);
            if fits {
                self.book(at, start, now);
            }
            !fits
        });
        // Those of one standing stay in the order in which they came.
        waiting.sort_unstable();
        self.waiting = waiting;
    }

    fn fits(&self, request: &SharedRequest, start: u32) -> bool {
        let span = start as usize..(start + request.hours) as usize;
        let left = self.allowed[span.clone()].iter().zip(&self.taken[span]);
        left.into_iter().all(|(allowed, taken)| taken + request.nodes <= *allowed)
    }

    fn book(&mut self, at: usize, start: u32, now: u32) {
        let request = self.demand.requests[at];
        self.states[at].booked = Some((now, start));
        self.count(&request, start, 1.0);
        let end = start + request.hours;
        let watts = self.watts(&request);
        self.usage.book(request.user, start, end, watts);
        self.taken[start as usize..end as usize].iter_mut().for_each(|it| *it += request.nodes);
    }

    /// What a reservation draws on the average.
    fn watts(&self, request: &SharedRequest) -> f64 {
        f64::from(request.nodes) * request.draw_w * self.energy[request.user]
    }

    /// Counts a reservation for its user, or takes it back.
    fn count(&mut self, request: &SharedRequest, start: u32, sign: f64) {
        let watts = sign * self.watts(request);
        let price: f64 =
            self.demand.price[start as usize..(start + request.hours) as usize].iter().sum();
        let user = &mut self.users[request.user];
        user.delay_h += sign * f64::from(start - request.wished);
        user.energy_j += watts * 3600.0 * f64::from(request.hours);
        user.cost += watts * price;
    }

    fn lower(&mut self, start: u32, end: u32) {
        let lowered = nodes_under(self.parameters, self.parameters.lowered_percent);
        let hours = self.allowed.len();
        let span = (start as usize).min(hours)..(end as usize).min(hours);
        self.allowed[span].iter_mut().for_each(|it| *it = lowered);
    }

    /// What has not begun and does not fit under the cap as it is known now waits again.
    fn give_way(&mut self, now: u32) {
        let claimed: Vec<usize> = (0..self.states.len())
            .filter(|&at| {
                let end = |start: u32| start + self.demand.requests[at].hours;
                self.states[at].booked.is_some_and(|(_, start)| end(start) > now)
            })
            .collect();
        let claims: Vec<Claim> = claimed.iter().filter_map(|&at| self.claim(at, now)).collect();
        let Some((cap, window)) = self.cap(now) else { return };
        let spans = claims.iter().map(|it| it.span);
        let mut headroom = Headroom::before_claims(&cap, Power::ZERO, window, spans);
        let kept = keep(&claims, YieldOrder::LowestStandingFirst, &mut headroom);
        for ((&at, claim), kept) in claimed.iter().zip(&claims).zip(kept) {
            // What runs goes on, as in the service.
            if !kept && !claim.active {
                self.end(at);
            }
        }
    }

    fn claim(&self, at: usize, now: u32) -> Option<Claim> {
        let (request, (confirmed, start)) = (self.demand.requests[at], self.states[at].booked?);
        let span = Span::new(hour(start.max(now)), hour(start + request.hours))?;
        Some(Claim {
            span,
            power: self.power(request.nodes),
            active: start < now,
            confirmed: hour(confirmed),
            priority: request.priority,
            standing: self.states[at].standing,
        })
    }

    /// What nodes count against the cap: what they draw at most.
    fn power(&self, nodes: u32) -> Power {
        let watts = i64::from(nodes) * i64::from(self.parameters.node_max_w);
        Power::from_microwatts(watts * 1_000_000)
    }

    /// The cap from an hour on as it is known.
    fn cap(&self, now: u32) -> Option<(Agenda<Power>, Span)> {
        let window = Span::new(hour(now), hour(self.demand.hours()))?;
        let mut pieces: Vec<Piece<Power>> = Vec::new();
        for (number, &nodes) in (0..).zip(&self.allowed).skip(now as usize) {
            let value = self.power(nodes);
            let start = match pieces.last().copied() {
                Some(last) if last.value == value => {
                    pieces.pop();
                    last.span.start()
                }
                _ => hour(number),
            };
            pieces.push(Piece { span: Span::new(start, hour(number + 1))?, value });
        }
        Some((Agenda::new(pieces).ok()?, window))
    }

    /// A reservation gives way, and waits again.
    fn end(&mut self, at: usize) {
        let Some((_, start)) = self.states[at].booked.take() else { return };
        let request = self.demand.requests[at];
        let end = start + request.hours;
        self.count(&request, start, -1.0);
        self.usage.give_back(request.user, start, end);
        self.taken[start as usize..end as usize].iter_mut().for_each(|it| *it -= request.nodes);
        self.users[request.user].gave_way += 1;
        self.waiting.push(at);
    }
}

/// The beginning of an hour of the month, counted from its start.
fn hour(number: u32) -> Timestamp {
    Timestamp::from_unix_seconds(0) + Seconds::new(i64::from(number) * 3600)
}

#[cfg(test)]
mod tests {
    use super::super::demand::Lowering;
    use super::*;

    const PLAIN: ShareRule = ShareRule { damping: 1.0, half_life_d: 7 };

    fn request(user: usize, sent: u32, nodes: u32, hours: u32) -> SharedRequest {
        let (wished, last) = (sent, sent + 24);
        SharedRequest { user, sent, wished, last, nodes, hours, draw_w: 100.0, priority: 0 }
    }

    /// Two nodes of 200 W at most without a cap, and two users. The price is a ten thousandth of a EUR for a watt-hour.
    fn played(
        requests: Vec<SharedRequest>,
        lowerings: Vec<Lowering>,
        energy: [f64; 2],
    ) -> Vec<UserMonth> {
        let parameters = SharingParameters {
            users: 2,
            nodes: 2,
            node_max_w: 200,
            days: 3,
            cap_percent: 100,
            lowered_percent: 50,
            user_energy_factors: std::iter::once(("u1".to_owned(), 1.0)).collect(),
            ..SharingParameters::default()
        };
        let demand = Demand { requests, lowerings, price: vec![1e-4; 120] };
        play(&parameters, &demand, PLAIN, &energy).unwrap()
    }

    /// The first took both nodes for 10 h; then both want both nodes. The second stands better, and is served when they
    /// are free; the first 5 h later. They draw 2 x 100 W: 10 h and 5 h are 3 kWh, at 0.10 EUR 0.30 EUR.
    #[test]
    fn who_used_less_is_served_first() {
        let requests = vec![request(0, 0, 2, 10), request(0, 1, 2, 5), request(1, 2, 2, 5)];
        let told = played(requests, Vec::new(), [1.0, 1.0]);
        assert_eq!((told[0].delay_h, told[1].delay_h), (14.0, 8.0));
        assert_eq!((told[0].requests, told[0].refused), (2, 0));
        assert!((told[0].energy_j - 3.0 * 3.6e6).abs() < 1e-3 && (told[0].cost - 0.3).abs() < 1e-9);
    }

    /// Both used as long, the second with half the energy.
    #[test]
    fn who_draws_less_is_served_first() {
        let requests = vec![
            request(0, 0, 1, 10),
            request(1, 0, 1, 10),
            request(0, 1, 2, 5),
            request(1, 1, 2, 5),
        ];
        let alike = played(requests.clone(), Vec::new(), [1.0, 1.0]);
        assert_eq!((alike[0].delay_h, alike[1].delay_h), (9.0, 14.0));
        let frugal = played(requests, Vec::new(), [1.0, 0.5]);
        assert_eq!((frugal[0].delay_h, frugal[1].delay_h), (14.0, 9.0));
        assert!(frugal[1].factor > frugal[0].factor);
    }

    /// The first booked a node for a day, and both booked a node for hour 30. Lowered to one node from hour 30 on, which is
    /// told at hour 26, the first gives way and waits for the other to end.
    #[test]
    fn who_used_more_gives_way() {
        let later =
            |user, sent| SharedRequest { wished: 30, last: 54, ..request(user, sent, 1, 5) };
        let requests = vec![request(0, 0, 1, 20), later(1, 24), later(0, 24)];
        let lowering = Lowering { announced: 26, start: 30, end: 40 };
        let told = played(requests, vec![lowering], [1.0, 1.0]);
        assert_eq!((told[0].gave_way, told[1].gave_way), (1, 0));
        // It is served in hour 35, when the other has ended.
        assert_eq!((told[0].delay_h, told[1].delay_h), (5.0, 0.0));
    }

    /// What never fits is refused and counts all that it could have waited.
    #[test]
    fn what_finds_no_place_is_refused() {
        let told = played(vec![request(0, 0, 2, 40), request(1, 1, 1, 1)], Vec::new(), [1.0, 1.0]);
        assert_eq!((told[1].refused, told[1].delay_h, told[1].energy_j), (1, 24.0, 0.0));
    }
}
