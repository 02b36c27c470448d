//! Which options policies have: names, defaults and meanings, for people.

use std::fmt::Write;

use super::Policy;

/// An option of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyOption {
    /// Its name.
    pub name: &'static str,
    /// What holds unless it is said.
    pub default: &'static str,
    /// What it says.
    pub meaning: &'static str,
}

const fn of(name: &'static str, default: &'static str, meaning: &'static str) -> PolicyOption {
    PolicyOption { name, default, meaning }
}

/// What can be said with every policy; whoever plays it takes them out.
pub const COMMON_OPTIONS: [PolicyOption; 5] = [
    of("tau_s", "10", "the run time below which slowdowns are bounded, s"),
    of("launch_s", "0", "how long it takes to launch a job, s"),
    of(
        "delay_power",
        "computing for traces, idle for JSON",
        "what machines draw that a job only occupies",
    ),
    of("utilisation", "1", "how hard jobs drive machines that do not say, from 0 to 1"),
    of("job_utilisation", "true for JSON, false for traces", "whether it counts what jobs say"),
];

const COMPRESSION: [PolicyOption; 1] =
    [of("compression", "true", "whether waiting jobs move to earlier places when jobs end early")];

const GROUPS: [PolicyOption; 1] =
    [of("group_size", "as the platform says", "machines on one switch, in order")];

const SLEEPING: [PolicyOption; 6] = [
    of("period_s", "600", "time between decisions on switches, or measurements, s"),
    of("idle_s", "300", "for how long a machine is idle before it is switched off, s, or never"),
    of("sedate_at_events", "true", "idle machines are switched off at every event"),
    of("decide_at_stages", "true", "jobs may start after a periodic decision"),
    of("switch_on_s", "the platform's", "how long switching on is taken to last, s"),
    of("switch_off_s", "the platform's", "how long switching off is taken to last, s"),
];

const OPPORTUNISTIC: [PolicyOption; 1] =
    [of("sedate_while_waking", "false", "periodically machines go off even while others come on")];

const PROPORTIONAL: [PolicyOption; 1] =
    [of("share", "1", "share of machines that stay on, from 0 to 1")];

const INERTIAL: [PolicyOption; 3] = [
    of("threshold_s", "10000", "the mean load horizon from which machines only go on, s"),
    of("growth", "x2", "how many machines follow on n: x2 is 2 n, p1 is n + 1"),
    of("future_switches", "true", "machines that compute may be chosen to go off afterwards"),
];

const CAP: [PolicyOption; 1] = [of("cap_w", "the table --cap", "the cluster's power, W")];

const BUDGET: [PolicyOption; 2] = [
    of("budget_j", "must be said", "the energy that becomes available from from_s to until_s, J"),
    of("follow", "nothing", "price or co2: more becomes available the less energy costs or emits"),
];

const BOUND: [PolicyOption; 5] = [
    of("from_s", "0", "from when on the bound holds, s"),
    of("until_s", "never", "until when; a budget must say it, s"),
    of("idle_estimate_w", "the platform's", "what an idle machine is taken to draw, W"),
    of("computing_estimate_w", "the platform's", "what a computing machine is taken to draw, W"),
    of("shutdown", "false", "opportunistic shutdown while the bound holds"),
];

/// Which policies have which options.
const ALL: [(&[Policy], &[PolicyOption]); 9] = [
    (
        &[
            Policy::Conservative,
            Policy::ConservativeContiguous,
            Policy::ConservativeBestEffortContiguous,
            Policy::ConservativeLocal,
            Policy::ConservativeBestEffortLocal,
        ],
        &COMPRESSION,
    ),
    (&[Policy::ConservativeLocal, Policy::ConservativeBestEffortLocal], &GROUPS),
    (&[Policy::OpportunisticShutdown], &OPPORTUNISTIC),
    (&[Policy::ProportionalShutdown], &PROPORTIONAL),
    (&[Policy::InertialShutdown], &INERTIAL),
    (&[Policy::PowerCap], &CAP),
    (&[Policy::EnergyBud, Policy::ReducePc], &BUDGET),
    (&[Policy::PowerCap, Policy::EnergyBud, Policy::ReducePc], &BOUND),
    (
        &[
            Policy::OpportunisticShutdown,
            Policy::ProportionalShutdown,
            Policy::InertialShutdown,
            Policy::PowerCap,
            Policy::EnergyBud,
            Policy::ReducePc,
        ],
        &SLEEPING,
    ),
];

impl Policy {
    /// Its own options.
    pub fn options(self) -> Vec<&'static PolicyOption> {
        let own = ALL.iter().filter(|(policies, _)| policies.contains(&self));
        own.flat_map(|(_, options)| options.iter()).collect()
    }
}

/// All options as a help text: those of all policies, then of each kind.
pub fn options_help() -> String {
    let mut out = String::from("Options (--option NAME=VALUE) of every policy:\n");
    lines(&mut out, &COMMON_OPTIONS);
    for (policies, options) in ALL {
        let names: Vec<&str> = policies.iter().map(|policy| policy.name()).collect();
        let _ = writeln!(out, "\nOptions of {}:", names.join(", "));
        lines(&mut out, options);
    }
    out + "\nThe last six of power_cap, energy_bud and reduce_pc, but period_s, need shutdown=true; idle_s is then 0 \
           unless it is said."
}

fn lines(out: &mut String, options: &[PolicyOption]) {
    for PolicyOption { name, default, meaning } in options {
        let _ = writeln!(out, "  {name:<21}{meaning} [default: {default}]");
    }
}

/// That there is no such option of `whose`, the nearest of those that there are, and all of them.
pub fn no_option(said: &str, whose: &str, own: &[&str]) -> String {
    let common = COMMON_OPTIONS.map(|option| option.name);
    let names = own.iter().chain(&common).copied();
    let nearest =
        nearest(said, names).map_or(String::new(), |name| format!("did you mean {name}? "));
    let common = common.join(", ");
    let there = match own {
        [] => format!("It has only those of every policy: {common}"),
        own => format!("Its own are {}; those of every policy {common}", own.join(", ")),
    };
    format!("{said} is no option of {whose}: {nearest}{there}")
}

/// The name that is most like what was said, if one is.
pub fn nearest<'a>(said: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let likeness = |name: &str| {
        let apart = strsim::normalized_damerau_levenshtein(said, name);
        // `cap` is near `cap_w`, although much is missing.
        if name.starts_with(said) && said.len() > 2 { apart.max(0.9) } else { apart }
    };
    let near = names.map(|name| (likeness(name), name)).filter(|(likeness, _)| *likeness >= 0.6);
    near.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_is_offered() {
        let own: Vec<&str> =
            Policy::OpportunisticShutdown.options().iter().map(|option| option.name).collect();
        let told = no_option("idel_s", "opportunistic_shutdown", &own);
        assert!(told.starts_with(
            "idel_s is no option of opportunistic_shutdown: did you mean idle_s? Its own"
        ));
        assert!(no_option("cap", "power_cap", &["cap_w"]).contains("did you mean cap_w?"));
        let told = no_option("colour", "easy", &[]);
        let all = "colour is no option of easy: It has only those of every policy: tau_s, launch_s, delay_power, \
                   utilisation, job_utilisation";
        assert_eq!(told, all);
    }

    #[test]
    fn every_option_is_in_the_help() {
        let help = options_help();
        for option in Policy::ALL.iter().flat_map(|policy| policy.options()) {
            assert!(
                help.contains(&format!("  {:<21}{}", option.name, option.meaning)),
                "{}",
                option.name
            );
        }
    }
}
