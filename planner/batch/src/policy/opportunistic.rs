//! EASY with opportunistic shutdown: machines that have been idle for long are switched off, and on
//! again as soon as a waiting job could use them (the thesis, 7.3.2).

use super::Setting;
use super::options::Options;
use super::sleeping::{Core, Sleeping, Stage};
use crate::scheduler::Scheduler;

/// The scheduler that the options say.
pub(super) fn scheduler(setting: &Setting<'_>, options: &mut Options<'_>) -> Box<dyn Scheduler> {
    let sleeping = options.sleeping(setting.platform);
    let while_waking = options.flag("sedate_while_waking", false);
    Box::new(Sleeping::new(setting, sleeping, Opportunistic { while_waking }))
}

/// No switches but those of idle machines.
#[derive(Debug, Default)]
pub(super) struct Opportunistic {
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
