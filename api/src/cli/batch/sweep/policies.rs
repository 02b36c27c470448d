//! Policies, parts, ties and options of the file of a sweep, combined.

use batch::policy::{Combination, PartKind, Policy};
use clap::ValueEnum;
use serde::Deserialize;
use toml::{Spanned, Value};

use super::super::arguments::{Decider, TieArgument};
use super::super::parts::PartArguments;
use super::text::{Entries, MOST, Text, parsed};

/// Policies, as the file has them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyEntry {
    policy: Option<Spanned<Value>>,
    order: Option<Spanned<Value>>,
    backfill: Option<Spanned<Value>>,
    fit: Option<Spanned<Value>>,
    allocation: Option<Spanned<Value>>,
    gate: Option<Spanned<Value>>,
    switching: Option<Spanned<Value>>,
    tie: Option<Spanned<Value>>,
    #[serde(default)]
    options: Entries,
}

/// A policy with one value for each of its parameters.
pub struct SweptPolicy {
    pub line: usize,
    /// The policy that has a name, where one is said.
    policy: Option<Policy>,
    /// Parts in place of its own.
    pub parts: PartArguments,
    pub tie: TieArgument,
    /// Name, value and line.
    pub options: Vec<(String, String, usize)>,
}

impl SweptPolicy {
    /// What is played.
    pub fn combination(&self) -> Combination {
        self.parts.combined(self.policy)
    }
}

/// Every combination that an entry stands for: the last parameter changes fastest.
pub fn combinations(
    text: &mut Text<'_>,
    shared: &Entries,
    entry: &Spanned<PolicyEntry>,
) -> Vec<SweptPolicy> {
    let line = text.line(entry.span().start);
    let entry = entry.get_ref();
    let policies = policies(text, line, entry);
    let parts = parts(text, entry);
    let ties = match &entry.tie {
        None => vec![TieArgument::default()],
        Some(ties) => parsed(text, "tie", ties, |value| {
            TieArgument::from_str(value, false).map_err(|_| "is no value of it".to_owned())
        }),
    };
    let mut options: Vec<Vec<(String, String, usize)>> = vec![Vec::new()];
    let own = |name: &Spanned<String>| entry.options.keys().any(|own| own == name);
    let shared = shared.iter().filter(|(name, _)| !own(name));
    let mut named: Vec<_> = shared.chain(&entry.options).collect();
    named.sort_by_key(|(name, _)| name.span().start);
    for (name, values) in named {
        let at = text.line(name.span().start);
        let values = parsed(text, name.get_ref(), values, |value| Ok(value.to_owned()));
        let with = |way: &Vec<_>, value: &String| {
            let mut longer = way.clone();
            longer.push((name.get_ref().clone(), value.clone(), at));
            longer
        };
        if options.len().saturating_mul(values.len()) > MOST {
            text.wrong(at, format!("there are more than {MOST} combinations"));
            return Vec::new();
        }
        options =
            options.iter().flat_map(|way| values.iter().map(|value| with(way, value))).collect();
    }
    let mut combined = Vec::new();
    for &policy in &policies {
        for &parts in &parts {
            for &tie in &ties {
                let with = |options: &Vec<_>| SweptPolicy {
                    line,
                    policy,
                    parts,
                    tie,
                    options: options.clone(),
                };
                combined.extend(options.iter().map(with));
            }
        }
    }
    combined
}

/// The policies of an entry: one without a name where only parts are said.
fn policies(text: &mut Text<'_>, line: usize, entry: &PolicyEntry) -> Vec<Option<Policy>> {
    let Some(policies) = &entry.policy else {
        let PolicyEntry { order, backfill, fit, gate, switching, .. } = entry;
        if [order, backfill, fit, gate, switching].iter().all(|part| part.is_none()) {
            text.wrong(line, "policy: there must be one, or parts such as order and backfill");
        }
        return vec![None];
    };
    parsed(text, "policy", policies, |name| match name.parse()? {
        Decider::External => Err("cannot play in a sweep".to_owned()),
        Decider::Policy(policy) => Ok(Some(policy)),
    })
}

/// The combinations of an entry's parts.
fn parts(text: &mut Text<'_>, entry: &PolicyEntry) -> Vec<PartArguments> {
    let mut all = vec![PartArguments::default()];
    let fits = |said: &mut PartArguments, fit| said.fit = Some(fit);
    combine(text, &mut all, "order", entry.order.as_ref(), |said, it| said.order = Some(it));
    combine(text, &mut all, "backfill", entry.backfill.as_ref(), |said, it| {
        said.backfill = Some(it);
    });
    combine(text, &mut all, "fit", entry.fit.as_ref(), fits);
    combine(text, &mut all, "allocation", entry.allocation.as_ref(), |said, it| {
        said.allocation = Some(it);
    });
    combine(text, &mut all, "gate", entry.gate.as_ref(), |said, it| said.gate = Some(it));
    combine(text, &mut all, "switching", entry.switching.as_ref(), |said, it| {
        said.switching = Some(it);
    });
    if let (Some(_), Some(allocation)) = (&entry.fit, &entry.allocation) {
        let line = text.line(allocation.span().start);
        text.wrong(line, "allocation: fit says it already");
    }
    all
}

/// Combines each of some parts with all that are said of one kind.
fn combine<P: PartKind>(
    text: &mut Text<'_>,
    all: &mut Vec<PartArguments>,
    name: &str,
    values: Option<&Spanned<Value>>,
    set: impl Fn(&mut PartArguments, &'static P),
) {
    let Some(values) = values else { return };
    let named =
        parsed(text, name, values, |value| P::named(value).map_err(|error| error.to_string()));
    *all = all
        .iter()
        .flat_map(|before| {
            named.iter().map(|part| {
                let mut said = *before;
                set(&mut said, part);
                said
            })
        })
        .collect();
}
