//! Nodes that the resource manager does not have for us: those out of service, and those that other
//! people's jobs and reservations occupy.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::recurrence::later_occurrences;
use super::{JobPhase, ManagedJob, ManagedNode, ManagedReservation};
use crate::time::{Seconds, Span, Timestamp};

/// A job that runs beyond its time limit is expected to end within so long; whoever looks again later
/// finds it a minute on.
const BEYOND_LIMIT: Seconds = Seconds::new(60);

/// Jobs have their nodes until whole minutes after their limits: thousands that end in as many seconds
/// would make as many candidate starts where searches are exact.
const STEP: Seconds = Seconds::new(60);

/// Nodes that the resource manager does not have for us during a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithheldNodes {
    /// What they are known by, such as `node n1` or `job 123`: the same cause has the same key each
    /// time that it is looked at.
    pub key: String,
    /// Whether they are out of service or occupied.
    pub kind: WithheldKind,
    /// In words, for people.
    pub reason: String,
    /// From when on.
    pub start: Timestamp,
    /// Until when; `None` where that is not known.
    pub end: Option<Timestamp>,
    /// The nodes by name; there is at least one.
    pub nodes: BTreeSet<String>,
}

/// Why nodes are withheld.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithheldKind {
    /// They run no jobs at all.
    OutOfService,
    /// They run other people's jobs, or are reserved for them.
    Occupied,
}

/// What a resource manager has at one instant.
#[derive(Clone, Copy, Debug)]
pub struct ManagerView<'a> {
    /// Its nodes.
    pub nodes: &'a [ManagedNode],
    /// Its reservations, ours among them.
    pub reservations: &'a [ManagedReservation],
    /// Its jobs, those that run in our reservations among them.
    pub jobs: &'a [ManagedJob],
}

/// What is ours, by which it is judged what others have.
#[derive(Clone, Debug, Default)]
pub struct OurPart<'a> {
    /// The names of our nodes.
    pub nodes: HashSet<&'a str>,
    /// The partitions whose nodes count; all of them where there is none.
    pub partitions: &'a [String],
    /// Nodes of ours that the resource manager has under another name, from ours to its own.
    pub renamed: HashMap<&'a str, &'a str>,
    /// Our managed reservations by name, and the nodes that each is meant to have: none where it is
    /// about to be removed.
    pub reservations: BTreeMap<String, BTreeSet<String>>,
}

impl OurPart<'_> {
    /// Whether a node counts: it is in one of the partitions.
    pub fn counts(&self, node: &ManagedNode) -> bool {
        let is_in = |partition: &String| node.partitions.iter().any(|it| **it == *partition);
        self.partitions.is_empty() || self.partitions.iter().any(is_in)
    }
}

/// The nodes of ours that the resource manager does not have for us at `now` and later, each cause by
/// itself: a node may be withheld for several. In the order of causes: nodes, reservations, jobs.
pub fn withheld(seen: ManagerView<'_>, ours: &OurPart<'_>, now: Timestamp) -> Vec<WithheldNodes> {
    let mut list = out_of_service(seen.nodes, ours, now);
    let others = seen.reservations.iter().filter(|it| !ours.reservations.contains_key(&it.name));
    list.extend(others.flat_map(|it| by_reservation(it, ours, now)));
    let kept = seen.reservations.iter().filter(|it| ours.reservations.contains_key(&it.name));
    let kept: Vec<&ManagedReservation> = kept.collect();
    list.extend(seen.jobs.iter().filter_map(|job| by_job(job, ours, &kept, now)));
    list
}

