//! Conservative backfilling on machines that are chosen, second by second and machine by machine; what is
//! near what, and that promises are kept.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

/// Later than anything happens.
const HORIZON: i64 = 100_000;

/// Which of the free machines a job gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chosen {
    Lowest,
    Neighbours {
        always: bool,
    },
    /// Of one group; the group of each machine.
    Local {
        always: bool,
        groups: [u8; MACHINES as usize],
    },
}

pub const MACHINES: u32 = 6;

impl Chosen {
    pub fn of(self, free: &BTreeSet<u32>, nodes: u32) -> Option<Vec<u32>> {
        let lowest = |from: &[u32]| {
            let nodes = nodes as usize;
            (from.len() >= nodes).then(|| from[..nodes].to_vec())
        };
        let all: Vec<u32> = free.iter().copied().collect();
        match self {
            Self::Lowest => lowest(&all),
            Self::Neighbours { always } => {
                let row = |first: u32| (first..first + nodes).collect::<Vec<u32>>();
                let fits = |row: &Vec<u32>| row.iter().all(|machine| free.contains(machine));
                let found = (0..MACHINES).map(row).find(fits);
                if always { found } else { found.or_else(|| lowest(&all)) }
            }
            Self::Local { always, groups } => {
                // Groups by their first machines.
                let mut names = groups.to_vec();
                let mut met = BTreeSet::new();
                names.retain(|name| met.insert(*name));
                let of = |name: &u8| -> Vec<u32> {
                    let inside = |machine: &u32| groups[*machine as usize] == *name;
                    all.iter().copied().filter(inside).collect()
                };
                let found = names.iter().find_map(|name| lowest(&of(name)));
                if always { found } else { found.or_else(|| lowest(&all)) }
            }
        }
    }
}

/// A job that has a place: from when, until when at the latest, until when, where.
#[derive(Clone, Debug)]
pub struct Place {
    pub start: i64,
    pub latest: i64,
    pub end: i64,
    pub machines: Vec<u32>,
}

/// What a plain rule goes by.
#[derive(Clone, Copy)]
pub struct Plain<'a> {
    pub chosen: Chosen,
    pub compression: bool,
    /// The order of the queue.
    pub key: fn(&Row) -> i64,
    /// From when to when which machines are reserved in advance.
    pub reserved: &'a [(i64, i64, Vec<u32>)],
    /// From when to when how many machines may compute.
    pub limits: &'a [(i64, i64, usize)],
}

impl Plain<'_> {
    /// In the order of submission, with nothing reserved or limited.
    pub const fn of(chosen: Chosen) -> Self {
        Self { chosen, compression: true, key: |_| 0, reserved: &[], limits: &[] }
    }

    /// Whether a machine is reserved at some time from an instant to another.
    pub fn reserves(&self, machine: u32, start: i64, end: i64) -> bool {
        let during = |(from, until, machines): &(i64, i64, Vec<u32>)| {
            *from < end && start < *until && machines.contains(&machine)
        };
        self.reserved.iter().any(during)
    }

    /// Whether so many machines may compute at an instant.
    fn limits_to(&self, at: i64, machines: usize) -> bool {
        let limit = self.limits.iter().find(|(from, until, _)| (*from..*until).contains(&at));
        limit.is_none_or(|(.., most)| machines <= *most)
    }

    /// Jobs by their indices in the order of the queue.
    pub fn sorted(&self, rows: &[Row], mut jobs: Vec<usize>) -> Vec<usize> {
        jobs.sort_by_key(|&index| (self.key)(&rows[index]));
        jobs
    }
}

/// The place of every job by its index, and the start that it was first promised.
pub fn places(rows: &[Row], plain: Plain<'_>) -> (Vec<Place>, Vec<i64>) {
    let mut places: Vec<Option<Place>> = vec![None; rows.len()];
    let mut promises = vec![i64::MIN; rows.len()];
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|&index| rows[index].0);
    let place = |places: &[Option<Place>], now: i64, index: usize| {
        let (_, nodes, run, walltime) = rows[index];
        let free_at = |at: i64, machine: u32| {
            let others = places.iter().enumerate().filter(|(other, _)| *other != index);
            // Who has started and ended early is gone; all others are there as long as they may.
            let there = |place: &Place| {
                let gone = place.start <= now && place.end <= now;
                !gone && (place.start..place.latest).contains(&at)
            };
            let mut there = others.filter_map(|(_, place)| place.as_ref()).filter(|one| there(one));
            !there.any(|place| place.machines.contains(&machine))
        };
        let busy = |at: i64| (0..MACHINES).filter(|machine| !free_at(at, *machine)).count();
        let found = (now..HORIZON).find_map(|start| {
            let span = start..start + walltime;
            let allowed = |at| plain.limits_to(at, busy(at) + nodes as usize);
            if !plain.limits.is_empty() && !span.clone().all(allowed) {
                return None;
            }
            let free = |machine: &u32| {
                let reserved = plain.reserves(*machine, span.start, span.end);
                !reserved && span.clone().all(|at| free_at(at, *machine))
            };
            let free: BTreeSet<u32> = (0..MACHINES).filter(free).collect();
            Some((start, plain.chosen.of(&free, nodes)?))
        });
        let (start, machines) = found.unwrap();
        Place { start, latest: start + walltime, end: start + run.min(walltime), machines }
    };
    for now in 0..HORIZON {
        let ended = places.iter().flatten().any(|place| place.end == now);
        let submitted: Vec<usize> =
            order.iter().copied().filter(|&index| rows[index].0 == now).collect();
        let waiting = |places: &[Option<Place>], index: usize| {
            places[index].as_ref().is_some_and(|place| place.start >= now)
        };
        if ended && plain.compression {
            for index in plain.sorted(rows, order.clone()) {
                if waiting(&places, index) {
                    places[index] = Some(place(&places, now, index));
                }
            }
        }
        for index in plain.sorted(rows, submitted) {
            let planned = place(&places, now, index);
            promises[index] = planned.start;
            places[index] = Some(planned);
        }
        if places.iter().all(|place| place.as_ref().is_some_and(|place| place.end <= now)) {
            break;
        }
    }
    (places.into_iter().map(Option::unwrap).collect(), promises)
}

