//! Why a node stays on in a gap.

use std::fmt;

use crate::criterion::Criterion;

use super::amounts::CriteriaAmounts;

/// Why a node stays on in a gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The node cannot be switched.
    NotSwitchable,
    /// No right permits switching it off, at any time of the horizon.
    NoRight,
    /// The gap is shorter than switching off and waking.
    TooShort {
        /// How many milliseconds both take together.
        least_ms: i64,
    },
    /// Price or intensity is not known for long enough in the gap.
    Unknown,
    /// No permitted hour leaves time to switch off and wake.
    NotPermitted,
    /// Sleeping does not pay.
    DoesNotPay {
        /// The most important criterion in which it costs more than idling, or the first one where it costs the same.
        criterion: Criterion,
        /// What the best sleep of the gap saves, which is nothing or less.
        saves: CriteriaAmounts,
    },
    /// The node is switched off as often as it may be on that day.
    MostSwitches {
        /// How often a day.
        most: u32,
    },
    /// The node stays up for whoever may come.
    KeptWarm {
        /// Among which nodes so many are kept, such as `partition "batch"`.
        among: Box<str>,
        /// How many nodes are kept.
        nodes: u32,
    },
    /// Jobs arrive on the node that nobody announced, and it has not idled for long enough to be switched off in this gap.
    NotIdleForLong,
    /// The node was off when it was needed, and is not up yet.
    StillWaking,
    /// Nodes that switch at the same time would exceed the cap.
    PowerCap,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSwitchable => f.write_str("the node cannot be switched"),
            Self::NoRight => f.write_str("no right permits switching the node off"),
            Self::TooShort { least_ms } => {
                let least_s = *least_ms as f64 / 1000.0;
                write!(f, "the gap is shorter than the {least_s} s of switching off and waking")
            }
            Self::Unknown => {
                f.write_str("price or CO2 intensity is not known for long enough in the gap")
            }
            Self::NotPermitted => {
                f.write_str("no hour in which the node may be switched off leaves time to wake it")
            }
            Self::DoesNotPay { criterion, saves } => does_not_pay(f, *criterion, saves),
            Self::MostSwitches { most } => {
                write!(
                    f,
                    "the node may be switched off {most} times a day, and is so at better times"
                )
            }
            Self::KeptWarm { among, nodes } => {
                write!(f, "{nodes} nodes of {among} that nobody has stay up")
            }
            Self::NotIdleForLong => f.write_str(
                "jobs arrive unannounced, and the node does not idle for long enough before it would sleep",
            ),
            Self::StillWaking => f.write_str("the node is still waking when the gap begins"),
            Self::PowerCap => f.write_str("nodes that switch at a time would exceed the power cap"),
        }
    }
}

fn does_not_pay(
    f: &mut fmt::Formatter<'_>,
    criterion: Criterion,
    saves: &CriteriaAmounts,
) -> fmt::Result {
    if saves.thousandths(criterion) == Some(0) {
        return f.write_str("sleeping would save nothing");
    }
    f.write_str("sleeping does not pay: at best it ")?;
    match criterion {
        Criterion::Energy => write!(f, "takes {} J", -saves.energy_j().unwrap_or(0.0))?,
        Criterion::Cost => write!(f, "costs {}", -saves.cost().unwrap_or(0.0))?,
        Criterion::Co2 => write!(f, "emits {} g of CO2", -saves.co2_g().unwrap_or(0.0))?,
    }
    f.write_str(" more than idling")
}
