//! Known answers, and against a table of seconds and machines.

use proptest::prelude::*;

use super::*;
use crate::platform::Platform;
use crate::policy::fit::{FitPart, contiguous, set};
use crate::policy::options::Options;

const MACHINES: u32 = 150;
const SPAN: usize = 60;

fn s(seconds: usize) -> Time {
    Time::from_seconds(seconds.try_into().unwrap())
}

fn selection(fit: &FitPart, machines: u32) -> Box<dyn Selection> {
    (fit.build)(&Platform::of_machines(machines), &mut Options::new(&[]))
}

/// Of three machines 0 has a job until 10 s, and another job that waits has it from then on. For that one, 0 is the
/// lowest at 10 s; 1 has been free for longer. Two machines are 0 and 1, or 1 and 2; three are all, rested or not.
#[test]
fn rested_machines_go_before_lower_ones_that_become_free() {
    let lowest = selection(&set::FIT, 3);
    for (rested_first, nodes, expected) in
        [(false, 1, 0..1), (true, 1, 1..2), (false, 2, 0..2), (true, 2, 1..3), (true, 3, 0..3)]
    {
        let mut profile = SetProfile::new(3, rested_first);
        let machines = NodeSet::from_positions([0]);
        profile.take(&MachineSpan { start: Time::ZERO, end: s(10), machines: machines.clone() });
        let own = MachineSpan { start: s(10), end: s(15), machines };
        profile.take(&own);
        profile.advance(s(10));
        let wanted = PlaceRequest { nodes, duration: s(5), limit: Time::LAST };
        let found = profile.at(s(10), wanted, Some(&own), lowest.as_ref());
        assert_eq!(found, Some(NodeSet::from_ranges(vec![expected])));
    }
}

/// Which machines are taken in each second.
type Table = Vec<Vec<bool>>;

/// Those of the machines that are free in all of some seconds; after the table all are.
fn free(table: &Table, seconds: std::ops::Range<usize>) -> NodeSet {
    let all = |machine: &u32| {
        seconds.clone().all(|second| table.get(second).is_none_or(|row| !row[*machine as usize]))
    };
    NodeSet::from_positions((0..MACHINES).filter(all))
}

fn mark(table: &mut Table, start: usize, end: usize, machines: &NodeSet, taken: bool) {
    for row in &mut table[start..end] {
        machines.positions().for_each(|machine| row[machine as usize] = taken);
    }
}

proptest! {
    /// With places that come, go and seek anew, of so many shapes that machines are more than a word of atoms, which
    /// are joined again.
    #[test]
    fn finds_what_a_table_finds(
        places in prop::collection::vec((0..SPAN, 1_usize..12, 0..MACHINES, 1_u32..9, 1_u32..5), 0..90),
        now in 0..SPAN,
        requests in prop::collection::vec((1..MACHINES, 0_usize..30, any::<prop::sample::Index>()), 1..12),
    ) {
        let mut profile = SetProfile::new(MACHINES, false);
        let mut table: Table = vec![vec![false; MACHINES as usize]; 3 * SPAN];
        let mut taken = Vec::new();
        for (start, length, first, step, count) in places {
            let positions = (0..count * 3).map(|index| (first + index * step) % MACHINES);
            let (machines, end) = (NodeSet::from_positions(positions), start + length);
            if machines.difference(&free(&table, start..end)).is_empty() {
                mark(&mut table, start, end, &machines, true);
                let place = MachineSpan { start: s(start), end: s(end), machines };
                profile.take(&place);
                taken.push((start, end, place));
            }
        }
        for (start, end, place) in taken.iter().skip(1).step_by(4) {
            mark(&mut table, *start, *end, &place.machines, false);
            profile.give(place);
        }
        let kept: Vec<_> = taken.into_iter().enumerate().filter(|(index, _)| index % 4 != 1).collect();
        profile.advance(s(now));
        for (nodes, duration, index) in requests {
            let waiting = kept.iter().map(|(_, it)| it).filter(|it| it.0 > now).collect::<Vec<_>>();
            let own = (!waiting.is_empty()).then(|| *index.get(&waiting));
            let (limit, mut beside) = (own.map_or(2 * SPAN, |own| own.0), table.clone());
            if let Some((start, end, place)) = own {
                mark(&mut beside, *start, *end, &place.machines, false);
            }
            let nodes = own.map_or(nodes, |own| own.2.machines.count());
            let wanted = PlaceRequest { nodes, duration: s(duration), limit: own.map_or(Time::LAST, |own| own.2.start) };
            let own = own.map(|own| &own.2);
            for fit in [&set::FIT, &contiguous::FIT] {
                let selection = selection(fit, MACHINES);
                let select = |start: usize| {
                    selection.select(&free(&beside, start..start + duration.max(1)), nodes)
                };
                let expected = (now..limit).find_map(|start| Some((s(start), select(start)?)));
                let found = profile.earliest((s(now), Time::LAST), wanted, own, selection.as_ref());
                prop_assert_eq!(found, expected);
                let at = profile.at(s(limit), wanted, own, selection.as_ref());
                prop_assert_eq!(at, select(limit));
            }
        }
    }
}
