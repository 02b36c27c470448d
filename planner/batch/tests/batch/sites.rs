//! Several batch systems: what happens to tasks, with the arithmetic.

use batch::communication::MachineNetwork;
use batch::sites::{
    Client, SiteRule, SiteSetup, SiteTask, SitesExperiment, SitesResults, TaskSection, WideNetwork,
    play_sites,
};
use batch::workload;

use super::*;

/// A site of a policy, without a network, agendas or users of its own.
pub fn site<'a>(name: &'a str, platform: &'a Platform, policy: Policy) -> SiteSetup<'a> {
    SiteSetup {
        name,
        platform,
        network: None,
        frontal: "frontal",
        policy: combination(policy, COUNT),
        options: &[],
        tables: &NOTHING,
        queues: 1,
        speed: 1.0,
        load: &[],
        delays_compute: true,
    }
}

/// A client of all of so many sites.
pub fn client(tasks: &[SiteTask], rule: SiteRule, sites: usize) -> Client<'_> {
    let sites = (0..sites).collect();
    Client { name: "client", at: None, rule, sites, seed: 1, knows_run_times: false, tasks }
}

/// Submission, nodes, run time and walltime in seconds; bytes of input and of output.
pub fn task(row: Row, input_bytes: f64, output_bytes: f64) -> SiteTask {
    let (submitted, nodes, run, walltime) = row;
    SiteTask {
        name: "task".into(),
        submitted: Time::from_seconds(submitted),
        nodes,
        run_time: Time::from_seconds(run),
        walltime: (walltime != NONE).then(|| Time::from_seconds(walltime)),
        input_bytes,
        output_bytes,
        queue: 0,
    }
}

/// Tasks whose names are their numbers from 1 on.
pub fn named(tasks: Vec<SiteTask>) -> Vec<SiteTask> {
    let named =
        |(number, task): (usize, SiteTask)| SiteTask { name: number.to_string().into(), ..task };
    (1..).zip(tasks).map(named).collect()
}

pub fn play(experiment: &SitesExperiment<'_>) -> SitesResults {
    let mut observers: Vec<Nobody> = experiment.sites.iter().map(|_| Nobody).collect();
    play_sites(experiment, &mut observers).unwrap()
}

/// Is told, and does nothing.
pub struct Nobody;

impl Observer for Nobody {
    fn started(&mut self, _: Time, _: &Job, _: &NodeSet) -> io::Result<()> {
        Ok(())
    }

    fn played(&mut self, _: &Played<'_>) -> io::Result<()> {
        Ok(())
    }

    fn refused(&mut self, _: &Job, _: Option<RefusalReason>) -> io::Result<()> {
        Ok(())
    }
}

/// Site, queued, started, input on the machine, finished, output back and flow, in seconds.
fn told(results: &SitesResults) -> Vec<(usize, [i64; 6])> {
    let of = |record: &batch::sites::SiteTaskRecord| {
        let end = record.end.as_ref().unwrap();
        let times = [
            record.queued.unwrap(),
            end.started,
            record.input_end.unwrap(),
            end.finished,
            record.output_end.unwrap(),
            record.flow().unwrap(),
        ];
        (record.site.unwrap(), times.map(seconds))
    };
    results.records.iter().map(of).collect()
}

/// A star whose links take 20 bytes/s each; the frontal's is never scarce.
fn star(platform: &Platform) -> MachineNetwork {
    let text = "bandwidth_bytes_per_s = 20\n[[storages]]\nname = \"frontal\"\n";
    MachineNetwork::of_section(&toml::from_str(text).unwrap(), platform).unwrap()
}

fn links(text: &str) -> WideNetwork {
    #[derive(serde::Deserialize)]
    struct Links {
        links: Vec<batch::sites::WideLinkSection>,
    }
    WideNetwork::of(&toml::from_str::<Links>(text).unwrap().links).unwrap()
}

