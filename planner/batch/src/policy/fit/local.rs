//! Machines of one group, which are those on one switch.

use planner::node_set::NodeSet;

use super::{FitPart, OrLowest, Selection};
use crate::platform::{Groups, Platform};
use crate::policy::options::{Options, PolicyOption};
use crate::policy::part::About;

const OPTIONS: &[PolicyOption] = &[PolicyOption {
    name: "group_size",
    default: "as the platform says",
    meaning: "machines on one switch, in order",
}];

/// The lowest machines of the first group that has enough; a job waits for such, and is refused where
/// it is wider than every group.
pub const FIT: FitPart = FitPart {
    about: About {
        name: "local",
        meaning: "the lowest machines of the first group that has enough; jobs wait for such",
        options: OPTIONS,
    },
    counts: false,
    build: |platform, options| Box::new(OneGroup(groups(platform, options))),
};

/// The lowest machines of the first group that has enough, or else the lowest machines.
pub const BEST_EFFORT: FitPart = FitPart {
    about: About {
        name: "best_effort_local",
        meaning: "the lowest machines of the first group that has enough, or else the lowest",
        options: OPTIONS,
    },
    counts: false,
    build: |platform, options| Box::new(OrLowest(OneGroup(groups(platform, options)))),
};

/// Selects the lowest machines of the first group that has enough.
#[derive(Debug)]
struct OneGroup(Groups);

impl Selection for OneGroup {
    fn select(&self, free: &NodeSet, nodes: u32) -> Option<NodeSet> {
        self.0.lowest(free, nodes)
    }

    fn widest(&self) -> u32 {
        self.0.widest()
    }
}

/// Groups of `group_size` machines, or as the platform says.
fn groups(platform: &Platform, options: &mut Options<'_>) -> Groups {
    let size = |text: &str| text.parse().ok().filter(|size: &u32| *size > 0);
    let size = options.read("group_size", "a whole number of machines from 1 on", size);
    let said = size.map(|size| Groups::of_size(platform.machines(), size));
    said.or_else(|| platform.groups().cloned()).unwrap_or_else(|| {
        if options.text("group_size").is_none() {
            options.wrong(
                "this policy needs to know which machines share a switch: group or group_size in \
                 the platform, or the option group_size",
            );
        }
        Groups::of_size(platform.machines(), platform.machines().max(1))
    })
}
