//! Worked examples of every fit.

use super::*;
use crate::policy::Options;

/// What a fit is tried on.
struct Bench {
    system: System,
    free: FreeResources,
    units: UnitRequests,
    waiting: Vec<WaitingUnits>,
    busy_until: Vec<Time>,
}

impl Bench {
    fn new(system: &str) -> Self {
        let system = System::parse(system).unwrap();
        let free = FreeResources::all_of(&system);
        let busy_until = vec![Time::ZERO; free.nodes() as usize];
        Self { system, free, units: UnitRequests::default(), waiting: Vec::new(), busy_until }
    }

    /// `units` units of `amounts` are taken on `node`.
    fn take(&mut self, node: u32, units: u32, amounts: &[u32]) {
        let unit = UnitRequest::of(amounts, self.system.resources.len());
        self.free.take(&unit, &[UnitsOnNode { node, units }]).unwrap();
    }

    /// A job waits.
    fn wait(&mut self, estimate_s: i64, units: u32, amounts: &[u32]) {
        let unit = self.units.id(&UnitRequest::of(amounts, self.system.resources.len()));
        self.waiting.push(WaitingUnits { unit, units, estimate: Time::from_seconds(estimate_s) });
    }

    fn fit(&self, name: &str, said: &[(&str, &str)]) -> Box<dyn NodeOrder> {
        let said: Vec<(String, String)> =
            said.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let mut options = Options::new(&said);
        let fit = (UnitFitPart::named(name).unwrap().build)(&self.system, &mut options);
        assert!(options.rest().unwrap().is_empty());
        fit
    }

    /// The nodes in the order in which a job that ends at 100 s tries them.
    fn order(&self, fit: &mut dyn NodeOrder, units: u32, amounts: &[u32]) -> Vec<u32> {
        let unit = UnitRequest::of(amounts, self.system.resources.len());
        let types: Vec<usize> = self.system.type_of_nodes().collect();
        let view = FitView {
            system: &self.system,
            types: &types,
            free: &self.free,
            units: &self.units,
            waiting: &self.waiting,
            busy_until: &self.busy_until,
        };
        let request = PlaceRequest { unit: &unit, units, ends: Time::from_seconds(100) };
        let mut nodes = Vec::new();
        fit.order(&view, &request, &mut nodes);
        nodes
    }

    fn order_by(&self, name: &str, units: u32, amounts: &[u32]) -> Vec<u32> {
        self.order(self.fit(name, &[]).as_mut(), units, amounts)
    }
}

/// A facsimile of Eurora: four nodes with GPUs, four with MICs.
const EIGHT: &str = "[[nodes]]\ncount = 4\ncores = 16\nmemory_gb = 16\ngpu = 2\n\
                     [[nodes]]\ncount = 4\ncores = 16\nmemory_gb = 16\nmic = 2\n";

/// Each node takes as many units as fit: of 5 units 2 on the first (5 / 2), 1 on the second and 2 of 3 on the third.
#[test]
fn nodes_take_as_many_units_as_fit() {
    let unit = UnitRequest::of(&[2], 1);
    let free = [[5], [2], [7], [9]];
    let room = |node: u32| unit.fits(&free[node as usize]);
    let places = place(0..4, 5, room).unwrap();
    let told: Vec<(u32, u32)> = places.iter().map(|it| (it.node, it.units)).collect();
    assert_eq!(told, [(0, 2), (1, 1), (2, 2)]);
    assert_eq!(place(0..4, 11, room), None);
}

#[test]
fn first_fit_goes_by_number() {
    assert_eq!(Bench::new(EIGHT).order_by("first_fit", 1, &[1]), [0, 1, 2, 3, 4, 5, 6, 7]);
}

/// Node 2 has 16 - 10 cores, 16 GB and 2 GPUs free, 24 in all; node 5 has 16 + 8 + 2 = 26, the others 34. Node 1 has 2 cores, which
/// is too little for 4.
#[test]
fn best_fit_takes_the_fullest_that_have_room() {
    let mut bench = Bench::new(EIGHT);
    bench.take(2, 1, &[10]);
    bench.take(5, 1, &[0, 8]);
    bench.take(1, 1, &[14]);
    assert_eq!(bench.order_by("best_fit", 1, &[4]), [2, 5, 0, 3, 4, 6, 7]);
}