const LINK: &str =
    "[[links]]\nbetween = [\"client\", \"a\"]\nbandwidth_bytes_per_s = 10\nlatency_s = 1\n";

/// Input of 100 bytes takes 1 + 10 s to the frontal, so that the task is queued at 11 s. On one machine of two it starts there,
/// has its input after 100 / 20 = 5 s, runs 30 s to 46 s, and ends once its output of 40 bytes is at the frontal, at 48 s; the
/// client has it at 48 + 1 + 4 = 53 s. The second is submitted at 2 s; both inputs share the link from 3 s on: the first has had 20
/// bytes by then, and 80 more at 5 bytes/s until 19 s; of the second's 100 bytes 20 are left, which take 2 s to 21 s.
#[test]
fn data_travels_through_the_frontal() {
    let platform = platform(2);
    let network = star(&platform);
    let wide = links(LINK);
    let one = [task((0, 1, 30, 100), 100.0, 40.0)];
    let a = SiteSetup { network: Some(&network), ..site("a", &platform, Policy::Fcfs) };
    let experiment = |tasks| SitesExperiment {
        sites: vec![a],
        links: &wide,
        clients: vec![client(tasks, SiteRule::LeastFlow, 1)],
    };
    assert_eq!(told(&play(&experiment(&one))), [(0, [11, 11, 16, 48, 53, 53])]);
    let two = named(vec![one[0].clone(), task((2, 1, 100, 200), 100.0, 0.0)]);
    let results = play(&experiment(&two));
    let both = told(&results);
    assert_eq!(both[0].1[..2], [19, 19]);
    // The first has its input on its own machine from 19 + 5 s on, runs to 54 s, and its output is back at 54 + 2 + 5 s.
    assert_eq!(both[0].1[2..], [24, 56, 61, 61]);
    assert_eq!(both[1].1, [21, 21, 26, 126, 126, 124]);
    let bytes: f64 = results.links.iter().map(|link| link.bytes).sum();
    assert!((bytes - 240.0).abs() < 1e-6, "{bytes}");
    // 126 s are over; the link to the site was busy from 1 s to 21 s.
    let up = &results.links[0];
    assert!((up.busy_time_s - 20.0).abs() < 1e-6 && (up.mean_load - 20.0 / 126.0).abs() < 1e-6);
}

/// The walltime of 20 s counts from the start on, at 11 s: 5 s of it the input takes, so that the run of 16 s is killed at
/// 31 s, and there is no output to wait for.
#[test]
fn communication_counts_towards_the_walltime() {
    let platform = platform(1);
    let network = star(&platform);
    let wide = links(LINK);
    let tasks = [task((0, 1, 16, 20), 100.0, 40.0)];
    let experiment = SitesExperiment {
        sites: vec![SiteSetup { network: Some(&network), ..site("a", &platform, Policy::Fcfs) }],
        links: &wide,
        clients: vec![client(&tasks, SiteRule::Random, 1)],
    };
    let results = play(&experiment);
    assert_eq!(told(&results), [(0, [11, 11, 16, 31, 31, 31])]);
    assert_eq!((results.clients[0].killed, results.clients[0].refused), (1, 0));
}

/// Figure 3 of Simbatch: by conservative backfilling tasks 3, 4 and 5 start before task 2, which takes all five machines.
#[test]
fn simbatchs_experiment_is_a_site_without_data() {
    let rows: [Row; 5] = [
        (0, 1, 10_800, 12_000),
        (600, 5, 3_300, 4_000),
        (1_800, 2, 5_400, 7_000),
        (3_600, 1, 4_000, 5_000),
        (4_200, 3, 2_700, 3_500),
    ];
    let platform = platform(5);
    let tasks = named(rows.into_iter().map(|row| task(row, 0.0, 0.0)).collect());
    let a = site("a", &platform, Policy::Conservative);
    let clients = vec![client(&tasks, SiteRule::RoundRobin, 1)];
    let results =
        play(&SitesExperiment { sites: vec![a], links: &WideNetwork::default(), clients });
    let alone = play_on(&platform, &rows, Way(Policy::Conservative, COUNT, Tie::Batch), &[]);
    let mut starts: Vec<i64> = told(&results).iter().map(|(_, times)| times[1]).collect();
    let expected: Vec<i64> = alone.played.values().map(|happened| happened.started).collect();
    assert_eq!(starts, expected);
    let second = starts.remove(1);
    assert!(starts.iter().all(|start| *start < second), "{starts:?} {second}");
}

