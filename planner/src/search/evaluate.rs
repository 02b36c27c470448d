//! Which candidates are feasible, and what they would consume.

use super::crossings::{apart, crossings, with_crossings};
use super::exclusion::{Exclusion, Exclusions};
use super::idle::{Counted, IdleSearch};
use super::reserved::reserved_power;
use super::sweep::Sweep;
use super::taken::{Taken, TakenNear};
use super::variants::Variant;
use super::{Cancelled, Feasible, PlanningView, candidates};
use crate::agenda::{IntegralWalk, Walk};
use crate::book::Booking;
use crate::headroom::{Headroom, HeadroomWalk};
use crate::node_set::NodeSet;
use crate::order::{NodeOrder, Totals};
use crate::problem::SearchMode;
use crate::quantity::{CarbonIntensity, EnergyPrice, Integral, Power};
use crate::quota::{AllowedStarts, KnownStart, QuotaJudge};
use crate::request::{Request, Shape};
use crate::reserved_power;
use crate::slower_states::Slowing;
use crate::time::{Span, Timestamp};

/// How often `cancelled` is asked, in candidates.
const CANCEL_EVERY: usize = 64;

/// All candidates of one request, evaluated.
pub(super) struct Evaluation<'a> {
    view: &'a PlanningView<'a>,
    request: &'a Request,
    headroom: Option<Headroom>,
    shapes: Vec<ShapeSearch<'a>>,
    /// Where idle energy is counted.
    idle: Option<IdleSearch<'a>>,
    /// How many starts were looked at.
    pub(super) candidates: u64,
    /// The feasible ones, by start, then shape.
    pub(super) starts: Vec<Feasible>,
    pub(super) exclusions: Exclusions,
    /// Of shapes, the starts at which budgets begin or cease to be kept between the candidates.
    budget_crossings: Vec<(usize, Timestamp)>,
}

/// One shape of the request, at one speed.
struct ShapeSearch<'a> {
    variant: Variant<'a>,
    shape: Shape,
    taken: &'a [Taken<'a>],
    /// The starts that quotas allow, where there are any.
    allowed: Option<Vec<AllowedStarts>>,
    starts: Vec<Timestamp>,
    sweep: Sweep<'a>,
}

