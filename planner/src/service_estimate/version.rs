//! Versions of operations with their estimates.

use super::amounts::{ByMeasure, EstimateRates, EstimatedAmounts, EstimatedPhase, Measure};

/// A way to perform an operation: a protocol or an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// All processes stop and save their state together; after a failure all go back to it.
    Coordinated,
    /// Each process saves its state by itself and logs what it sends in memory; after a failure one node goes back.
    UncoordinatedMemory,
    /// As [`Version::UncoordinatedMemory`], with logs on disk.
    UncoordinatedDisk,
    /// Segments go from process to process, as in Open MPI.
    Pipelined,
    /// A binomial scatter, then an all-gather on a ring, as in MPICH2 (van de Geijn).
    ScatterAllGather,
    /// A binomial tree.
    Binomial,
    /// Segments go from node to node; the threads of a node share memory.
    HybridPipelined,
    /// A scatter and an all-gather between nodes; the threads of a node share memory.
    HybridScatterAllGather,
    /// A binomial tree of nodes; the threads of a node share memory.
    HybridBinomial,
    /// One process sends to, or receives from, one after another.
    Linear,
    /// Blocks go round a ring of all processes.
    Ring,
    /// Pairs of processes exchange what they have, at doubled distances.
    RecursiveDoubling,
    /// Bruck's algorithm: as recursive doubling, for any number of processes.
    Bruck,
}

/// An estimate of one version.
#[derive(Clone, Debug, PartialEq)]
pub struct VersionEstimate {
    /// The version.
    pub version: Version,
    /// What it takes.
    pub amounts: EstimatedAmounts,
    /// The parts of that, where there are some.
    pub phases: Vec<EstimatedPhase>,
    /// The segments of a pipelined broadcast.
    pub segments: Option<Segments>,
    /// More of a version of checkpoints.
    pub checkpoint: Option<CheckpointEstimate>,
}

/// How data are cut for a pipeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segments {
    /// The number of segments.
    pub count: u64,
    /// Bytes of each segment, in the mean.
    pub bytes: f64,
}

/// More of a version of checkpoints.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckpointEstimate {
    /// One checkpoint, without what it loses by failures.
    pub one: EstimatedAmounts,
    /// The parts of one checkpoint.
    pub one_phases: Vec<EstimatedPhase>,
    /// The interval of the version's amounts, seconds.
    pub interval_s: f64,
    /// The interval that is best by each measure, with what the work takes then.
    pub best: ByMeasure<Option<IntervalEstimate>>,
    /// Young's interval, seconds.
    pub young_s: f64,
    /// Daly's interval of higher order, seconds.
    pub daly_s: f64,
    /// The failures to be expected until the work is done.
    pub failures: f64,
}

/// What work takes with checkpoints at an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntervalEstimate {
    /// From the end of one checkpoint to the start of the next, seconds.
    pub interval_s: f64,
    /// What all of the work takes.
    pub amounts: EstimatedAmounts,
}

/// A version that is not estimated, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionLeftOut {
    /// The version.
    pub version: Version,
    /// Why, in words.
    pub because: String,
}

/// The estimates of an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct OperationEstimate {
    /// The versions, each with what it takes.
    pub versions: Vec<VersionEstimate>,
    /// The versions that cannot be estimated.
    pub left_out: Vec<VersionLeftOut>,
    /// The version that takes the least by each measure; the first of equal ones, none where the measure is not known.
    pub least: ByMeasure<Option<Version>>,
    /// What the work takes without checkpoints and failures, for an operation that has work.
    pub work: Option<EstimatedAmounts>,
}

impl Version {
    /// The version's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Coordinated => "coordinated",
            Self::UncoordinatedMemory => "uncoordinated_memory_log",
            Self::UncoordinatedDisk => "uncoordinated_disk_log",
            Self::Pipelined => "pipelined",
            Self::ScatterAllGather => "scatter_all_gather",
            Self::Binomial => "binomial",
            Self::HybridPipelined => "hybrid_pipelined",
            Self::HybridScatterAllGather => "hybrid_scatter_all_gather",
            Self::HybridBinomial => "hybrid_binomial",
            Self::Linear => "linear",
            Self::Ring => "ring",
            Self::RecursiveDoubling => "recursive_doubling",
            Self::Bruck => "bruck",
        }
    }

    /// The version's estimate with phases that follow each other.
    pub(super) fn in_phases(
        self,
        phases: Vec<EstimatedPhase>,
        rates: &EstimateRates,
    ) -> VersionEstimate {
        let amounts = rates.sum(&phases);
        VersionEstimate { version: self, amounts, phases, segments: None, checkpoint: None }
    }
}

impl OperationEstimate {
    /// Finds the least of versions, each by all that it takes.
    pub(super) fn new(versions: Vec<VersionEstimate>, left_out: Vec<VersionLeftOut>) -> Self {
        Self::by(versions, left_out, |version, measure| version.amounts.by(measure))
    }

    /// Finds the least of versions by what `amount` says of them.
    pub(super) fn by(
        versions: Vec<VersionEstimate>,
        left_out: Vec<VersionLeftOut>,
        amount: impl Fn(&VersionEstimate, Measure) -> Option<f64>,
    ) -> Self {
        let least = ByMeasure::from_fn(|measure| {
            let known = versions.iter().filter_map(|it| Some((it.version, amount(it, measure)?)));
            known.min_by(|one, other| one.1.total_cmp(&other.1)).map(|(version, _)| version)
        });
        Self { versions, left_out, least, work: None }
    }
}
