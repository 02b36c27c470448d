//! Plays one month's requests under one policy. Everything this crate asks of the planner is here.
//!
//! A request costs what a plan costs. Where the order of nodes is another for each request, it
//! costs an order of all nodes besides, and the book is kept by ordinal. Partitions and features that
//! were not asked for before cost a pass over the nodes.

use std::collections::HashMap;
use std::sync::Arc;

use planner::agenda::Agendas;
use planner::book::BookedSpan;
use planner::book::{Book, Booking};
use planner::cap_scope::CapScope;
use planner::criterion::{Criterion, Values};
use planner::decision::{Decision, Offer};
use planner::filter::NodeFilter;
use planner::node_set::NodeSet;
use planner::order::{NodeOrder, Preference};
use planner::problem::PlanningProblem;
use planner::quantity::Power;
use planner::request::{Request, Shape};
use planner::search::{PlanningView, plan};
use planner::selection::Selection;
use planner::time::{Span, Timestamp};

use super::idle_energy::CountedIdle;
use super::managed::BookedMonth;
use super::outcome::{
    Amounts, Cause, PlayedPolicy, PlayedRun, RequestOutcome, RequestRecord, ReservedShape,
    Scheduled,
};
use super::parameters::Arrival;
use super::power_use::power_use;
use super::{Cell, Month, SesamesError};
use crate::policy::Policy;

/// A plan as it is made, before its reservation enters the book: what a checker judges.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// In which run, from 0.
    pub run: u32,
    /// Under which policy.
    pub policy: Policy,
    /// How many requests of the run were placed before under this policy.
    pub placed: usize,
    /// What the run is played with.
    pub month: &'a Month,
    /// What was known.
    pub view: PlanningView<'a>,
    /// What was asked.
    pub request: &'a Request,
    /// What the planner answered.
    pub decision: &'a Decision,
}

impl Plan<'_> {
    /// The problem that was solved, to be saved, replayed or checked. `O(nodes)` and the nodes
    /// booked.
    ///
    /// Its offers' ranks are over the selection of [`Plan::view`].
    ///
    /// # Errors
    /// Nodes that are no cluster, which a valid cell does not have.
    pub fn problem(&self) -> Result<PlanningProblem, SesamesError> {
        let order = self.view.book.order();
        let booked = self.view.book.bookings().iter().map(|booking| booked_span(booking, order));
        Ok(PlanningProblem {
            now: self.view.now,
            search: self.view.search,
            currency: self.view.currency,
            nodes: self.month.nodes(self.request)?,
            agendas: self.view.agendas.clone(),
            cap_scope: CapScope::ReservedNodes,
            reservations: booked.collect(),
            outages: Vec::new(),
            idle_energy: self.view.idle.map(|idle| idle.energy.clone()),
            request: self.request.clone(),
        })
    }
}

fn booked_span(booking: &Booking, order: &NodeOrder) -> BookedSpan {
    let id = Arc::clone(&booking.id);
    BookedSpan { id, span: booking.span, nodes: order.ordinals(&booking.ranks) }
}

/// The order in which nodes are taken, and what they really draw in it, where that is known once
/// for all requests.
#[derive(Debug)]
struct Orders {
    preference: Preference,
    believed: Selection,
    truth: Option<NodeOrder>,
}

/// Selections of one order by the partition and features that requests asked for.
type Labelled = HashMap<NodeFilter, Selection>;

/// What all policies of a run share.
pub(super) struct Stage<'a> {
    cell: &'a Cell,
    month: &'a Month,
    run: u32,
    /// Positions of the requests in the order in which they are placed.
    arrivals: Vec<usize>,
    /// One for each preference; none where requests have orders of their own.
    orders: Vec<Orders>,
}

impl<'a> Stage<'a> {
    pub fn new(cell: &'a Cell, month: &'a Month, run: u32) -> Self {
        let mut arrivals: Vec<usize> = (0..month.requests.len()).collect();
        if cell.parameters().arrival == Arrival::AtEarliestStart {
            arrivals.sort_by_key(|&index| month.requests[index].earliest_start);
        }
        let needed = |preference: &Preference| {
            *preference == Preference::LeastDraw
                || cell.policies().iter().any(|policy| policy.preference() == *preference)
        };
        // Without requests of their own orders, any request has the order of all.
        let any = month.requests.first().filter(|_| !month.orders_differ());
        let preferences = [Preference::FirstListed, Preference::LeastDraw];
        let orders = any.map(|any| {
            let draws = month.believed_draws(any);
            let of = |preference| orders(month, any, &draws, preference);
            preferences.into_iter().filter(needed).map(of).collect()
        });
        Self { cell, month, run, arrivals, orders: orders.unwrap_or_default() }
    }

