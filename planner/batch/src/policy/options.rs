//! Options of policies as names and values: what is declared, what is said, and what is wrong with it.

use std::str::FromStr;

use crate::time::Time;

/// An option of a part or of every policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyOption {
    /// The name of the option.
    pub name: &'static str,
    /// What holds unless the option is said.
    pub default: &'static str,
    /// What the option says.
    pub meaning: &'static str,
}

/// An option with its name, default and meaning.
pub const fn option(
    name: &'static str,
    default: &'static str,
    meaning: &'static str,
) -> PolicyOption {
    PolicyOption { name, default, meaning }
}

/// What can be said with every policy; whoever plays it takes them out.
pub const COMMON_OPTIONS: [PolicyOption; 6] = [
    option("tau_s", "10", "the run time below which slowdowns are bounded, s"),
    option("launch_s", "0", "how long it takes to launch a job, s"),
    option(
        "delay_power",
        "computing for traces, idle for JSON",
        "what machines draw that a job only occupies",
    ),
    option("utilisation", "1", "the utilisation of jobs that do not say, from 0 to 1"),
    option("job_utilisation", "true for JSON, false for traces", "whether it counts what jobs say"),
    option("network", "true", "whether jobs communicate over the platform's network"),
];

/// What is said, what of it was asked for, and what is wrong with it.
#[derive(Debug)]
pub struct Options<'a> {
    said: &'a [(String, String)],
    known: Vec<&'static str>,
    errors: Vec<String>,
}

impl<'a> Options<'a> {
    pub const fn new(said: &'a [(String, String)]) -> Self {
        Self { said, known: Vec::new(), errors: Vec::new() }
    }

    /// Everything that is wrong, where `whose` options are `declared`.
    pub fn finish(mut self, whose: &str, declared: &[&PolicyOption]) -> Result<(), Vec<String>> {
        let own: Vec<&str> = declared.iter().map(|option| option.name).collect();
        for (name, _) in self.said {
            if !own.contains(&name.as_str()) {
                self.errors.push(no_option(name, whose, &own));
            } else if !self.known.contains(&name.as_str()) {
                self.errors.push(format!("{name} of {whose} needs shutdown=true"));
            }
        }
        if self.errors.is_empty() { Ok(()) } else { Err(self.errors) }
    }

    /// What was said and not asked for, in its order.
    ///
    /// # Errors
    /// Everything that is wrong with what was asked for.
    pub fn rest(self) -> Result<Vec<(String, String)>, Vec<String>> {
        let rest = self.said.iter().filter(|(name, _)| !self.known.contains(&name.as_str()));
        if self.errors.is_empty() { Ok(rest.cloned().collect()) } else { Err(self.errors) }
    }

    pub fn wrong(&mut self, error: impl Into<String>) {
        self.errors.push(error.into());
    }

    /// The last value of this name.
    pub fn text(&mut self, name: &'static str) -> Option<&'a str> {
        self.known.push(name);
        self.said.iter().rev().find(|(said, _)| said == name).map(|(_, value)| value.as_str())
    }

    /// The value of this name, as `read` says; `what` it must be.
    pub fn read<T>(
        &mut self,
        name: &'static str,
        what: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(name)?;
        let value = read(text);
        if value.is_none() {
            self.errors.push(format!("{name}: {text:?} is not {what}"));
        }
        value
    }

    /// A number from `least` to `most`.
    pub fn number(&mut self, name: &'static str, least: f64, most: f64) -> Option<f64> {
        let what = format!("a number from {least} to {most}");
        let read =
            |text: &str| f64::from_str(text).ok().filter(|value| (least..=most).contains(value));
        self.read(name, &what, read)
    }

    /// A length of time, s.
    pub fn time(&mut self, name: &'static str) -> Option<Time> {
        self.read(name, "a time in seconds", seconds)
    }

    /// A length of time above nothing, s.
    pub fn period(&mut self, name: &'static str, default: Time) -> Time {
        let read = |text: &str| seconds(text).filter(|time| *time > Time::ZERO);
        self.read(name, "a time in seconds above 0", read).unwrap_or(default)
    }

    /// True or false.
    pub fn flag(&mut self, name: &'static str, default: bool) -> bool {
        self.flag_if_said(name).unwrap_or(default)
    }

    /// True or false, where it is said.
    pub fn flag_if_said(&mut self, name: &'static str) -> Option<bool> {
        self.read(name, "true or false", |text| text.parse().ok())
    }

    /// A time, or `never`.
    pub fn time_or_never(&mut self, name: &'static str, default: Option<Time>) -> Option<Time> {
        let read = |text: &str| match text {
            "never" => Some(None),
            text => seconds(text).map(Some),
        };
        self.read(name, "a time in seconds, or never", read).unwrap_or(default)
    }
}

/// A length of time.
fn seconds(text: &str) -> Option<Time> {
    Time::parse_seconds(text).filter(|time| *time >= Time::ZERO)
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
        let own = ["period_s", "idle_s"];
        let told = no_option("idel_s", "opportunistic_shutdown", &own);
        assert!(told.starts_with(
            "idel_s is no option of opportunistic_shutdown: did you mean idle_s? Its own"
        ));
        assert!(no_option("cap", "power_cap", &["cap_w"]).contains("did you mean cap_w?"));
        let told = no_option("colour", "easy", &[]);
        let all = "colour is no option of easy: It has only those of every policy: tau_s, launch_s, delay_power, \
                   utilisation, job_utilisation, network";
        assert_eq!(told, all);
    }
}
