//! The opportunistic technique alone: machines that have been idle for long are switched off, and on again
//! as soon as a waiting job could use them (the thesis, 7.3.2).

use super::SwitchingPart;
use crate::policy::core::{Core, Stage};
use crate::policy::options::option;
use crate::policy::part::About;

/// Idle machines are switched off.
pub const SWITCHING: SwitchingPart = SwitchingPart {
    about: About {
        name: "opportunistic",
        meaning: "machines that have been idle for long are off",
        options: &[option(
            "sedate_while_waking",
            "false",
            "periodically machines go off even while others come on",
        )],
    },
    build: Some(|_, options| {
        let while_waking = options.flag("sedate_while_waking", false);
        Box::new(Opportunistic { while_waking })
    }),
};

/// No switches but those of idle machines.
#[derive(Debug, Default)]
pub struct Opportunistic {
    /// Whether stages switch idle machines off even while others are being switched on, as batsched's
    /// `energy_bf_idle_sleeper` does. Where stages are closer than switching on takes, what a job waits
    /// for may then be switched off again and again.
    while_waking: bool,
}

impl Stage for Opportunistic {
    fn decide(&mut self, core: &mut Core) {
        core.reserved = None;
        core.update_idle();
        let needed = core.queue.first().map_or(0, |job| job.nodes);
        if self.while_waking {
            core.sedate_idle_anyway(needed);
        } else {
            core.sedate_idle(needed);
        }
    }
}