    /// Plays the run under every policy.
    pub fn play(
        &self,
        on_plan: &mut dyn FnMut(&Plan<'_>),
        cancelled: &dyn Fn() -> bool,
    ) -> Result<PlayedRun, SesamesError> {
        let policies = self.cell.policies().iter();
        let policies = policies
            .map(|&policy| self.policy(policy, on_plan, cancelled))
            .collect::<Result<_, _>>()?;
        let mut labelled = Labelled::new();
        let asked = |&index: &usize| {
            let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
            let request = &self.month.requests[index];
            Ok(RequestRecord::of(number, request, self.least(request, &mut labelled, cancelled)?))
        };
        let requests = self.arrivals.iter().map(asked).collect::<Result<_, SesamesError>>()?;
        Ok(PlayedRun { run: self.run, requests, policies })
    }

    fn policy(
        &self,
        policy: Policy,
        on_plan: &mut dyn FnMut(&Plan<'_>),
        cancelled: &dyn Fn() -> bool,
    ) -> Result<PlayedPolicy, SesamesError> {
        let shared = self.orders.iter().find(|orders| orders.preference == policy.preference());
        let mut book = shared.map(|orders| empty_book(&orders.believed));
        // By ordinal, where orders are requests' own.
        let mut booked: Vec<BookedSpan> = Vec::new();
        let mut reserved: Vec<(Span, Power)> = Vec::new();
        let mut labelled = Labelled::new();
        let mut outcomes = Vec::with_capacity(self.arrivals.len());
        let mut booked_month = BookedMonth::new(self.cell.parameters(), self.month, self.run);
        let counted = CountedIdle::of(self.cell.parameters(), self.month, policy)?;
        let idle = counted.as_ref().map(CountedIdle::view);
        for (placed, &index) in self.arrivals.iter().enumerate() {
            let own;
            let asked = &self.month.requests[index];
            let orders = if let Some(shared) = shared {
                shared
            } else {
                let draws = self.month.believed_draws(asked);
                own = orders(self.month, asked, &draws, policy.preference());
                labelled.clear();
                book = Some(Book::of(&booked, &[], Arc::clone(own.believed.order())));
                &own
            };
            let book = book.get_or_insert_with(|| empty_book(&orders.believed));
            let now = self.now(asked);
            let forecast = self.month.believed_agendas(now);
            let agendas = forecast.as_ref().unwrap_or(&self.month.agendas);
            let selection = self.selected(&orders.believed, &asked.filter, &mut labelled);
            let view = PlanningView { idle, ..self.view(now, &selection, agendas, book) };
            let followed = if policy == Policy::Mixed { self.month.users[index] } else { policy };
            // What a user says goes before what users of the policy do.
            let tolerances = asked.tolerances.or(followed.tolerances());
            let request = Request { tolerances, ..self.month.told(asked) };
            let decision = plan(&view, &request, cancelled)?;
            let (run, month) = (self.run, self.month);
            on_plan(&Plan {
                run,
                policy,
                placed,
                month,
                view,
                request: &request,
                decision: &decision,
            });
            let Some(offer) = policy.choose(&decision, followed) else {
                outcomes.push(RequestOutcome::Unsuccessful(Cause::of(&decision)));
                continue;
            };
            let ranks = selection.book_ranks(&offer.ranks);
            let billed = self.bill(orders, asked, (offer, &ranks), forecast.is_some())?;
            outcomes.push(RequestOutcome::Scheduled(scheduled(offer, asked, followed, billed)));
            reserved.push((offer.span, offer.peak_power));
            booked_month.book(now, offer.span, asked, || orders.believed.order().ordinals(&ranks));
            let id = Arc::from(format!("r{}", index + 1));
            if shared.is_none() {
                let nodes = orders.believed.order().ordinals(&ranks);
                booked.push(BookedSpan { id, span: offer.span, nodes });
            } else {
                book.insert(id, offer.span, ranks);
            }
        }
        let cap = self.month.agendas.power_cap.as_ref();
        let power = power_use(&reserved, cap, self.cell.parameters().month());
        let managed = booked_month.play(cancelled)?;
        Ok(PlayedPolicy { policy, outcomes, power, managed })
    }

    /// When a request is planned.
    fn now(&self, request: &Request) -> Timestamp {
        let month = self.cell.parameters().start;
        match self.cell.parameters().arrival {
            Arrival::BeforeMonth => month,
            Arrival::AtEarliestStart => request.earliest_start.max(month),
        }
    }

    fn view<'v>(
        &self,
        now: Timestamp,
        selection: &'v Selection,
        agendas: &'v Agendas,
        book: &'v Book,
    ) -> PlanningView<'v> {
        let search = self.cell.parameters().search();
        let (currency, base_power) = (self.month.currency, Power::ZERO);
        let (slower, idle, quota) = (&[][..], None, None);
        PlanningView {
            now,
            search,
            currency,
            selection,
            slower,
            agendas,
            base_power,
            book,
            idle,
            quota,
        }
    }