/// Whoever submits them, a hundred of Simbatch's tasks are played alike: by a client at the frontal, and by the site's own users.
#[test]
fn clients_and_own_users_are_served_alike() {
    let platform = platform(7);
    for policy in [Policy::Fcfs, Policy::Sjf, Policy::Easy, Policy::Conservative] {
        let load: Vec<Job> = workload::simbatch(100, 3).collect();
        let of = |job: &Job| {
            let run_time = job.work.time(1.0);
            SiteTask {
                run_time,
                walltime: job.walltime,
                submitted: job.submitted,
                ..task((0, job.nodes, 1, 1), 0.0, 0.0)
            }
        };
        let tasks = named(load.iter().map(of).collect());
        let links = WideNetwork::default();
        let own = SitesExperiment {
            sites: vec![SiteSetup { load: &load, ..site("a", &platform, policy) }],
            links: &links,
            clients: Vec::new(),
        };
        let outside = SitesExperiment {
            sites: vec![site("a", &platform, policy)],
            links: &links,
            clients: vec![client(&tasks, SiteRule::EarliestStart, 1)],
        };
        assert_eq!(told(&play(&own)), told(&play(&outside)), "{policy}");
    }
}

/// One machine, busy until 10 s. Of the three that come meanwhile that of queue 0 comes first, though it came last; queue 7 is
/// the last of two.
#[test]
fn priority_queues_are_served_in_their_order() {
    let platform = platform(1);
    for policy in [Policy::Fcfs, Policy::Sjf, Policy::Easy, Policy::Conservative] {
        let mut tasks = named((0..4).map(|at| task((at, 1, 10, 10), 0.0, 0.0)).collect());
        (tasks[1].queue, tasks[2].queue) = (7, 1);
        let a = SiteSetup { queues: 2, ..site("a", &platform, policy) };
        let clients = vec![client(&tasks, SiteRule::Random, 1)];
        let links = WideNetwork::default();
        let results = play(&SitesExperiment { sites: vec![a], links: &links, clients });
        let starts: Vec<i64> = told(&results).iter().map(|(_, times)| times[1]).collect();
        // By conservative backfilling who comes later takes nobody's place.
        let promised = policy == Policy::Conservative;
        let expected = if promised { [0, 10, 20, 30] } else { [0, 20, 30, 10] };
        assert_eq!(starts, expected, "{policy}");
    }
}

