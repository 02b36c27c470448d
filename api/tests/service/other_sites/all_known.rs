//! A planner that knows all sites, as plainly as it can be written: every start of every site is counted by whole numbers, and the best are
//! found by comparing all with all.
//!
//! Amounts are in units in which all of them are whole: joules, 1/3.6e9 of the currency and 1/3.6e6 g.

/// What an hour's prices and intensities are from, hours before the first full hour.
pub const FIRST_HOUR: i64 = -4;

/// How many hours are known.
pub const HOURS: usize = 32;

const SLOT_S: i64 = 900;

/// What data to a site and back costs: whole numbers.
#[derive(Clone, Copy, Default)]
pub struct Data {
    pub bytes_per_s: i64,
    pub cost_per_gb: i128,
    pub co2_g_per_gb: i128,
    pub joules_per_gb: i128,
}

/// A site as it is.
pub struct KnownSite {
    pub name: &'static str,
    pub nodes: i64,
    /// What each node draws, watts.
    pub draw_w: i128,
    /// Per MWh, hour by hour.
    pub prices: [i128; HOURS],
    /// Grams per kWh, hour by hour.
    pub intensities: [i128; HOURS],
    /// So many nodes are taken from an hour to another.
    pub taken: (i64, i64, i64),
    pub data: Data,
}

/// What is asked of all sites.
#[derive(Clone, Copy)]
pub struct Wanted {
    pub nodes: i64,
    pub duration_s: i64,
    /// The window, in seconds after the first full hour.
    pub earliest_s: i64,
    pub latest_s: i64,
    pub input_gb: i64,
    pub output_gb: i64,
    /// Now, likewise: data is on its way from now on.
    pub now_s: i64,
}

/// A start at a site.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    pub site: &'static str,
    pub begins_s: i64,
    /// Energy, cost and CO2.
    pub amounts: [i128; 3],
    /// With the time that the output takes.
    counted_s: i64,
}

impl KnownSite {
    fn starts(&self, wanted: &Wanted) -> Vec<Start> {
        let Data { bytes_per_s, cost_per_gb, co2_g_per_gb, joules_per_gb } = self.data;
        let on_its_way = |gb: i64| {
            if gb == 0 || bytes_per_s == 0 {
                0
            } else {
                (gb * 1_000_000_000 + bytes_per_s - 1) / bytes_per_s
            }
        };
        let gb = i128::from(wanted.input_gb + wanted.output_gb);
        let input = on_its_way(wanted.input_gb);
        let ready = if input == 0 {
            wanted.earliest_s
        } else {
            wanted.earliest_s.max(wanted.now_s + input)
        };
        let slots =
            (wanted.earliest_s..=wanted.latest_s).filter(|at| at % SLOT_S == 0 && *at >= ready);
        slots
            .filter(|at| self.is_free(*at, wanted))
            .map(|begins_s| {
                let watts = self.draw_w * i128::from(wanted.nodes);
                let of =
                    |rates: &[i128; HOURS]| integral(rates, begins_s, wanted.duration_s) * watts;
                Start {
                    site: self.name,
                    begins_s,
                    amounts: [
                        watts * i128::from(wanted.duration_s) + gb * joules_per_gb,
                        of(&self.prices) + gb * cost_per_gb * 3_600_000_000,
                        of(&self.intensities) + gb * co2_g_per_gb * 3_600_000,
                    ],
                    counted_s: begins_s + on_its_way(wanted.output_gb),
                }
            })
            .collect()
    }

    fn is_free(&self, at: i64, wanted: &Wanted) -> bool {
        let (nodes, from, to) = self.taken;
        let overlaps = at < to * 3600 && from * 3600 < at + wanted.duration_s;
        wanted.nodes <= self.nodes - if overlaps { nodes } else { 0 }
    }
}

/// A rate's sum over the seconds of a span.
fn integral(rates: &[i128; HOURS], start_s: i64, length_s: i64) -> i128 {
    let hours = (FIRST_HOUR..).zip(rates);
    let parts = hours.map(|(hour, rate)| {
        let (from, to) = (hour * 3600, (hour + 1) * 3600);
        let seconds = to.min(start_s + length_s) - from.max(start_s);
        rate * i128::from(seconds.max(0))
    });
    parts.sum()
}

/// All starts of all sites.
pub fn all_starts(sites: &[KnownSite], wanted: &Wanted) -> Vec<Start> {
    sites.iter().flat_map(|site| site.starts(wanted)).collect()
}

/// The best by an order of the criteria: of equals the earliest, of these the first site's.
pub fn best(starts: &[Start], order: [usize; 3]) -> Option<Start> {
    let key = |it: &Start| (order.map(|criterion| it.amounts[criterion]), it.counted_s);
    starts.iter().copied().min_by_key(key)
}

/// The start on the front of all whose largest loss, in parts of the range on the front, is least; the earliest of equals.
pub fn compromise(starts: &[Start]) -> Option<Start> {
    let four = |it: &Start| {
        let [energy, cost, co2] = it.amounts;
        [energy, cost, co2, i128::from(it.counted_s)]
    };
    let beats = |one: &Start, other: &Start| {
        let (one, other) = (four(one), four(other));
        one != other && one.iter().zip(other).all(|(one, other)| *one <= other)
    };
    let front: Vec<Start> =
        starts.iter().filter(|it| !starts.iter().any(|other| beats(other, it))).copied().collect();
    let range = |criterion: usize| {
        let all = front.iter().map(|it| four(it)[criterion]);
        (all.clone().min().unwrap(), all.max().unwrap())
    };
    let largest_loss = |it: &Start| -> (i128, i128) {
        let losses = (0..4).map(|criterion| {
            let (least, most) = range(criterion);
            (four(it)[criterion] - least, (most - least).max(1))
        });
        losses.max_by(|one, other| (one.0 * other.1).cmp(&(other.0 * one.1))).unwrap()
    };
    front.iter().copied().min_by(|one, other| {
        let (one_loss, other_loss) = (largest_loss(one), largest_loss(other));
        let by_loss = (one_loss.0 * other_loss.1).cmp(&(other_loss.0 * one_loss.1));
        by_loss.then(one.counted_s.cmp(&other.counted_s))
    })
}
