//! A thousand drawn experiments of Simbatch (section 2): 100 tasks on 7 processors, by FCFS and by conservative
//! backfilling.

use batch::workload;

use super::*;

/// The mean time in the system, seconds.
#[derive(Default)]
struct MeanFlow {
    sum_s: f64,
    jobs: u32,
}

impl Observer for MeanFlow {
    fn started(&mut self, _: Time, _: &Job, _: &NodeSet) -> io::Result<()> {
        Ok(())
    }

    fn played(&mut self, played: &Played<'_>) -> io::Result<()> {
        self.sum_s += (played.finished - played.job.submitted).as_seconds();
        self.jobs += 1;
        Ok(())
    }

    fn refused(&mut self, job: &Job, _: Option<RefusalReason>) -> io::Result<()> {
        panic!("{} was refused", job.id);
    }
}

fn mean_flow_s(policy: Policy, seed: u64) -> f64 {
    let platform = Platform::of_machines(7);
    let cluster = Cluster { places: false, ..cluster(&platform) };
    let mut scheduler = combination(policy, COUNT).scheduler(&setting(&platform)).unwrap();
    let mut flow = MeanFlow::default();
    let jobs = workload::simbatch(100, seed).map(Ok::<Job, Infallible>);
    simulate(jobs, cluster, scheduler.as_mut(), &mut flow).unwrap();
    assert_eq!(flow.jobs, 100);
    flow.sum_s / 100.0
}

/// Backfilling shortens the mean flow by 34.8 % on average over 1,000 drawn experiments, from 22.5 to 45.4 %, with a standard
/// deviation of 3.7 %. The paper has 28 %, from 13 to 39 %, below 4 %, and does not say relative to what.
#[test]
fn backfilling_shortens_flows() {
    let shorter = |seed| {
        let [fcfs, backfilled] =
            [Policy::Fcfs, Policy::Conservative].map(|policy| mean_flow_s(policy, seed));
        100.0 * (fcfs - backfilled) / fcfs
    };
    let percents: Vec<f64> = (0..1_000).map(shorter).collect();
    let mean = percents.iter().sum::<f64>() / 1_000.0;
    let variance = percents.iter().map(|percent| (percent - mean).powi(2)).sum::<f64>() / 1_000.0;
    let least = percents.iter().copied().fold(f64::MAX, f64::min);
    let most = percents.iter().copied().fold(f64::MIN, f64::max);
    let deviation = variance.sqrt();
    println!("mean {mean:.1} %, from {least:.1} to {most:.1} %, deviation {deviation:.1} %");
    assert!((34.0..36.0).contains(&mean) && deviation < 4.0, "{mean} {deviation}");
}
