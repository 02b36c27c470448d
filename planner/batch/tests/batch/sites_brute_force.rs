//! Choices of sites against trying every site.

use batch::sites::{Client, SiteRule, SiteTask, SitesExperiment, SitesResults, WideNetwork};
use proptest::prelude::*;

use super::sites::{named, play, site, task};
use super::*;

/// A task of each client, so that each can be sent to a site of its own.
fn clients<'a>(
    tasks: &'a [SiteTask],
    rule: SiteRule,
    sent: &[usize],
    sites: usize,
) -> Vec<Client<'a>> {
    let client = |(number, task): (usize, &'a SiteTask)| Client {
        name: &task.name,
        at: None,
        rule,
        sites: sent.get(number).map_or_else(|| (0..sites).collect(), |site| vec![*site]),
        seed: 0,
        knows_run_times: false,
        tasks: std::slice::from_ref(task),
    };
    tasks.iter().enumerate().map(client).collect()
}

/// The sites, starts and ends of tasks in their order.
fn told(results: &SitesResults) -> Vec<(usize, Time, Time)> {
    let of = |record: &batch::sites::SiteTaskRecord| {
        let end = record.end.as_ref().unwrap();
        (record.site.unwrap(), end.started, end.finished)
    };
    results.records.iter().map(of).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Under policies by which nobody who comes later delays anybody, and with walltimes that are used up, what sites answer
    /// comes true: each task is where it really starts, or ends, first of all sites that it could have been sent to, given
    /// where those before it went.
    #[test]
    fn each_task_is_where_it_is_served_first(
        rows in prop::collection::vec((0_i64..40, 1_u32..5, 1_i64..20), 1..9),
        sizes in prop::collection::vec((4_u32..7, 1_u32..4), 2..4),
        policy in prop::sample::select(vec![Policy::Fcfs, Policy::Conservative]),
        ends in any::<bool>(),
    ) {
        let mut rows = rows;
        rows.sort_by_key(|row| row.0);
        let tasks = rows.iter().map(|(at, nodes, run)| task((*at, *nodes, 6 * run, 6 * run), 0.0, 0.0));
        let tasks = named(tasks.collect());
        let platforms: Vec<Platform> = sizes.iter().map(|(machines, _)| platform(*machines)).collect();
        let names = ["a", "b", "c"];
        let setups = platforms.iter().zip(names).zip(&sizes).map(|((platform, name), (_, speed))| {
            batch::sites::SiteSetup { speed: f64::from(*speed), ..site(name, platform, policy) }
        });
        let setups: Vec<_> = setups.collect();
        let rule = if ends { SiteRule::MinimumCompletionTime } else { SiteRule::EarliestStart };
        let links = WideNetwork::default();
        let played = |tasks: &[SiteTask], sent: &[usize]| {
            let clients = clients(tasks, rule, sent, setups.len());
            told(&play(&SitesExperiment { sites: setups.clone(), links: &links, clients }))
        };
        let chosen = played(&tasks, &[]);
        let mut sent = Vec::new();
        for (number, (at, start, end)) in chosen.iter().enumerate() {
            let mut best = None;
            for other in 0..setups.len() {
                let tried: Vec<usize> = sent.iter().copied().chain([other]).collect();
                let (_, start, end) = played(&tasks[..=number], &tried)[number];
                let key = if ends { (end, end, other) } else { (start, end, other) };
                best = best.filter(|best| *best <= key).or(Some(key));
            }
            let key = if ends { (*end, *end, *at) } else { (*start, *end, *at) };
            prop_assert_eq!(Some(key), best, "task {}", number);
            sent.push(*at);
        }
    }
}