/// Figure 5.2: nodes with GPUs and with MICs by turns.
#[test]
fn balanced_interleaves_as_figure_5_2() {
    assert_eq!(Bench::new(EIGHT).order_by("balanced", 1, &[1]), [0, 4, 1, 5, 2, 6, 3, 7]);
}

/// Nodes 1 and 3 have no GPU free: no bin, first. Of the GPUs are left 0 and 2, of the MICs four: 4, 5, then (two each) 0, 6, 2, 7.
#[test]
fn balanced_takes_the_longest_bin_after_those_in_none() {
    let mut bench = Bench::new(EIGHT);
    bench.take(1, 1, &[0, 0, 2]);
    bench.take(3, 1, &[0, 0, 2]);
    assert_eq!(bench.order_by("balanced", 1, &[1]), [1, 3, 4, 5, 0, 6, 2, 7]);
    // With MICs alone as critical ones the nodes with GPUs are in no bin.
    let mut fit = bench.fit("balanced", &[("critical", "mic")]);
    assert_eq!(bench.order(fit.as_mut(), 1, &[1]), [0, 1, 2, 3, 4, 5, 6, 7]);
}

/// Two nodes with a GPU, one without, 8 cores each. One core of node 0 and the GPU of node 1 are in use, and 4 cores of node 2. Two
/// jobs wait: 10 s of 2 units of 2 cores, 30 s of 1 unit of 1 core and 1 GPU. Over durations of 40 s the mean request of cores is
/// (10 x 2 x 2 + 30 x 1 x 1) / 40 = 1.75, of GPUs 30 / 40 = 0.75; loads are 5 / 24 and 1 / 2; the weights 1.75 x (5 / 24) / 24 =
/// 0.01519 and 0.75 x (1 / 2) / 2 = 0.1875. The first job leaves 7 - 4 = 3 cores and a GPU on node 0, 3 x 0.01519 + 0.1875 =
/// 0.2331; 4 cores on node 1, 0.0608; none on node 2, 0. So node 2, then 1, then 0, the one whose GPU is spared.
const THREE: &str = "[[nodes]]\ncount = 2\ncores = 8\ngpu = 1\n[[nodes]]\ncount = 1\ncores = 8\n";

fn three() -> Bench {
    let mut bench = Bench::new(THREE);
    bench.take(0, 1, &[1]);
    bench.take(1, 1, &[0, 1]);
    bench.take(2, 1, &[4]);
    bench.wait(10, 2, &[2]);
    bench.wait(30, 1, &[1, 1]);
    bench
}

#[test]
fn weighted_leaves_the_least_of_what_is_scarce() {
    let bench = three();
    assert_eq!(bench.order_by("weighted", 2, &[2]), [2, 1, 0]);
    let types: Vec<usize> = bench.system.type_of_nodes().collect();
    let view = FitView {
        system: &bench.system,
        types: &types,
        free: &bench.free,
        units: &bench.units,
        waiting: &bench.waiting,
        busy_until: &[],
    };
    let weights = weighted::weights(&view);
    // Both are 40 times those of the equation: the sum of durations is left out.
    assert!((weights[0] / 40.0 - 0.015_190_97).abs() < 1e-8, "{weights:?}");
    assert!((weights[1] / 40.0 - 0.1875).abs() < 1e-12, "{weights:?}");
}

/// With a window of 1 only the first job is seen, which asks for no GPU: node 0 has 3 cores left, node 1 has 4.
#[test]
fn weighted_looks_no_further_than_its_window() {
    let mut bench = three();
    bench.waiting.truncate(1);
    assert_eq!(bench.order_by("weighted", 2, &[2]), [2, 0, 1]);
    assert_eq!(bench.fit("weighted", &[("window", "7")]).window(), 7);
}

/// Of the bins of figure 5.2 each is sorted by weight: of the nodes with GPUs node 2 has 4 of its 16 cores left, of those with MICs node
/// 7. Without load there would be no weight: cores are in use on these nodes alone.
#[test]
fn hybrid_sorts_bins_by_weight() {
    let mut bench = Bench::new(EIGHT);
    bench.take(2, 1, &[12]);
    bench.take(7, 1, &[12]);
    bench.wait(10, 1, &[4]);
    assert_eq!(bench.order_by("hybrid", 1, &[4]), [2, 7, 0, 4, 1, 5, 3, 6]);
    assert_eq!(bench.order_by("weighted", 1, &[4]), [2, 7, 0, 1, 3, 4, 5, 6]);
}

