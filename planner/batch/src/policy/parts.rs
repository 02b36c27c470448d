//! A policy as a combination of parts, and the scheduler that they make.

use super::backfill::{self, BackfillPart, Rule};
use super::conservative::{Conservative, ConservativeSet, Guarantees};
use super::core::{Composed, Fitting, Pace, Stage};
use super::counting::Counting;
use super::fit::{FitPart, count};
use super::gate::{self, GatePart};
use super::options::{Options, PolicyOption};
use super::order::{OrderPart, fcfs};
use super::setting::Setting;
use super::switching::{self, SwitchingPart, opportunistic::Opportunistic};
use crate::scheduler::Scheduler;

/// One part of each kind.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    /// Which waiting job is the first.
    pub order: &'static OrderPart,
    /// Who may start before it.
    pub backfill: &'static BackfillPart,
    /// Which machines jobs take.
    pub fit: &'static FitPart,
    /// What may start as far as power and energy go.
    pub gate: &'static GatePart,
    /// Which machines are switched off and on.
    pub switching: &'static SwitchingPart,
    /// Whether conservative backfilling, for a place that begins at once, prefers machines that were free
    /// already to those that become free then. So the named policies have chosen all along.
    pub rested_first: bool,
}

impl Parts {
    /// First come, first served, on machines that stay on.
    pub const STRICT: Self = Self {
        order: &fcfs::ORDER,
        backfill: &backfill::NONE,
        fit: &count::FIT,
        gate: &gate::NONE,
        switching: &switching::NONE,
        rested_first: false,
    };

    /// Whether machines may be switched, by these options or others.
    pub const fn may_switch(&self) -> bool {
        self.gate.bounds() || self.switching.switches()
    }

    /// The options that come with the parts.
    pub fn options(&self) -> Vec<&'static PolicyOption> {
        let (bounds, switches) = (self.gate.bounds(), self.switching.switches());
        let guaranteed = matches!(self.backfill.rule, Rule::Conservative(_));
        let only = |held: bool, options: &'static [PolicyOption]| if held { options } else { &[] };
        let all = [
            self.order.about.options,
            self.backfill.about.options,
            self.fit.about.options,
            self.gate.about.options,
            only(bounds, gate::OPTIONS),
            only(!guaranteed, self.switching.about.options),
            only(bounds && !switches, switching::WHILE_BOUNDED),
            only((bounds || switches) && !guaranteed, switching::PERIOD),
            only((bounds || switches) && !guaranteed, switching::OPTIONS),
        ];
        all.into_iter().flatten().collect()
    }

    /// The scheduler that the parts make; what they do not go together with is told by the options.
    pub(super) fn scheduler(
        &self,
        setting: &Setting<'_>,
        options: &mut Options<'_>,
    ) -> Box<dyn Scheduler> {
        match self.backfill.rule {
            Rule::Strict => self.queue(setting, options, false),
            Rule::Easy => self.queue(setting, options, true),
            Rule::Conservative(compression) => {
                let compression = compression(options);
                self.conservative(setting, options, compression)
            }
        }
    }

    /// A strict queue, or with EASY backfilling.
    fn queue(
        &self,
        setting: &Setting<'_>,
        options: &mut Options<'_>,
        backfills: bool,
    ) -> Box<dyn Scheduler> {
        let (platform, reservations) = (setting.platform, setting.reservations);
        let machines = platform.machines();
        let selection = (self.fit.build)(platform, options);
        if self.fit.counts && !self.may_switch() && reservations.is_empty() {
            return Box::new(Counting::new(machines, setting.tie, self.order, backfills));
        }
        let switches = self.switching.switches();
        let pace = if switches {
            switching::pace(platform, options)
        } else if self.gate.bounds() {
            switching::pace_if_said(platform, options)
        } else {
            Pace::still()
        };
        if !reservations.is_empty() && (switches || pace.while_bounded) {
            options.wrong(
                "reserved machines have to be on for those who reserved them, and this policy switches idle \
                 machines off: leave out --reservations, or say --switching none and no shutdown",
            );
        }
        let may_be_off = pace.idle.is_some() || switches;
        let gate = self.gate.build.map(|build| build(setting, options, may_be_off));
        let stage = self.switching.build.map(|build| build(&pace, options));
        let fitting = Fitting::new(self.fit, selection, machines, reservations);
        let opportunistic = || -> Box<dyn Stage> { Box::new(Opportunistic::default()) };
        let stage = stage.or_else(|| pace.while_bounded.then(opportunistic));
        Box::new(Composed::new(machines, self.order, fitting, backfills, pace, gate, stage))
    }

    /// Conservative backfilling.
    fn conservative(
        &self,
        setting: &Setting<'_>,
        options: &mut Options<'_>,
        compression: bool,
    ) -> Box<dyn Scheduler> {
        let (platform, reservations) = (setting.platform, setting.reservations);
        let selection = (self.fit.build)(platform, options);
        let shuts_down =
            self.gate.bounds() && !self.switching.switches() && options.flag("shutdown", false);
        if self.switching.switches() || shuts_down {
            options.wrong(
                "conservative backfilling promises machines to every waiting job, and machines that are \
                 switched off could break a promise: say --backfill easy, or --switching none and no shutdown",
            );
        }
        if self.fit.counts && !reservations.is_empty() {
            options.wrong(
                "reservations are of certain machines, and by count conservative backfilling knows only how \
                 many are free: say --fit set",
            );
        }
        let gate = self.gate.build.map(|build| build(setting, options, false));
        let limits = match gate.map(|gate| gate.limits()) {
            None => Vec::new(),
            Some(Some(limits)) => limits,
            Some(None) => {
                options.wrong(
                    "conservative backfilling promises a start to every waiting job, and what a budget leaves \
                     for it is known only when others were measured: say --backfill easy",
                );
                Vec::new()
            }
        };
        let rested_first = self.rested_first && reservations.is_empty();
        let guarantees =
            Guarantees { order: self.order, compression, limits: &limits, rested_first };
        let machines = platform.machines();
        if self.fit.counts {
            Box::new(Conservative::new(machines, setting.tie, &guarantees))
        } else {
            Box::new(ConservativeSet::new(machines, &guarantees, selection, reservations))
        }
    }
}
