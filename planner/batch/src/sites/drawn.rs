//! Tasks by Simbatch's laws (section 4.1): whole seconds between submissions from a Poisson law, processors and times uniform,
//! walltimes the time times a uniform factor; one of several files as input, one as output.

use rand::RngExt;
use rand_distr::{Distribution, Poisson};

use super::document::DrawnSection;
use super::tasks::SiteTask;
use crate::job::{Job, JobId, Work};
use crate::time::Time;
use crate::workload::streams;

impl DrawnSection {
    /// The tasks, in the order of submission. Each kind of draw has a stream of its own, so that more tasks of the same seed
    /// begin with the same ones.
    pub fn tasks(&self) -> Vec<SiteTask> {
        let [
            mut arrivals,
            mut sizes,
            mut lengths,
            mut factors,
            mut inputs,
            mut outputs,
            mut queues,
        ] = streams(self.seed);
        let gap = Poisson::new(self.mean_gap_s);
        let mut submitted = Time::ZERO;
        let number = |number: u32| {
            if number > 1 {
                let gap_s = gap.as_ref().map_or(self.mean_gap_s, |gap| gap.sample(&mut arrivals));
                submitted = submitted + Time::from_seconds_f64(gap_s).unwrap_or_default();
            }
            let [least, most] = self.run_time_s.map(i64::from);
            let run_s: i64 = lengths.random_range(least..=most);
            let [least, most] = self.walltime_factor;
            let factor: f64 = factors.random_range(least..=most);
            let file = |files: &[f64], random: &mut rand_chacha::ChaCha8Rng| {
                if files.is_empty() { 0.0 } else { files[random.random_range(0..files.len())] }
            };
            SiteTask {
                name: number.to_string().into(),
                submitted,
                nodes: sizes.random_range(self.nodes[0]..=self.nodes[1]),
                run_time: Time::from_seconds(run_s),
                walltime: Time::from_seconds_f64((run_s as f64 * factor).ceil()),
                input_bytes: file(&self.input_bytes, &mut inputs),
                output_bytes: file(&self.output_bytes, &mut outputs),
                queue: queues.random_range(0..self.queues),
            }
        };
        (1..=self.count).map(number).collect()
    }
}

/// Drawn jobs of a site's own users.
pub fn drawn_load(drawn: &DrawnSection) -> Vec<Job> {
    let job = |(number, task): (i64, SiteTask)| Job {
        id: JobId::Number(number),
        profile: None,
        submitted: task.submitted,
        nodes: task.nodes,
        work: Work::Delay(task.run_time),
        utilisation: None,
        walltime: task.walltime,
    };
    (1..).zip(drawn.tasks()).map(job).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::simbatch;

    /// The defaults draw what `wattbook workload generate` draws by Simbatch's laws.
    #[test]
    fn the_defaults_are_simbatchs() {
        let drawn: DrawnSection = toml::from_str("count = 50\nseed = 7").unwrap();
        assert_eq!(drawn_load(&drawn), simbatch(50, 7).collect::<Vec<_>>());
    }

    /// The mean of 6,000 draws of six files is 8.83 MB, within five standard errors of 0.086.
    #[test]
    fn files_are_equally_likely() {
        let text = "count = 6000\ninput_bytes = [1e6, 2e6, 5e6, 10e6, 15e6, 20e6]\nqueues = 3";
        let drawn: DrawnSection = toml::from_str(text).unwrap();
        let tasks = drawn.tasks();
        let mean = tasks.iter().map(|task| task.input_bytes).sum::<f64>() / 6e9;
        assert!((mean - 8.833).abs() < 0.43, "{mean}");
        assert!((0..3).all(|queue| tasks.iter().any(|task| task.queue == queue)));
        assert!(tasks.iter().all(|task| task.output_bytes.to_bits() == 0));
    }
}