/// Nodes that run no jobs, and those that the resource manager does not have.
fn out_of_service(seen: &[ManagedNode], ours: &OurPart<'_>, now: Timestamp) -> Vec<WithheldNodes> {
    let seen: HashMap<&str, &ManagedNode> = seen.iter().map(|it| (it.name.as_ref(), it)).collect();
    let mut names: Vec<&str> = ours.nodes.iter().copied().collect();
    names.sort_unstable();
    let reason = |name: &str| match seen.get(name) {
        None => Some(ours.renamed.get(name).map_or_else(
            || "the resource manager does not know it".to_owned(),
            |to| format!("the resource manager calls it {to}: put the nodes with that name"),
        )),
        Some(node) if !ours.counts(node) => {
            Some(format!("it is in none of the partitions {}", ours.partitions.join(", ")))
        }
        Some(node) => node.unavailable.as_ref().map(|why| match why.reason.as_str() {
            "" => why.cause.word().to_owned(),
            reason => format!("{}: {reason}", why.cause.word()),
        }),
    };
    let entry = |name: &str| {
        Some(WithheldNodes {
            key: format!("node {name}"),
            kind: WithheldKind::OutOfService,
            reason: reason(name)?,
            start: now,
            end: None,
            nodes: BTreeSet::from([name.to_owned()]),
        })
    };
    names.into_iter().filter_map(entry).collect()
}

/// What somebody else's reservation occupies, until it ends, and each time that it is made again.
fn by_reservation(
    reservation: &ManagedReservation,
    ours: &OurPart<'_>,
    now: Timestamp,
) -> Vec<WithheldNodes> {
    let name = &reservation.name;
    let nodes = among_ours(reservation.nodes.iter(), ours);
    if nodes.is_empty() {
        return Vec::new();
    }
    let entry = |key: String, span: Span| WithheldNodes {
        key,
        kind: WithheldKind::Occupied,
        reason: format!("the reservation {name} has it until {}", span.end()),
        start: span.start(),
        end: Some(span.end()),
        nodes: nodes.clone(),
    };
    let later = later_occurrences(reservation).into_iter();
    // Known by their starts: one that begins moves no other.
    let later =
        later.map(|it| (format!("reservation {name} {}", it.start().as_unix_seconds()), it));
    let all = std::iter::once((format!("reservation {name}"), reservation.span)).chain(later);
    all.filter(|(_, span)| span.end() > now).map(|(key, span)| entry(key, span)).collect()
}

/// What a job occupies that runs outside of what our reservations are meant to have, until its limit.
/// `kept` are our reservations as the resource manager has them.
fn by_job(
    job: &ManagedJob,
    ours: &OurPart<'_>,
    kept: &[&ManagedReservation],
    now: Timestamp,
) -> Option<WithheldNodes> {
    if job.phase != JobPhase::Running {
        return None;
    }
    let meant = job.reservation.as_ref().and_then(|name| ours.reservations.get(name));
    let outside = job.nodes.iter().filter(|node| meant.is_none_or(|meant| !meant.contains(*node)));
    let nodes = among_ours(outside, ours);
    if nodes.is_empty() {
        return None;
    }
    let start = job.start.unwrap_or(now);
    let limit = job.end.or_else(|| job.limit.map(|limit| start + limit));
    let (end, until) = match limit {
        Some(end) if end > now => (Some((end, end)), format!("until {end}")),
        Some(_) => {
            let next = now + Seconds::ONE;
            (Some((next, now + BEYOND_LIMIT)), "beyond its time limit".to_owned())
        }
        None => (None, "without a time limit".to_owned()),
    };
    Some(WithheldNodes {
        key: format!("job {}", job.id),
        kind: WithheldKind::Occupied,
        reason: format!("job {} of {} runs there {until}", job.id, job.user),
        start: start.min(now),
        end: end.map(|(earliest, latest)| whole_minutes(earliest, latest, &nodes, kept)),
        nodes,
    })
}

