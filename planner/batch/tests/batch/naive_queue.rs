//! A queue on machines that are chosen, second by second and machine by machine.

use std::collections::BTreeSet;

use super::Row;
use super::naive_sets::{MACHINES, Place, Plain};

/// A queue, strict or with EASY backfilling, second by second and machine by machine: every waiting job is tried
/// at every second.
pub fn queue_places(rows: &[Row], plain: Plain<'_>, backfills: bool) -> Vec<Place> {
    let mut places: Vec<Option<Place>> = vec![None; rows.len()];
    for now in 0.. {
        loop {
            let waits = |index: &usize| rows[*index].0 <= now && places[*index].is_none();
            let mut waiting: Vec<usize> = (0..rows.len()).filter(waits).collect();
            waiting.sort_by_key(|&index| rows[index].0);
            let waiting = plain.sorted(rows, waiting);
            let Some((index, machines)) =
                next_start(rows, plain, backfills, &places, now, &waiting)
            else {
                break;
            };
            let (_, _, run, walltime) = rows[index];
            let (latest, end) = (now + walltime, now + run.min(walltime));
            places[index] = Some(Place { start: now, latest, end, machines });
        }
        if places.iter().all(Option::is_some) {
            break;
        }
    }
    places.into_iter().map(Option::unwrap).collect()
}

/// Who starts now, and where: the first waiting job, or another that does not disturb its promise.
fn next_start(
    rows: &[Row],
    plain: Plain<'_>,
    backfills: bool,
    places: &[Option<Place>],
    now: i64,
    waiting: &[usize],
) -> Option<(usize, Vec<u32>)> {
    let free_for = |at: i64, index: usize| -> BTreeSet<u32> {
        let runs = |place: &&Place| place.end > now && (at == now || at < place.latest);
        let running: Vec<&Place> = places.iter().flatten().filter(runs).collect();
        let busy = |machine: &u32| running.iter().any(|place| place.machines.contains(machine));
        let reserved = |machine: &u32| plain.reserves(*machine, at, at + rows[index].3);
        (0..MACHINES).filter(|machine| !busy(machine) && !reserved(machine)).collect()
    };
    let (&first, others) = waiting.split_first()?;
    let place = |at: i64| Some((at, plain.chosen.of(&free_for(at, first), rows[first].1)?));
    let (start, promised) = (now..).find_map(place)?;
    if start == now {
        return Some((first, promised));
    }
    others.iter().filter(|_| backfills).find_map(|&index| {
        let mut free = free_for(now, index);
        if now + rows[index].3 > start {
            free.retain(|machine| !promised.contains(machine));
        }
        Some((index, plain.chosen.of(&free, rows[index].1)?))
    })
}