impl<'a> Evaluation<'a> {
    pub(super) fn new(
        view: &'a PlanningView<'a>,
        request: &'a Request,
        (taken, bookings): (&'a TakenNear<'a>, &[&'a Booking]),
        idle: Option<IdleSearch<'a>>,
        reach: Span,
    ) -> Self {
        let headroom = view.agendas.power_cap.as_ref().map(|cap| {
            let reserved = if view.book.is_double_booked() {
                reserved_power::reserved_power(bookings, view.book.order(), reach)
            } else {
                reserved_power(bookings, reach)
            };
            Headroom::beside(cap, view.base_power, &reserved)
        });
        let earliest = request.earliest_start_at(view.now);
        let search = |variant: Variant<'a>| {
            let shape = variant.shape;
            let window = (earliest, request.latest_start_for(shape.duration));
            let taken = taken.in_state(variant.place());
            let allows =
                |quota: &QuotaJudge| quota.allowed_starts(shape.nodes, shape.duration, window);
            let allowed = view.quota.map(allows);
            let starts =
                candidates::starts(view, taken, allowed.as_deref(), window, shape.duration);
            let sweep = Sweep::new(taken, variant.selection(view), shape.nodes);
            ShapeSearch { variant, shape, taken, allowed, starts, sweep }
        };
        let shapes = view.variants(request).into_iter().map(search).collect();
        let (starts, exclusions) = (Vec::new(), Exclusions::default());
        let budget_crossings = Vec::new();
        Self {
            view,
            request,
            headroom,
            shapes,
            idle,
            candidates: 0,
            starts,
            exclusions,
            budget_crossings,
        }
    }

    /// Evaluates every candidate and, in exact mode, the seconds that budgets and then tolerances add.
    pub(super) fn run(&mut self, cancelled: &dyn Fn() -> bool) -> Result<(), Cancelled> {
        let mut neighbours = self.evaluate(cancelled)?;
        let by_budgets = std::mem::take(&mut self.budget_crossings);
        if !by_budgets.is_empty() {
            self.look_also_at(&by_budgets);
            neighbours = self.evaluate(cancelled)?;
        }
        let tolerances = &self.request.tolerances;
        if self.view.search != SearchMode::Exact || tolerances.is_none() {
            return Ok(());
        }
        let crossings = crossings(&self.starts, &neighbours, tolerances);
        if crossings.is_empty() {
            return Ok(());
        }
        self.look_also_at(&crossings);
        self.evaluate(cancelled)?;
        Ok(())
    }

    /// Adds candidates, with their shapes.
    fn look_also_at(&mut self, more: &[(usize, Timestamp)]) {
        for (index, search) in self.shapes.iter_mut().enumerate() {
            search.starts = with_crossings(std::mem::take(&mut search.starts), index, more);
            let selection = search.variant.selection(self.view);
            search.sweep = Sweep::new(search.taken, selection, search.shape.nodes);
        }
    }

    /// One pass over the candidates of each shape; the pairs of feasible neighbours that are more
    /// than a second apart.
    fn evaluate(
        &mut self,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<(Feasible, Feasible)>, Cancelled> {
        let Self { view, headroom, shapes, idle, .. } = self;
        let budgets = view.quota.filter(|quota| quota.has_budgets());
        let crosses = budgets.filter(|_| view.search == SearchMode::Exact);
        if let Some(idle) = idle {
            idle.restart();
        }
        let collects = !self.request.tolerances.is_none() && view.search == SearchMode::Exact;
        let mut neighbours = Vec::new();
        self.candidates = 0;
        self.budget_crossings.clear();
        self.starts.clear();
        self.exclusions = Exclusions::default();
        for (index, search) in shapes.iter_mut().enumerate() {
            self.candidates += search.starts.len() as u64;
            let Some(&first) = search.starts.first() else { continue };
            let order = search.variant.selection(view).order();
            let mut feasibility = Feasibility::new(view, headroom.as_ref(), first);
            let mut before: Option<Feasible> = None;
            let mut known: Option<KnownStart> = None;
            for (number, &start) in search.starts.iter().enumerate() {
                if number % CANCEL_EVERY == 0 && cancelled() {
                    return Err(Cancelled);
                }
                let Some(span) = Span::starting(start, search.shape.duration) else { continue };
                let judged = feasibility.evaluate(span, (order, &mut search.sweep), (index, idle));
                let known_now = judged.as_ref().ok().map(|it| (start, it.own));
                if let (Some(quota), Some(before), Some(now)) = (crosses, &known, &known_now) {
                    let found = quota.budget_crossings((before, now), search.shape.duration);
                    self.budget_crossings.extend(found.into_iter().map(|it| (index, it)));
                }
                known = known_now;
                let is_free = search.allowed.as_deref().is_none_or(|it| is_allowed(it, start));
                match judged.and_then(|it| it.kept(view, span, is_free)) {
                    Ok(amounts) => {
                        let state = search.sweep.state();
                        let start = Feasible { span, shape: index, amounts, state };
                        if let Some(before) = before.filter(|it| collects && apart(it, &start)) {
                            neighbours.push((before, start));
                        }
                        before = Some(start);
                        self.starts.push(start);
                    }
                    Err(exclusion) => {
                        before = None;
                        self.exclusions.add(span, exclusion);
                    }
                }
            }
        }
        if shapes.len() > 1 {
            self.starts.sort_by_key(|it| (it.span.start(), it.shape));
        }
        Ok(neighbours)
    }

    /// The nodes it takes, as ranks of the selection at full speed, and the sum of their maximum power.
    pub(super) fn nodes(&mut self, start: &Feasible) -> (NodeSet, Power) {
        let ShapeSearch { variant, shape, sweep, .. } = &mut self.shapes[start.shape];
        let order = variant.selection(self.view).order();
        let ranks = match &mut self.idle {
            Some(idle) if idle.chooses() => {
                let of = (start.shape, start.state);
                idle.ranks(of, start.span, shape.nodes, (order, sweep))
            }
            _ => sweep.ranks(start.span),
        };
        let peak_power = order.max_power(&ranks);
        if variant.is_full() {
            return (ranks, peak_power);
        }
        (self.view.selection.order().ranks(&order.ordinals(&ranks)), peak_power)
    }

    /// The slower state in which it runs.
    pub(super) fn slowing(&self, start: &Feasible) -> Option<Box<Slowing>> {
        self.shapes[start.shape].variant.slowing()
    }

    /// Whether starts of one shape and state take the same nodes.
    pub(super) fn states_have_nodes(&self) -> bool {
        !self.idle.as_ref().is_some_and(IdleSearch::chooses)
    }

    /// What a start changes of idle energy, in the order of criteria; `None` where that is not counted.
    pub(super) fn idle_change(&mut self, start: &Feasible) -> Option<[i128; 3]> {
        let ShapeSearch { variant, shape, sweep, .. } = &mut self.shapes[start.shape];
        let order = variant.selection(self.view).order();
        let idle = self.idle.as_mut()?;
        let totals = Totals { nodes: shape.nodes, ..Totals::default() };
        let of = (start.shape, start.state);
        let counted = idle.counted(of, start.span, totals, (order, sweep));
        let price = self.view.agendas.price.integral(start.span)?;
        let intensity = self.view.agendas.co2.integral(start.span)?;
        let avoided = amounts(self.view, counted.idle_power, start.span, price, intensity);
        let lost = counted.lost_exact();
        Some(std::array::from_fn(|it| lost[it] - avoided[it]))
    }
}

/// The tests of one shape's starts, in time order.
struct Feasibility<'a> {
    view: &'a PlanningView<'a>,
    price: IntegralWalk<'a, EnergyPrice>,
    co2: IntegralWalk<'a, CarbonIntensity>,
    cap: Option<(&'a crate::agenda::Agenda<Power>, Walk<'a, Power>)>,
    headroom: Option<HeadroomWalk<'a>>,
}

impl<'a> Feasibility<'a> {
    fn new(view: &'a PlanningView<'a>, headroom: Option<&'a Headroom>, first: Timestamp) -> Self {
        let agendas = view.agendas;
        Self {
            view,
            price: IntegralWalk::new(&agendas.price, first),
            co2: IntegralWalk::new(&agendas.co2, first),
            cap: agendas.power_cap.as_ref().map(|cap| (cap, Walk::new(cap, first))),
            headroom: headroom.map(Headroom::walk),
        }
    }

