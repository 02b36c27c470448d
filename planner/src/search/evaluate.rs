//! Which candidates are feasible, and what they would consume.

use super::crossings::{apart, crossings, with_crossings};
use super::exclusion::{Exclusion, Exclusions};
use super::reserved::reserved_power;
use super::sweep::Sweep;
use super::taken::Taken;
use super::{Cancelled, Feasible, PlanningView, candidates};
use crate::agenda::{IntegralWalk, Walk};
use crate::book::Booking;
use crate::headroom::{Headroom, HeadroomWalk};
use crate::node_set::NodeSet;
use crate::order::Totals;
use crate::problem::SearchMode;
use crate::quantity::Power;
use crate::request::{Request, Shape};
use crate::reserved_power;
use crate::time::{Seconds, Span, Timestamp};

/// How often `cancelled` is asked, in candidates.
const CANCEL_EVERY: usize = 64;

/// All candidates of one request, evaluated.
pub(super) struct Evaluation<'a> {
    view: &'a PlanningView<'a>,
    request: &'a Request,
    taken: &'a [Taken<'a>],
    headroom: Option<Headroom>,
    shapes: Vec<ShapeSearch<'a>>,
    /// How many starts were looked at.
    pub(super) candidates: u64,
    /// The feasible ones, by start, then shape.
    pub(super) starts: Vec<Feasible>,
    pub(super) exclusions: Exclusions,
}

/// One shape of the request.
struct ShapeSearch<'a> {
    shape: Shape,
    starts: Vec<Timestamp>,
    sweep: Sweep<'a>,
}

impl<'a> Evaluation<'a> {
    pub(super) fn new(
        view: &'a PlanningView<'a>,
        request: &'a Request,
        taken: &'a [Taken<'a>],
        bookings: &[&'a Booking],
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
        let search = |shape: Shape| {
            let window = (earliest, request.latest_start_for(shape.duration));
            let starts = candidates::starts(view, taken, window, shape.duration);
            ShapeSearch { shape, starts, sweep: Sweep::new(taken, view.selection, shape.nodes) }
        };
        let shapes = request.shapes().map(search).collect();
        let (starts, exclusions) = (Vec::new(), Exclusions::default());
        Self { view, request, taken, headroom, shapes, candidates: 0, starts, exclusions }
    }

    /// Evaluates every candidate and, with tolerances in exact mode, the seconds that these add.
    pub(super) fn run(&mut self, cancelled: &dyn Fn() -> bool) -> Result<(), Cancelled> {
        let neighbours = self.evaluate(cancelled)?;
        let tolerances = &self.request.tolerances;
        if self.view.search != SearchMode::Exact || tolerances.is_none() {
            return Ok(());
        }
        let crossings = crossings(&self.starts, &neighbours, tolerances);
        if crossings.is_empty() {
            return Ok(());
        }
        for (index, search) in self.shapes.iter_mut().enumerate() {
            search.starts = with_crossings(std::mem::take(&mut search.starts), index, &crossings);
            search.sweep = Sweep::new(self.taken, self.view.selection, search.shape.nodes);
        }
        self.evaluate(cancelled)?;
        Ok(())
    }

    /// One pass over the candidates of each shape; the pairs of feasible neighbours that are more
    /// than a second apart.
    fn evaluate(
        &mut self,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<(Feasible, Feasible)>, Cancelled> {
        let Self { view, headroom, shapes, .. } = self;
        let collects = !self.request.tolerances.is_none() && view.search == SearchMode::Exact;
        let mut neighbours = Vec::new();
        self.candidates = 0;
        self.starts.clear();
        self.exclusions = Exclusions::default();
        for (index, search) in shapes.iter_mut().enumerate() {
            self.candidates += search.starts.len() as u64;
            let Some(&first) = search.starts.first() else { continue };
            let mut feasibility = Feasibility::new(view, headroom.as_ref(), first, search.shape);
            let mut before: Option<Feasible> = None;
            for (number, &start) in search.starts.iter().enumerate() {
                if number % CANCEL_EVERY == 0 && cancelled() {
                    return Err(Cancelled);
                }
                let Some(span) = Span::starting(start, search.shape.duration) else { continue };
                match feasibility.evaluate(span, &mut search.sweep) {
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

    /// The nodes it takes, as ranks of the selection.
    pub(super) fn ranks(&mut self, start: &Feasible) -> NodeSet {
        self.shapes[start.shape].sweep.ranks(start.span)
    }
}

/// The tests of one shape's starts, in time order.
struct Feasibility<'a> {
    view: &'a PlanningView<'a>,
    price: IntegralWalk<'a, crate::quantity::EnergyPrice>,
    co2: IntegralWalk<'a, crate::quantity::CarbonIntensity>,
    cap: Option<(&'a crate::agenda::Agenda<Power>, Walk<'a, Power>)>,
    headroom: Option<HeadroomWalk<'a>>,
    duration: Seconds,
}

impl<'a> Feasibility<'a> {
    fn new(
        view: &'a PlanningView<'a>,
        headroom: Option<&'a Headroom>,
        first: Timestamp,
        shape: Shape,
    ) -> Self {
        let agendas = view.agendas;
        Self {
            view,
            price: IntegralWalk::new(&agendas.price, first),
            co2: IntegralWalk::new(&agendas.co2, first),
            cap: agendas.power_cap.as_ref().map(|cap| (cap, Walk::new(cap, first))),
            headroom: headroom.map(Headroom::walk),
            duration: shape.duration,
        }
    }

    /// Tests agendas, C2 and C3 for a start and computes what it would consume.
    fn evaluate(&mut self, span: Span, sweep: &mut Sweep<'_>) -> Result<[i128; 3], Exclusion> {
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
        let Totals { draw, counted, .. } = sweep.take(span)?;
        if let Some(headroom) = &mut self.headroom
            && let Some((span, missing)) = headroom.shortage(span, counted)
        {
            return Err(Exclusion::PowerCap { missing, span });
        }
        Ok([
            (draw * self.duration).as_microjoules(),
            draw.times_price(price, self.view.currency).as_exact(),
            draw.times_intensity(intensity).as_exact(),
        ])
    }
}
