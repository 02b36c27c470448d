//! Proportional shutdown (the thesis, 7.4.2): a share of the machines is used, the others are switched
//! off and only used where the first waiting job needs more.

use super::SwitchingPart;
use crate::policy::core::{Core, Stage};
use crate::policy::options::option;
use crate::policy::part::About;

/// All but a share of the machines are off.
pub const SWITCHING: SwitchingPart = SwitchingPart {
    about: About {
        name: "proportional",
        meaning: "beside that, all but a share of the machines are off",
        options: &[option("share", "1", "share of machines that stay on, from 0 to 1")],
    },
    build: Some(|_, options| {
        let share = options.number("share", 0.0, 1.0).unwrap_or(1.0);
        Box::new(Proportional { share })
    }),
};

/// The share of machines that is used.
#[derive(Debug)]
struct Proportional {
    /// Of one.
    share: f64,
}

impl Stage for Proportional {
    fn decide(&mut self, core: &mut Core) {
        core.reserved = None;
        core.cancel_all_sedations();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share")]
        let mut used = (self.share * f64::from(core.plan.machines)) as u32;
        let first = core.first_place();
        if first.as_ref().is_none_or(|(_, place)| place.is_some()) {
            let needed = first.as_ref().map_or(0, |(job, _)| job.nodes);
            used = used.max(needed);
            let soon = core.awake_soon();
            let more = soon.count().saturating_sub(used);
            if more > 0 {
                core.by_stage(more);
                let usable = first.as_ref().and_then(|(_, place)| place.as_ref());
                let machines =
                    core.soonest_sedatable(more, &soon, usable.map(|(_, free)| free), needed);
                core.sedated_by_stage += machines.count();
                core.plan.to_sedate.add(&machines);
                core.sedate_queued();
            }
            core.update_idle();
            core.sedate_idle(needed);
        }
        core.by_stage(core.sedated_idle.saturating_sub(used));
    }
}