    /// Of all nodes those that a filter admits.
    fn selected(&self, all: &Selection, filter: &NodeFilter, labelled: &mut Labelled) -> Selection {
        if filter.is_empty() {
            return all.clone();
        }
        let nodes = self.month.platform.pattern();
        let labels = filter.labels_alone();
        let kept = labelled.entry(labels);
        let of_labels = kept.or_insert_with(|| Selection::labelled(all.order(), filter, nodes));
        of_labels.excluding(filter, nodes)
    }

    /// What an offer of nodes with these ranks of all takes as it comes out.
    fn bill(
        &self,
        orders: &Orders,
        asked: &Request,
        (offer, ranks): (&Offer, &NodeSet),
        by_forecast: bool,
    ) -> Result<Amounts, SesamesError> {
        let own;
        let truth = if self.month.truths_differ() {
            own = self.month.true_order(asked, orders.believed.order());
            own.as_ref()
        } else {
            orders.truth.as_ref()
        };
        if truth.is_none() && !by_forecast {
            return Ok(Amounts::from(&offer.values));
        }
        let draw = truth.unwrap_or(orders.believed.order()).draw(ranks);
        let agendas = &self.month.agendas;
        let integrals = agendas.price.integral(offer.span).zip(agendas.co2.integral(offer.span));
        let (price, intensity) = integrals.ok_or(SesamesError::Unbilled(offer.span))?;
        Ok(Amounts::from(&Values {
            energy: draw * offer.span.length(),
            cost: draw.times_price(price, self.month.currency),
            co2: draw.times_intensity(intensity),
        }))
    }

    /// What a request takes at least, alone on the cluster and knowing what comes true: no plan of
    /// the month can do better by it in any one criterion.
    fn least(
        &self,
        request: &Request,
        labelled: &mut Labelled,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Option<Amounts>, SesamesError> {
        let own;
        let least_drawing =
            self.orders.iter().find(|orders| orders.preference == Preference::LeastDraw);
        let all = match least_drawing {
            Some(orders) if orders.truth.is_none() && !self.month.truths_differ() => {
                &orders.believed
            }
            _ => {
                labelled.clear();
                own = Selection::all(Arc::new(self.month.clairvoyant_order(request)));
                &own
            }
        };
        let selection = self.selected(all, &request.filter, labelled);
        let book = empty_book(&selection);
        let view = self.view(self.now(request), &selection, &self.month.agendas, &book);
        let decision = plan(&view, request, cancelled)?;
        let least = |criterion: Criterion| {
            decision.pareto.iter().min_by_key(|offer| criterion.exact(&offer.values))
        };
        let of = |criterion| least(criterion).map(|offer| Amounts::from(&offer.values));
        let all = of(Criterion::Energy).zip(of(Criterion::Cost)).zip(of(Criterion::Co2));
        Ok(all.map(|((energy, cost), co2)| Amounts {
            energy_j: energy.energy_j,
            cost: cost.cost,
            co2_g: co2.co2_g,
        }))
    }
}

/// `draws` are those that the planner believes.
fn orders(month: &Month, request: &Request, draws: &[Power], preference: Preference) -> Orders {
    let believed = NodeOrder::of_powers(draws, month.platform.max_powers(), preference);
    let truth = if month.truths_differ() { None } else { month.true_order(request, &believed) };
    Orders { preference, believed: Selection::all(Arc::new(believed)), truth }
}

fn empty_book(selection: &Selection) -> Book {
    Book::new(Arc::clone(selection.base()))
}

fn scheduled(offer: &Offer, asked: &Request, followed: Policy, billed: Amounts) -> Scheduled {
    let reserved = Shape { nodes: offer.ranks.count(), duration: offer.span.length() };
    let own = Shape { nodes: asked.nodes, duration: asked.duration };
    let (nodes, duration_s) = (reserved.nodes, reserved.duration.get());
    Scheduled {
        alternative: (reserved != own).then_some(ReservedShape { nodes, duration_s }),
        start: offer.span.start(),
        start_lag_s: (offer.span.start() - asked.earliest_start).get(),
        followed,
        billed,
        planned: Amounts::from(&offer.values),
        peak_power_w: offer.peak_power.as_watts(),
    }
}
