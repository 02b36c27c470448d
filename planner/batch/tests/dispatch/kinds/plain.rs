//! A plain simulation of strict queues and EASY backfilling by first-fit, second by second and with nothing remembered.

use proptest::prelude::*;

use super::super::{Happened, play_jobs};
use super::{Asked, CAPACITY, Kind, LICENCES, room, system, unit_jobs, workload};

/// What is free on each node, and licences.
#[derive(Clone)]
pub(super) struct Free(pub [[u32; 2]; 4], pub u32);

/// Nobody runs.
pub(super) const ALL_FREE: Free = Free(CAPACITY, LICENCES);

/// Places by kind.
pub(super) type Places = Vec<Vec<(usize, u32)>>;

/// Places of one kind on nodes in this order.
fn put(free: &mut Free, kind: &Kind, nodes: &[usize]) -> Option<Vec<(usize, u32)>> {
    let (mut left, mut places) = (kind.units, Vec::new());
    for &node in nodes {
        let units = room(kind, node, free.0[node]).min(left);
        if units > 0 {
            places.push((node, units));
            left -= units;
            (0..2).for_each(|at| free.0[node][at] -= kind.of_node[at] * units);
        }
    }
    (left == 0).then_some(places)
}

/// The rule of jobs of several kinds: the kind with least room beyond what is asked for first, on nodes where the later ones
/// have least room.
fn by_rule(mut free: Free, job: &Asked) -> Option<Places> {
    let sum = |free: &Free, kind: &Kind| (0..4).map(|node| room(kind, node, free.0[node])).sum();
    let mut order = Vec::new();
    for (at, kind) in job.kinds.iter().enumerate() {
        let all: u32 = sum(&free, kind);
        order.push((all.checked_sub(kind.units)?, at));
    }
    order.sort_unstable();
    let mut places = vec![Vec::new(); job.kinds.len()];
    for done in 0..order.len() {
        let mut nodes = [0, 1, 2, 3];
        nodes.sort_by_key(|node| {
            let later = order[done + 1..].iter();
            later.map(|(_, at)| room(&job.kinds[*at], *node, free.0[*node])).sum::<u32>()
        });
        let at = order[done].1;
        places[at] = put(&mut free, &job.kinds[at], &nodes)?;
    }
    Some(places)
}

/// The places of a job in what is free: whether there are any says the rule, where they are says first-fit if it can.
pub(super) fn place(free: &Free, job: &Asked) -> Option<Places> {
    if free.1 < job.licences() {
        return None;
    }
    let mut free = free.clone();
    if job.alone {
        (0..4)
            .filter(|it| free.0[*it] != CAPACITY[*it])
            .collect::<Vec<_>>()
            .iter()
            .for_each(|it| free.0[*it] = [0, 0]);
    }
    let rule = by_rule(free.clone(), job)?;
    let lowest: Option<Places> =
        job.kinds.iter().map(|kind| put(&mut free, kind, &[0, 1, 2, 3])).collect();
    Some(lowest.unwrap_or(rule))
}

/// Takes a job's places from what is free.
pub(super) fn take(free: &mut Free, job: &Asked, places: &Places) {
    for (kind, places) in job.kinds.iter().zip(places) {
        for &(node, units) in places {
            for at in 0..2 {
                free.0[node][at] = free.0[node][at].saturating_sub(kind.of_node[at] * units);
            }
        }
    }
    if job.alone {
        places.iter().flatten().for_each(|(node, _)| free.0[*node] = [0, 0]);
    }
    free.1 -= job.licences();
}

/// What is left when these run.
fn free_of<'a>(running: impl Iterator<Item = (&'a Asked, &'a Places)>) -> Free {
    let mut free = ALL_FREE;
    running.for_each(|(job, places)| take(&mut free, job, places));
    free
}

/// The jobs that are not refused.
pub(super) fn able(asked: &[Asked]) -> Vec<usize> {
    let can = |it: &Asked| {
        it.kinds.iter().all(|kind| kind.of_node != [0, 0]) && place(&ALL_FREE, it).is_some()
    };
    (0..asked.len()).filter(|at| can(&asked[*at])).collect()
}

/// What happened to a job that started at a second, on these places.
pub(super) fn happened(job: &Asked, started: i64, places: &Places) -> Happened {
    let node = |(node, units): (usize, u32)| (u32::try_from(node).unwrap(), units);
    let places = places.concat().into_iter().map(node).collect();
    Happened { started, finished: started + job.lasts(), places }
}

