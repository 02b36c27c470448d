//! Jobs that can never start.

use crate::dispatch::free::FreeResources;
use crate::dispatch::jobs::UnitJob;
use crate::dispatch::observer::UnitRefusal;
use crate::dispatch::several;
use crate::dispatch::system::{QueueLimits, System};

/// Why a job can never start on a system of which `empty` is what is free before anything starts.
pub(super) fn refusal(
    job: &UnitJob,
    system: &System,
    empty: &FreeResources,
) -> Option<UnitRefusal> {
    if job.unit.kinds(job.units).any(|(units, kind)| units == 0 || kind.of_node.is_empty()) {
        return Some(UnitRefusal::AsksForNothing);
    }
    let mut enough = true;
    for (units, kind) in job.unit.kinds(job.units) {
        match system.holds(kind) {
            0 => return Some(UnitRefusal::NoNodeHoldsIt),
            held => enough &= held >= u64::from(units),
        }
    }
    let several = !job.unit.beside.is_empty();
    if !enough || several && !several::fits(empty, &job.unit, job.units) {
        return Some(UnitRefusal::TooManyUnits);
    }
    let queue = system.queues.iter().find(|it| it.name == job.queue)?;
    above(job, queue, system).then_some(UnitRefusal::AboveTheQueue)
}

/// Whether a job asks for more than its queue allows.
fn above(job: &UnitJob, queue: &QueueLimits, system: &System) -> bool {
    let units = queue.max_units.is_some_and(|most| job.all_units() > most);
    let time = queue.max_time.is_some_and(|most| job.walltime.is_none_or(|it| it > most));
    let kinds = system.resources.len();
    let asked = |place: usize| match place.checked_sub(kinds) {
        None => job.unit.asked_of_nodes(job.units, place),
        Some(place) => job.unit.asked_of_shared(job.units, place),
    };
    let mut limits = queue.max_amounts.iter().enumerate();
    units || time || limits.any(|(place, most)| most.is_some_and(|most| asked(place) > most))
}
