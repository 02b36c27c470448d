//! Parts, their options and what the named policies are made of, for people.

use std::fmt::Write;

use super::backfill::BackfillPart;
use super::combination::Combination;
use super::fit::FitPart;
use super::gate::{self, GatePart};
use super::named::Policy;
use super::options::{COMMON_OPTIONS, PolicyOption};
use super::order::OrderPart;
use super::part::PartKind;
use super::parts::Parts;
use super::switching::{self, SwitchingPart};

/// All parts and options as a help text: what can be said of every policy, then of each part.
pub fn options_help() -> String {
    let mut out = String::from("Options (--option NAME=VALUE) of every policy:\n");
    lines(&mut out, &COMMON_OPTIONS);
    out += "\nA policy is made of parts, each with options of its own. Parts that are said beside --policy take \
            the place of its own; without --policy the first of each kind holds.\n";
    kind::<OrderPart>(&mut out, "--order: which waiting job is the first", &[]);
    kind::<BackfillPart>(&mut out, "--backfill: who may start before it", &[]);
    kind::<FitPart>(&mut out, "--fit: which machines a job takes", &[]);
    kind::<GatePart>(
        &mut out,
        "--gate: what may start as far as power and energy go",
        &[
            ("every gate but none", gate::OPTIONS),
            ("every gate but none", switching::WHILE_BOUNDED),
            ("every gate but none, and every switching but none", switching::PERIOD),
        ],
    );
    kind::<SwitchingPart>(
        &mut out,
        "--switching: which machines are off",
        &[("every switching but none, and gates with shutdown=true", switching::OPTIONS)],
    );
    out += "\nPolicies that have names:\n";
    for policy in Policy::ALL {
        let _ = writeln!(out, "  {:<37}{}", policy.name(), made_of(policy));
        let options: Vec<&str> =
            Combination::from(policy).options().iter().map(|option| option.name).collect();
        if !options.is_empty() {
            let _ = writeln!(out, "     Options of {policy}: {}", options.join(", "));
        }
    }
    out
}

/// The parts of one kind with their options, then options that several have.
fn kind<P: PartKind>(out: &mut String, title: &str, shared: &[(&str, &[PolicyOption])]) {
    let _ = writeln!(out, "\n{title}");
    for part in P::ALL {
        let about = part.about();
        let _ = writeln!(out, "  {:<29}{}", about.name, about.meaning);
    }
    for part in P::ALL.iter().filter(|part| !part.about().options.is_empty()) {
        let _ = writeln!(out, " Options of {}:", part.about().name);
        lines(out, part.about().options);
    }
    for (whose, options) in shared {
        let _ = writeln!(out, " Options of {whose}:");
        lines(out, options);
    }
}

/// What a named policy is made of, beyond the first part of each kind.
fn made_of(policy: Policy) -> String {
    let Some(Parts { order, backfill, fit, gate, switching, .. }) = policy.parts() else {
        return "no parts: machines are dealt in turn at submission".to_owned();
    };
    let parts = [
        said("order", order),
        said("backfill", backfill),
        said("fit", fit),
        said("gate", gate),
        said("switching", switching),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "the first part of each kind".to_owned() } else { parts.join(" ") }
}

fn said<P: PartKind>(argument: &str, part: &P) -> Option<String> {
    let name = part.about().name;
    let usual = P::ALL.first().is_some_and(|first| first.about().name == name);
    (!usual).then(|| format!("--{argument} {name}"))
}

fn lines(out: &mut String, options: &[PolicyOption]) {
    for PolicyOption { name, default, meaning } in options {
        let _ = writeln!(out, "  {name:<21}{meaning} [default: {default}]");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_is_in_the_help() {
        let help = options_help();
        let options = |policy: &Policy| Combination::from(*policy).options();
        for option in Policy::ALL.iter().flat_map(options) {
            let line = format!("  {:<21}{}", option.name, option.meaning);
            assert!(help.contains(&line), "{}", option.name);
        }
    }

    #[test]
    fn policies_are_told_as_parts() {
        assert_eq!(made_of(Policy::Fcfs), "the first part of each kind");
        let local = "--backfill conservative --fit local";
        assert_eq!(made_of(Policy::ConservativeLocal), local);
    }
}