/// Site a is twice as fast and draws 200 W for 50 s, site b 80 W for 100 s: 10 kJ and 8 kJ. At 100 and 90 EUR/MWh b is the
/// cheaper; at 10 and 20 g/kWh a is the cleaner.
#[test]
fn agendas_of_sites_decide() {
    let with_draw = |watts: u64| {
        let draws =
            Draws { idle: Power::ZERO, computing: Power::from_watts(watts as f64).unwrap() };
        Platform::new(&[Machine::of(PowerStates::always_on(1.0, Some(draws)))]).unwrap()
    };
    let [fast, slow] = [200, 80].map(with_draw);
    let tables = |price: i64, co2: i64| {
        use batch::steps::Steps;
        use planner::quantity::{CarbonIntensity, EnergyPrice};
        let price = EnergyPrice::from_millionths_per_mwh(price * 1_000_000).unwrap();
        let co2 = CarbonIntensity::from_millionths_g_per_kwh(co2 * 1_000_000).unwrap();
        let span = (Time::ZERO, Time::from_seconds(1_000));
        SupplierTables {
            price: Some(Steps::of([(span.0, span.1, price)])),
            co2: Some(Steps::of([(span.0, span.1, co2)])),
            cap: None,
        }
    };
    let (of_a, of_b) = (tables(100, 10), tables(90, 20));
    let tasks = [task((0, 1, 100, 100), 0.0, 0.0)];
    let sites = vec![
        SiteSetup { speed: 2.0, tables: &of_a, ..site("a", &fast, Policy::Fcfs) },
        SiteSetup { tables: &of_b, ..site("b", &slow, Policy::Fcfs) },
    ];
    let expected = [
        (SiteRule::EarliestStart, 0, 10_000.0, 100.0, 10.0),
        (SiteRule::MinimumCompletionTime, 0, 10_000.0, 100.0, 10.0),
        (SiteRule::LeastEnergy, 1, 8_000.0, 90.0, 20.0),
        (SiteRule::Cheapest, 1, 8_000.0, 90.0, 20.0),
        (SiteRule::Cleanest, 0, 10_000.0, 100.0, 10.0),
    ];
    for (rule, site, joules, per_mwh, g_per_kwh) in expected {
        let clients = vec![client(&tasks, rule, 2)];
        let links = WideNetwork::default();
        let results = play(&SitesExperiment { sites: sites.clone(), links: &links, clients });
        assert_eq!(results.records[0].site, Some(site), "{rule:?}");
        let of = &results.clients[0];
        let near = |value: Option<f64>, expected: f64| (value.unwrap() - expected).abs() < 1e-6;
        assert!(near(of.energy_j, joules), "{of:?}");
        assert!(near(of.energy_cost, joules / 3.6e9 * per_mwh), "{of:?}");
        assert!(near(of.energy_co2_g, joules / 3.6e6 * g_per_kwh), "{of:?}");
    }
}

/// Six nodes are nowhere to be had; four at the second site only.
#[test]
fn what_no_site_holds_is_refused_and_counted() {
    let [small, large] = [2, 4].map(platform);
    let tasks = named([6, 4, 2].map(|nodes| task((0, nodes, 5, 9), 0.0, 0.0)).to_vec());
    let sites = vec![site("a", &small, Policy::Fcfs), site("b", &large, Policy::Fcfs)];
    let clients = vec![client(&tasks, SiteRule::RoundRobin, 2)];
    let results = play(&SitesExperiment { sites, links: &WideNetwork::default(), clients });
    let sites: Vec<Option<usize>> = results.records.iter().map(|record| record.site).collect();
    assert_eq!(sites, [None, Some(1), Some(0)]);
    assert_eq!((results.clients[0].tasks, results.clients[0].refused), (3, 1));
}

#[test]
fn a_client_that_no_link_reaches_is_told() {
    let platform = platform(1);
    let wide = links(LINK);
    let tasks = [task((0, 1, 5, 9), 0.0, 0.0)];
    let sites = vec![site("a", &platform, Policy::Fcfs), site("b", &platform, Policy::Fcfs)];
    let clients = vec![client(&tasks, SiteRule::Random, 2)];
    let experiment = SitesExperiment { sites, links: &wide, clients };
    let error = play_sites(&experiment, &mut [Nobody, Nobody]).unwrap_err().to_string();
    assert_eq!(error, "client \"client\" cannot reach site \"b\": no [[links]] lead there");
}

#[test]
fn sections_say_tasks() {
    let text =
        "submission_time_s = 5\nnodes = 1\nrun_time_s = 30\nwalltime_s = 100\noutput_bytes = 7";
    let section: TaskSection = toml::from_str(text).unwrap();
    let expected = SiteTask { name: "4".into(), ..task((5, 1, 30, 100), 0.0, 7.0) };
    assert_eq!(section.task(4), expected);
}
