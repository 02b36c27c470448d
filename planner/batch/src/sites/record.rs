//! What became of a task, or of a job of a site's own users.

use planner::node_set::NodeSet;
use planner::quantity::Energy;

use crate::job::JobId;
use crate::kernel::JobEnd;
use crate::time::Time;

/// A task or a job from its submission to the return of its output.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteTaskRecord {
    /// Its client and its name, or its site and its id.
    pub id: JobId,
    /// The number of its client; none for a job of a site's own users.
    pub client: Option<usize>,
    /// The number of the site that it is at; none where no site can hold it.
    pub site: Option<usize>,
    /// When it was submitted.
    pub submitted: Time,
    /// Machines that it takes.
    pub nodes: u32,
    /// After how long it is killed at its site.
    pub walltime: Option<Time>,
    /// When it was queued at its site: its input was at the frontal.
    pub queued: Option<Time>,
    /// When all of its input was on its first machine.
    pub input_end: Option<Time>,
    /// How it ended; none where it was refused.
    pub end: Option<SiteTaskEnd>,
    /// When its output was at its client.
    pub output_end: Option<Time>,
}

/// How a job at a site ended.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteTaskEnd {
    /// When it started.
    pub started: Time,
    /// When it ended at its site.
    pub finished: Time,
    /// The way in which it ended.
    pub end: JobEnd,
    /// Its machines.
    pub machines: NodeSet,
    /// What they consumed, where it is known what they draw.
    pub energy: Option<Energy>,
    /// What the energy cost by the site's prices.
    pub cost: Option<f64>,
    /// What the energy emitted, g.
    pub co2_g: Option<f64>,
}

impl SiteTaskRecord {
    /// The time that it spent in the system: waiting, running and communication.
    pub fn flow(&self) -> Option<Time> {
        self.output_end.map(|end| end - self.submitted)
    }
}