pub fn workload() -> impl Strategy<Value = Vec<Row>> {
    let row = (0_i64..30, 1..=MACHINES, 1_i64..12, 0_i64..8)
        .prop_map(|(submitted, nodes, run, more)| (submitted, nodes, run, (run + more - 1).max(1)));
    prop::collection::vec(row, 1..25)
}

/// Machines in two or three groups, of any shape.
pub fn grouped() -> impl Strategy<Value = [u8; MACHINES as usize]> {
    prop::array::uniform6(0_u8..3)
}

pub fn platform_of(groups: [u8; MACHINES as usize]) -> Platform {
    let machine = |group: &u8| Machine {
        group: Some(group.to_string().into()),
        ..Machine::of(PowerStates::always_on(1.0, None))
    };
    Platform::new(&groups.iter().map(machine).collect::<Vec<Machine>>()).unwrap()
}

pub fn widest(groups: [u8; MACHINES as usize]) -> u32 {
    let of = |group: u8| -> u32 { groups.iter().map(|other| u32::from(*other == group)).sum() };
    (0..3).map(of).max().unwrap()
}

/// The policy of a way to choose.
const fn policy(chosen: Chosen) -> Policy {
    match chosen {
        Chosen::Lowest => Policy::Conservative,
        Chosen::Neighbours { always: true } => Policy::ConservativeContiguous,
        Chosen::Neighbours { always: false } => Policy::ConservativeBestEffortContiguous,
        Chosen::Local { always: true, .. } => Policy::ConservativeLocal,
        Chosen::Local { always: false, .. } => Policy::ConservativeBestEffortLocal,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Every variant, with compression and without, starts every job when and where the plain rule does, and
    /// none after its promise.
    #[test]
    fn variants_choose_as_the_plain_rule_and_keep_promises(rows in workload(), groups in grouped()) {
        let platform = platform_of(groups);
        let mut all = vec![Chosen::Lowest];
        for always in [true, false] {
            all.extend([Chosen::Neighbours { always }, Chosen::Local { always, groups }]);
        }
        for chosen in all {
            let wide = |row: &Row| {
                matches!(chosen, Chosen::Local { always: true, .. }) && row.1 > widest(groups)
            };
            let kept: Vec<Row> = rows.iter().copied().filter(|row| !wide(row)).collect();
            for compression in [true, false] {
                let options = [("compression".to_owned(), compression.to_string())];
                let way = Way(policy(chosen), SET, Tie::Batch);
                let played = play_on(&platform, &kept, way, &options).played;
                let (places, promises) = places(&kept, Plain { compression, ..Plain::of(chosen) });
                for (happened, (place, promise)) in played.values().zip(places.iter().zip(promises)) {
                    let expected = NodeSet::from_positions(place.machines.iter().copied());
                    prop_assert_eq!((happened.started, &happened.machines), (place.start, &expected));
                    prop_assert!(happened.started <= promise, "{:?}", chosen);
                }
                prop_assert_eq!(played.len(), kept.len());
            }
        }
    }

    /// Jobs of one group stay in it; what is wider than every group is refused, and nobody waits for it.
    #[test]
    fn local_jobs_stay_on_one_switch(rows in workload(), groups in grouped()) {
        let way = Way(Policy::ConservativeLocal, SET, Tie::Batch);
        let notes = play_on(&platform_of(groups), &rows, way, &[]);
        let wide = rows.iter().filter(|row| row.1 > widest(groups)).count();
        prop_assert_eq!((notes.refused.len(), notes.played.len()), (wide, rows.len() - wide));
        for happened in notes.played.values() {
            let names: BTreeSet<u8> =
                happened.machines.positions().map(|machine| groups[machine as usize]).collect();
            prop_assert_eq!(names.len(), 1);
        }
    }
}