/// Start and places of every job that is not refused.
fn plain(
    asked: &[Asked],
    easy: bool,
    per_node: bool,
    key: fn(&Asked) -> i64,
) -> Vec<Option<(i64, Places)>> {
    let mut happened: Vec<Option<(i64, Places)>> = vec![None; asked.len()];
    let able = able(asked);
    for now in 0..2000 {
        let ends = |at: usize, start: i64| start + asked[at].lasts();
        let event = able.iter().any(|at| {
            asked[*at].submitted == now
                || happened[*at].as_ref().is_some_and(|it| ends(*at, it.0) == now)
        });
        let mut waiting: Vec<usize> = able
            .iter()
            .copied()
            .filter(|at| asked[*at].submitted <= now && happened[*at].is_none())
            .collect();
        if event {
            waiting.sort_by_key(|at| (key(&asked[*at]), asked[*at].submitted, *at));
            decide(now, asked, &mut happened, &waiting, easy, per_node);
        }
    }
    happened
}

fn decide(
    now: i64,
    asked: &[Asked],
    happened: &mut [Option<(i64, Places)>],
    waiting: &[usize],
    easy: bool,
    per_node: bool,
) {
    let running = |happened: &[Option<(i64, Places)>], then: i64, wall: bool| -> Free {
        let length = |job: &Asked| if wall { job.walltime } else { job.lasts() };
        free_of(asked.iter().zip(happened).filter_map(|(job, it)| {
            let (start, places) = it.as_ref()?;
            let runs = start + job.lasts() > now && start + length(job) > then;
            runs.then_some((job, places))
        }))
    };
    let mut rest = waiting.iter().copied();
    let first = loop {
        let Some(at) = rest.next() else { return };
        let Some(places) = place(&running(happened, now, false), &asked[at]) else { break at };
        happened[at] = Some((now, places));
    };
    if !easy {
        return;
    }
    let mut ends: Vec<i64> = asked
        .iter()
        .zip(&*happened)
        .filter_map(|(job, it)| {
            it.as_ref().filter(|it| it.0 + job.lasts() > now).map(|it| it.0 + job.walltime)
        })
        .collect();
    ends.sort_unstable();
    let (shadow, promised) = ends
        .into_iter()
        .find_map(|end| Some((end, place(&running(happened, end, true), &asked[first])?)))
        .unwrap();
    let mut left = running(happened, shadow, true);
    take(&mut left, &asked[first], &promised);
    let nodes: Vec<usize> = promised.iter().flatten().map(|it| it.0).collect();
    if per_node {
        for node in &nodes {
            left.0[*node] = [0, 0];
        }
    }
    for at in rest {
        let job = &asked[at];
        let mut free = running(happened, now, false);
        let beyond = now + job.walltime > shadow;
        if beyond {
            for node in &nodes {
                let both =
                    free.0[*node].into_iter().zip(left.0[*node]).map(|(one, other)| one.min(other));
                free.0[*node] = both.collect::<Vec<_>>().try_into().unwrap();
            }
            free.1 = free.1.min(left.1);
        }
        let Some(places) = place(&free, job) else { continue };
        if beyond {
            take(&mut left, job, &places);
        }
        happened[at] = Some((now, places));
    }
}

/// What jobs are ordered by.
type Key = fn(&Asked) -> i64;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Every job starts when and where the plain simulation starts it.
    #[test]
    fn kinds_start_as_in_the_plain_simulation(asked in workload()) {
        let orders: [(&str, Key); 3] =
            [("fcfs", |_| 0), ("sjf", |job| job.walltime), ("ljf", |job| -job.walltime)];
        for (order, key) in orders {
            for (backfill, easy, per_node) in
                [("none", false, false), ("easy", true, false), ("easy_per_node", true, true)]
            {
                let names = [order, backfill, "first_fit", "walltime"];
                let (notes, _) = play_jobs(&system(), unit_jobs(&asked), names, &[]);
                for (number, expected) in (0..).zip(plain(&asked, easy, per_node, key)) {
                    let job = &asked[usize::try_from(number).unwrap()];
                    let expected = expected.map(|(started, places)| happened(job, started, &places));
                    prop_assert_eq!(notes.played.get(&number), expected.as_ref(), "{} {} job {}", order, backfill, number);
                }
            }
        }
    }
}
