//! Flow tracing: whose emissions are in the power that a zone consumes.
//!
//! A zone mixes what it generates with what flows in, and what flows out of it is of that mix. So the intensities `I` of
//! all zones hold together: `(P_z + sum_y F_yz) I_z = P_z E_z + sum_y F_yz I_y`, with the generation `P`, its intensity
//! `E` and the flows `F`. That is a system of linear equations. It has one solution where every zone is reached by
//! power that somebody generates.

use nalgebra::{DMatrix, DVector};

/// What is known of a zone in an hour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ZoneBalance {
    /// It generates so much.
    Generates {
        /// MW, not below zero.
        power: f64,
        /// What that emits, in kg/h, which is MW times g/kWh.
        emitted: f64,
    },
    /// Whatever it does, what it gives has this intensity, in g/kWh.
    Fixed(f64),
    /// Nothing.
    Unknown,
}

/// Power that goes from one zone into another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ZoneFlow {
    /// The index of the zone that it comes from.
    pub from: usize,
    /// The index of the zone that it goes into.
    pub into: usize,
    /// MW, not below zero.
    pub power: f64,
}

/// The intensity of what each zone consumes, in g/kWh; `None` where it rests on something that is not known, and where a
/// zone has no power at all. Flows from or into zones that are not there do not count.
pub fn traced(zones: &[ZoneBalance], flows: &[ZoneFlow]) -> Vec<Option<f64>> {
    let counts = |flow: &&ZoneFlow| {
        flow.power > 0.0 && flow.from.max(flow.into) < zones.len() && flow.from != flow.into
    };
    let flows: Vec<ZoneFlow> = flows.iter().filter(counts).copied().collect();
    let reached = spread(&flows, zones.iter().map(ZoneBalance::has_power).collect());
    // Power that nobody generated is in the mix of all that it reaches.
    let is_doubtful =
        |(zone, reached): (&ZoneBalance, &bool)| *zone == ZoneBalance::Unknown || !reached;
    let doubtful: Vec<bool> = zones.iter().zip(&reached).map(is_doubtful).collect();
    let fixed = zones.iter().map(|zone| matches!(zone, ZoneBalance::Fixed(_)));
    let into_fixed: Vec<bool> = fixed.collect();
    let kept: Vec<ZoneFlow> = flows.into_iter().filter(|flow| !into_fixed[flow.into]).collect();
    let doubtful = spread(&kept, doubtful);
    let solved: Vec<usize> = (0..zones.len()).filter(|&zone| !doubtful[zone]).collect();
    let mut intensities = vec![None; zones.len()];
    if let Some(solution) = solution(zones, &kept, &solved) {
        for (&zone, &intensity) in solved.iter().zip(solution.iter()) {
            intensities[zone] = Some(intensity);
        }
    }
    intensities
}

impl ZoneBalance {
    /// Whether it gives power that does not flow in.
    pub(super) fn has_power(&self) -> bool {
        match *self {
            Self::Generates { power, .. } => power > 0.0,
            Self::Fixed(_) => true,
            Self::Unknown => false,
        }
    }
}

/// The zones that are marked, and those that power flows into from them, by whatever way.
fn spread(flows: &[ZoneFlow], mut marked: Vec<bool>) -> Vec<bool> {
    // A way has at most as many steps as there are zones.
    for _ in 0..marked.len() {
        for flow in flows {
            marked[flow.into] |= marked[flow.from];
        }
    }
    marked
}

/// The intensities of the zones in `solved`, into which nothing flows from others.
fn solution(zones: &[ZoneBalance], flows: &[ZoneFlow], solved: &[usize]) -> Option<DVector<f64>> {
    if solved.is_empty() {
        return None;
    }
    let mut matrix = DMatrix::zeros(solved.len(), solved.len());
    let mut emitted = DVector::zeros(solved.len());
    let place = |zone: usize| solved.iter().position(|&it| it == zone);
    for (row, &zone) in solved.iter().enumerate() {
        match zones[zone] {
            ZoneBalance::Generates { power, emitted: own } => {
                matrix[(row, row)] = power;
                emitted[row] = own;
            }
            ZoneBalance::Fixed(intensity) => {
                matrix[(row, row)] = 1.0;
                emitted[row] = intensity;
            }
            ZoneBalance::Unknown => {}
        }
    }
    for flow in flows {
        let Some((row, column)) = place(flow.into).zip(place(flow.from)) else { continue };
        matrix[(row, row)] += flow.power;
        matrix[(row, column)] -= flow.power;
    }
    matrix.lu().solve(&emitted)
}
