//! Places of jobs that ask for several kinds of units.

use super::{Dispatcher, FitView, PlaceRequest, Time, UnitsOnNode, Waiting};
use crate::dispatch::several::{for_it_alone, places, places_in_order};

impl Dispatcher<'_> {
    /// Whether a job asks for several kinds of units.
    pub(super) fn asks_for_several(&self, job: &Waiting) -> bool {
        !self.units.get(job.unit).beside.is_empty()
    }

    /// Its places in what is free, and beside the promise where the job runs `beyond` it.
    pub(super) fn choose_several(
        &mut self,
        job: &Waiting,
        now: Time,
        beyond: bool,
    ) -> Option<Vec<UnitsOnNode>> {
        let unit = self.units.get(job.unit);
        let mut free = self.free.clone();
        if let Some(promise) = self.promise.as_ref().filter(|_| beyond) {
            if !promise.shares(unit, job.units) {
                return None;
            }
            promise.limit(&mut free);
        }
        let free = for_it_alone(free, unit);
        let by_rule = places(&free, unit, job.units)?;
        let fit = &mut self.fit;
        let by_fit = places_in_order(free, unit, job.units, |free, kind, units| {
            if fit.is_plain() {
                return (0..free.nodes()).collect();
            }
            let view = FitView {
                system: self.system,
                types: &self.types,
                free,
                units: &self.units,
                waiting: &self.window,
                busy_until: &self.busy_until,
            };
            let request = PlaceRequest { unit: kind, units, ends: now + job.estimate.told };
            let mut nodes = Vec::new();
            fit.order(&view, &request, &mut nodes);
            nodes
        });
        Some(by_fit.unwrap_or(by_rule))
    }
}
