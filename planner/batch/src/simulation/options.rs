//! The options of a simulation that do not depend on its policy, as typed values.

use super::utilisation::UtilisationRules;
use crate::job::Utilisation;
use crate::summary;
use crate::time::Time;

/// Options that every policy has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimulationOptions {
    /// The run time below which slowdowns are bounded.
    pub tau: Time,
    /// How long it takes to launch a job.
    pub launch: Time,
    /// The utilisation of machines by jobs.
    pub utilisation: UtilisationRules,
}

impl Default for SimulationOptions {
    fn default() -> Self {
        let utilisation = UtilisationRules::default();
        Self { tau: summary::TAU, launch: Time::ZERO, utilisation }
    }
}

/// Options as names and values.
pub type NamedOptions = Vec<(String, String)>;

impl SimulationOptions {
    /// Reads the options of every policy out of names and values; the others, which are the policy's own,
    /// are given back in their order. Of several values for a name the last counts.
    ///
    /// # Errors
    /// Every value that its option cannot have, beginning with the option's name.
    pub fn read(said: &[(String, String)]) -> Result<(Self, NamedOptions), Vec<String>> {
        let (mut options, mut others, mut errors) = (Self::default(), Vec::new(), Vec::new());
        for (name, value) in said {
            match options.set(name, value) {
                Ok(true) => {}
                Ok(false) => others.push((name.clone(), value.clone())),
                Err(expected) => errors.push(format!("{name}: {value:?} {expected}")),
            }
        }
        if errors.is_empty() { Ok((options, others)) } else { Err(errors) }
    }

    /// Sets an option; whether it is one of every policy.
    fn set(&mut self, name: &str, value: &str) -> Result<bool, &'static str> {
        let rules = &mut self.utilisation;
        match name {
            "tau_s" => self.tau = seconds(value)?,
            "launch_s" => self.launch = seconds(value)?,
            "delay_power" => {
                let power = one_of(value, [("idle", false), ("computing", true)]);
                rules.delays_compute = Some(power.ok_or("is neither idle nor computing")?);
            }
            "utilisation" => {
                let share = value.parse().ok().and_then(Utilisation::of);
                rules.otherwise = Some(share.ok_or("is not a number from 0 to 1")?);
            }
            "job_utilisation" => {
                let flag = one_of(value, [("true", true), ("false", false)]);
                rules.as_jobs_say = Some(flag.ok_or("is neither true nor false")?);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

fn seconds(value: &str) -> Result<Time, &'static str> {
    let time = value.parse().ok().and_then(Time::from_seconds_f64);
    time.filter(|time| *time >= Time::ZERO).ok_or("is not a time in seconds")
}

fn one_of(value: &str, words: [(&str, bool); 2]) -> Option<bool> {
    words.into_iter().find(|(word, _)| *word == value).map(|(_, meaning)| meaning)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(said: &[(&str, &str)]) -> Result<(SimulationOptions, NamedOptions), Vec<String>> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        SimulationOptions::read(&said.iter().map(owned).collect::<NamedOptions>())
    }

    #[test]
    fn options_of_every_policy_are_typed_and_the_others_given_back() {
        let said = [("tau_s", "60"), ("period_s", "9"), ("delay_power", "idle"), ("tau_s", "0.5")];
        let (options, others) = read(&said).unwrap();
        assert_eq!(options.tau, Time::from_micros(500_000));
        assert_eq!(options.utilisation.delays_compute, Some(false));
        assert_eq!(others, [("period_s".to_owned(), "9".to_owned())]);
        assert_eq!(read(&[]).unwrap().0, SimulationOptions::default());
    }

    #[test]
    fn every_wrong_value_is_named() {
        let said = [
            ("launch_s", "-1"),
            ("delay_power", "much"),
            ("utilisation", "2"),
            ("job_utilisation", "1"),
        ];
        let expected = [
            r#"launch_s: "-1" is not a time in seconds"#,
            r#"delay_power: "much" is neither idle nor computing"#,
            r#"utilisation: "2" is not a number from 0 to 1"#,
            r#"job_utilisation: "1" is neither true nor false"#,
        ];
        assert_eq!(read(&said).unwrap_err(), expected);
    }
}