/// The latest end of a job on these nodes in whole minutes, but never within a reservation of ours that begins at its
/// earliest end or later: the resource manager keeps the nodes for it, and it would lose them. Jobs that have ended
/// and are being cleaned up look as those beyond their limit do: they may end at once.
fn whole_minutes(
    earliest: Timestamp,
    latest: Timestamp,
    nodes: &BTreeSet<String>,
    kept: &[&ManagedReservation],
) -> Timestamp {
    let rounded = latest.ceil_to(STEP);
    let begins = |it: &&&ManagedReservation| (earliest..rounded).contains(&it.span.start());
    let theirs = kept.iter().filter(begins).filter(|it| !it.nodes.is_disjoint(nodes));
    theirs.map(|it| it.span.start()).min().unwrap_or(rounded)
}

fn among_ours<'a>(names: impl Iterator<Item = &'a String>, ours: &OurPart<'_>) -> BTreeSet<String> {
    names.filter(|name| ours.nodes.contains(name.as_str())).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource_manager::worked_example::{at, job, node, reservation};
    use crate::resource_manager::{NodePower, Unavailable, UnavailableCause};

    fn ours(nodes: &[&'static str]) -> OurPart<'static> {
        OurPart { nodes: nodes.iter().copied().collect(), ..OurPart::default() }
    }

    /// Key, reason, end and nodes.
    type Entry<'a> = (&'a str, &'a str, Option<i64>, String);

    fn told(list: &[WithheldNodes]) -> Vec<Entry<'_>> {
        let mut all = Vec::new();
        for WithheldNodes { key, reason, end, nodes, .. } in list {
            let nodes: Vec<&str> = nodes.iter().map(String::as_str).collect();
            let end = end.map(Timestamp::as_unix_seconds);
            all.push((key.as_str(), reason.as_str(), end, nodes.join(" ")));
        }
        all
    }

    fn unavailable(cause: UnavailableCause, reason: &str) -> Unavailable {
        Unavailable { cause, reason: reason.to_owned() }
    }

    #[test]
    fn nodes_that_run_no_jobs_are_out_of_service_until_further_notice() {
        let asleep = ManagedNode { power: NodePower::Off, ..node("n1") };
        let drained = unavailable(UnavailableCause::Drained, "bad fan");
        let drained = ManagedNode { unavailable: Some(drained), ..node("n2") };
        let down = unavailable(UnavailableCause::Down, "");
        let down = ManagedNode { unavailable: Some(down), ..node("n3") };
        let nodes = [asleep, drained, down, node("x9")];
        let seen = ManagerView { nodes: &nodes, reservations: &[], jobs: &[] };
        let list = withheld(seen, &ours(&["n1", "n2", "n3", "n4"]), at(5));
        let expected = [
            ("node n2", "drained: bad fan", None, "n2".to_owned()),
            ("node n3", "down", None, "n3".to_owned()),
            ("node n4", "the resource manager does not know it", None, "n4".to_owned()),
        ];
        assert_eq!(told(&list), expected);
        assert!(list.iter().all(|it| it.kind == WithheldKind::OutOfService && it.start == at(5)));
    }

    #[test]
    fn a_node_that_was_renamed_is_told_with_its_new_name() {
        let nodes = [node("n9")];
        let seen = ManagerView { nodes: &nodes, reservations: &[], jobs: &[] };
        let ours = OurPart { renamed: HashMap::from([("n1", "n9")]), ..ours(&["n1"]) };
        let list = withheld(seen, &ours, at(5));
        let reason = "the resource manager calls it n9: put the nodes with that name";
        assert_eq!(told(&list), [("node n1", reason, None, "n1".to_owned())]);
    }

    #[test]
    fn nodes_in_other_partitions_do_not_count() {
        let debug = ManagedNode { partitions: vec!["debug".into()], ..node("n2") };
        let nodes = [node("n1"), debug];
        let seen = ManagerView { nodes: &nodes, reservations: &[], jobs: &[] };
        let partitions = ["batch".to_owned(), "long".to_owned()];
        let ours = OurPart { partitions: &partitions, ..ours(&["n1", "n2"]) };
        let list = withheld(seen, &ours, at(5));
        let reason = "it is in none of the partitions batch, long";
        assert_eq!(told(&list), [("node n2", reason, None, "n2".to_owned())]);
    }

    #[test]
    fn reservations_of_others_have_their_nodes_for_their_span() {
        let reservations = [
            reservation("maint-7", &["n1", "n2", "x9"], 100, 200),
            reservation("over", &["n1"], 0, 5),
            reservation("elsewhere", &["x9"], 0, 100),
            reservation("wattbook-a", &["n3"], 0, 100),
        ];
        let nodes = ["n1", "n2", "n3"].map(node);
        let seen = ManagerView { nodes: &nodes, reservations: &reservations, jobs: &[] };
        let known = BTreeMap::from([("wattbook-a".to_owned(), BTreeSet::new())]);
        let ours = OurPart { reservations: known, ..ours(&["n1", "n2", "n3"]) };
        let list = withheld(seen, &ours, at(5));
        let reason = "the reservation maint-7 has it until 1970-01-01T00:03:20Z";
        assert_eq!(told(&list), [("reservation maint-7", reason, Some(200), "n1 n2".to_owned())]);
        assert_eq!((list[0].start, list[0].kind), (at(100), WithheldKind::Occupied));
    }

    /// Two hours each day, of which the first are over.
    #[test]
    fn reservations_that_are_made_again_have_their_nodes_each_time() {
        let mut daily = reservation("maint-7", &["n1"], 0, 7200);
        daily.flags = BTreeSet::from(["DAILY".to_owned()]);
        let (nodes, reservations) = ([node("n1")], [daily]);
        let seen = ManagerView { nodes: &nodes, reservations: &reservations, jobs: &[] };
        let list = withheld(seen, &ours(&["n1"]), at(7200));
        let begin: Vec<_> = list.iter().take(2).map(|it| (it.key.as_str(), it.start)).collect();
        let expected = [
            ("reservation maint-7 86400", at(86_400)),
            ("reservation maint-7 172800", at(172_800)),
        ];
        assert_eq!(begin, expected);
        assert_eq!(list[0].end, Some(at(86_400 + 7200)));
    }

    /// Each began at 10. At 130 the one with a limit of 60 s is beyond it, and is expected to end by
    /// the whole minute after 130 + 60 = 190, which is 240; the one of 300 s has until 310, and its node
    /// is occupied until the whole minute after that, 360.
    #[test]
    fn jobs_have_their_nodes_until_their_limits() {
        let limited = |id, nodes: &[&str], seconds| ManagedJob {
            start: Some(at(10)),
            limit: Some(Seconds::new(seconds)),
            ..job(id, nodes)
        };
        let endless = ManagedJob { start: Some(at(10)), ..job("3", &["n3"]) };
        let waits = ManagedJob { phase: JobPhase::Waiting, ..limited("4", &["n3"], 60) };
        let ended = ManagedJob { phase: JobPhase::Ended, ..limited("5", &["n3"], 60) };
        let jobs =
            [limited("1", &["n1"], 60), limited("2", &["n2", "x9"], 300), endless, waits, ended];
        let nodes = ["n1", "n2", "n3"].map(node);
        let seen = ManagerView { nodes: &nodes, reservations: &[], jobs: &jobs };
        let list = withheld(seen, &ours(&["n1", "n2", "n3"]), at(130));
        let until = "job 2 of alice runs there until 1970-01-01T00:05:10Z";
        let expected = [
            ("job 1", "job 1 of alice runs there beyond its time limit", Some(240), "n1".into()),
            ("job 2", until, Some(360), "n2".to_owned()),
            ("job 3", "job 3 of alice runs there without a time limit", None, "n3".to_owned()),
        ];
        assert_eq!(told(&list), expected);
        assert!(list.iter().all(|it| it.start == at(10) && it.kind == WithheldKind::Occupied));
    }

    /// Each has until 310, the whole minute after which is 360. A reservation of ours that begins from
    /// 310 on and before 360 keeps its node; one that begins at 305 really meets its job.
    #[test]
    fn whole_minutes_take_no_node_from_a_reservation_that_begins_after_the_job() {
        let names = ["n1", "n2", "n3", "n4"];
        let starts = [310, 320, 305, 360];
        let limited = |name: &&str| ManagedJob {
            start: Some(at(10)),
            limit: Some(Seconds::new(300)),
            ..job(name, &[*name])
        };
        let jobs: Vec<_> = names.iter().map(limited).collect();
        let begins = |(name, start): (&&str, i64)| {
            reservation(&format!("wattbook-{name}"), &[*name], start, 900)
        };
        let reservations: Vec<_> = names.iter().zip(starts).map(begins).collect();
        let nodes = names.map(node);
        let seen = ManagerView { nodes: &nodes, reservations: &reservations, jobs: &jobs };
        let meant =
            names.map(|name| (format!("wattbook-{name}"), BTreeSet::from([name.to_owned()])));
        let ours = OurPart { reservations: BTreeMap::from(meant), ..ours(&names) };
        let list = withheld(seen, &ours, at(130));
        let ends: Vec<_> = told(&list).into_iter().map(|(_, _, end, _)| end).collect();
        assert_eq!(ends, [Some(310), Some(320), Some(360), Some(360)]);
    }

    /// The job ended at 110 and is being cleaned up at 115: it is expected away by 175, in whole minutes 180. A
    /// reservation of ours that begins at 160 keeps its node; one that began at 115 really waits for it.
    #[test]
    fn a_job_that_is_being_cleaned_up_takes_no_node_from_a_reservation_to_come() {
        for (begins, end) in [(160, 160), (180, 180), (115, 180)] {
            let cleaned =
                ManagedJob { start: Some(at(10)), end: Some(at(110)), ..job("1", &["n1"]) };
            let (nodes, reservations) =
                ([node("n1")], [reservation("wattbook-n1", &["n1"], begins, 900)]);
            let seen = ManagerView { nodes: &nodes, reservations: &reservations, jobs: &[cleaned] };
            let meant = ("wattbook-n1".to_owned(), BTreeSet::from(["n1".to_owned()]));
            let ours = OurPart { reservations: BTreeMap::from([meant]), ..ours(&["n1"]) };
            let list = withheld(seen, &ours, at(115));
            let ends: Vec<_> = told(&list).into_iter().map(|(_, _, end, _)| end).collect();
            assert_eq!(ends, [Some(end)], "begins at {begins}");
        }
    }

    /// What runs in a reservation of ours is what it was made for, on the nodes that it is meant to
    /// have. On others, and once the reservation is not meant to be any more, it is in the way.
    #[test]
    fn jobs_in_our_reservations_take_only_what_these_are_not_meant_to_have() {
        let inside = |id, name: &str, nodes: &[&str]| ManagedJob {
            reservation: Some(name.to_owned()),
            end: Some(at(100)),
            ..job(id, nodes)
        };
        let jobs = [inside("1", "wattbook-a", &["n1", "n2"]), inside("2", "wattbook-b", &["n3"])];
        let nodes = ["n1", "n2", "n3"].map(node);
        let seen = ManagerView { nodes: &nodes, reservations: &[], jobs: &jobs };
        let meant = ("wattbook-a".to_owned(), BTreeSet::from(["n1".to_owned()]));
        let ours = OurPart { reservations: BTreeMap::from([meant]), ..ours(&["n1", "n2", "n3"]) };
        let list = withheld(seen, &ours, at(5));
        let kept: Vec<_> = told(&list).into_iter().map(|(key, _, _, nodes)| (key, nodes)).collect();
        assert_eq!(kept, [("job 1", "n2".to_owned()), ("job 2", "n3".to_owned())]);
    }
}