    /// Tests agendas, C2 and C3 for a start and computes what counts of it.
    fn evaluate(
        &mut self,
        span: Span,
        (order, sweep): (&NodeOrder, &mut Sweep<'_>),
        (shape, idle): (usize, &mut Option<IdleSearch<'_>>),
    ) -> Result<Judged, Exclusion> {
        let agendas = self.view.agendas;
        let gap = |agenda, gap| Exclusion::AgendaGap { agenda, gap };
        let price = (self.price.integral(span))
            .ok_or_else(|| gap("price", agendas.price.agenda().first_gap(span)))?;
        let intensity = (self.co2.integral(span))
            .ok_or_else(|| gap("co2", agendas.co2.agenda().first_gap(span)))?;
        if let Some((cap, walk)) = &mut self.cap
            && !walk.covers(span)
        {
            return Err(gap("power_cap", cap.first_gap(span)));
        }
        let totals = sweep.take(span)?;
        let counted = match idle {
            None => Counted::drawn(totals),
            Some(idle) => {
                let of = (shape, sweep.state());
                idle.counted(of, span, totals, (order, sweep))
            }
        };
        if let Some(headroom) = &mut self.headroom
            && let Some((span, missing)) = headroom.shortage(span, counted.totals.counted)
        {
            return Err(Exclusion::PowerCap { missing, span });
        }
        let beyond_idle = counted.totals.draw - counted.idle_power;
        let drawn = amounts(self.view, beyond_idle, span, price, intensity);
        let own = match counted.idle_power {
            Power::ZERO => drawn,
            _ => amounts(self.view, counted.totals.draw, span, price, intensity),
        };
        let lost = counted.lost_exact();
        Ok(Judged { counted: std::array::from_fn(|it| drawn[it] + lost[it]), own })
    }
}

/// What a start takes at which all is there, by criterion.
struct Judged {
    /// As rankings compare it.
    counted: [i128; 3],
    /// Of the nodes while they are taken, which is what budgets count.
    own: [i128; 3],
}

impl Judged {
    /// What counts of it where it keeps the quotas: those of nodes where it `is_free`, and the budgets.
    fn kept(
        self,
        view: &PlanningView<'_>,
        span: Span,
        is_free: bool,
    ) -> Result<[i128; 3], Exclusion> {
        if !is_free {
            return Err(Exclusion::Quota);
        }
        match view.quota.map(|quota| quota.judge_amounts(&self.own, span)) {
            Some(Err(_)) => Err(Exclusion::Budget(view.values(self.own))),
            _ => Ok(self.counted),
        }
    }
}

/// Whether one of the intervals has a start.
fn is_allowed(allowed: &[AllowedStarts], start: Timestamp) -> bool {
    let place = allowed.partition_point(|it| it.last < start);
    allowed.get(place).is_some_and(|it| it.first <= start)
}

/// What a power amounts to over a span, by criterion.
fn amounts(
    view: &PlanningView<'_>,
    power: Power,
    span: Span,
    price: Integral<EnergyPrice>,
    intensity: Integral<CarbonIntensity>,
) -> [i128; 3] {
    [
        (power * span.length()).as_microjoules(),
        power.times_price(price, view.currency).as_exact(),
        power.times_intensity(intensity).as_exact(),
    ]
}