/// One node has a GPU and 2 cores free, the other 8 cores and none, where 10 jobs for GPUs failed: weights of 5.8. A job of 1 core
/// leaves on node 0 1 core and the GPU, on node 1 7 cores. Cores weigh 10 x 1 x (6 / 16) / 16 = 0.234; GPUs of which one of two is in
/// use 1 x 1 x (1 / 2) / 2 = 0.25 (durations of 10 s and 1 s). Node 0: 0.234 + 0.25 p; node 1: 1.641. At p = 1 node 0 is first,
/// 0.484; at 6 still not, 1.734, so node 1 is.
#[test]
fn priorities_grow_while_jobs_wait_and_fall_when_they_start() {
    let mut bench =
        Bench::new("[[nodes]]\ncount = 1\ncores = 8\ngpu = 2\n[[nodes]]\ncount = 1\ncores = 8\n");
    bench.take(0, 1, &[6, 1]);
    bench.wait(10, 1, &[1]);
    bench.wait(1, 1, &[0, 1]);
    let gpu = UnitRequest::of(&[0, 1], 2);
    let mut fit = bench.fit("priority_weighted", &[]);
    assert_eq!(bench.order(fit.as_mut(), 1, &[1]), [0, 1]);
    (0..5).for_each(|_| fit.tried(&gpu, false));
    assert_eq!(bench.order(fit.as_mut(), 1, &[1]), [1, 0]);
    fit.tried(&gpu, true);
    // p = 5: 0.234 + 1.25 = 1.484.
    assert_eq!(bench.order(fit.as_mut(), 1, &[1]), [0, 1]);
    // Up to 10 and no further: nine that start bring it to 1.
    (0..50).for_each(|_| fit.tried(&gpu, false));
    (0..9).for_each(|_| fit.tried(&gpu, true));
    assert_eq!(bench.order(fit.as_mut(), 1, &[1]), [0, 1]);
    fit.tried(&UnitRequest::of(&[1, 0], 2), false);
    assert_eq!(bench.order(fit.as_mut(), 1, &[1]), [0, 1]);
}

/// A core draws 10 - 2 = 8 W more on the first type, 9 - 3 = 6 W on the second, but that one's converter makes 6 / 0.7 = 8.57 W
/// of it; the third has 7 W. A GPU costs 100 W there.
#[test]
fn least_power_counts_what_is_drawn_more() {
    let node = |idle: u32, full: u32, rest: &str| {
        format!(
            "[[nodes]]\ncount = 1\ncores = 4\n{rest}\n[nodes.power]\ncores = {{ idle_w = {idle}, full_w = {full} }}\n"
        )
    };
    let lossy = node(3, 9, "") + "[nodes.losses]\nconverter = { loss_w = 50, efficiency = 0.7 }\n";
    let text = node(2, 10, "") + &lossy + &node(0, 7, "gpu = 1");
    let bench = Bench::new(&text);
    assert_eq!(bench.order_by("least_power", 1, &[1]), [2, 0, 1]);
    let said: Vec<(String, String)> = Vec::new();
    let mut options = Options::new(&said);
    let build = UnitFitPart::named("least_power").unwrap().build;
    build(&Bench::new(THREE).system, &mut options);
    assert!(options.rest().unwrap_err()[0].contains("[nodes.power]"));
}

/// The job ends at 100 s. Node 1 is busy until 150 s and node 3 until 120 s: neither is busy for longer because of it, and node 3 ends
/// nearer to it. Node 2 is busy until 90 s, 10 s less; node 0 is free, 100 s.
#[test]
fn long_gaps_takes_nodes_that_are_busy_anyhow() {
    let mut bench = Bench::new("[[nodes]]\ncount = 4\ncores = 4\n");
    for (node, until) in [(1, 150), (2, 90), (3, 120)] {
        bench.busy_until[node] = Time::from_seconds(until);
    }
    assert_eq!(bench.order_by("long_gaps", 1, &[1]), [3, 1, 2, 0]);
}
