//! The options of a simulation that do not depend on its policy, as typed values.

use super::utilisation::UtilisationRules;
use crate::job::Utilisation;
use crate::policy::Options;
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
    /// Whether jobs communicate over the platform's network, where it has one.
    pub network: bool,
}

impl Default for SimulationOptions {
    fn default() -> Self {
        let utilisation = UtilisationRules::default();
        Self { tau: summary::TAU, launch: Time::ZERO, utilisation, network: true }
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
        let mut options = Options::new(said);
        let default = Self::default();
        let draws = |text: &str| match text {
            "idle" => Some(false),
            "computing" => Some(true),
            _ => None,
        };
        let read = Self {
            tau: options.time("tau_s").unwrap_or(default.tau),
            launch: options.time("launch_s").unwrap_or(default.launch),
            utilisation: UtilisationRules {
                delays_compute: options.read("delay_power", "idle or computing", draws),
                otherwise: options.number("utilisation", 0.0, 1.0).and_then(Utilisation::of),
                as_jobs_say: options.flag_if_said("job_utilisation"),
            },
            network: options.flag_if_said("network").unwrap_or(default.network),
        };
        Ok((read, options.rest()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::COMMON_OPTIONS;

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
    fn everything_that_is_declared_is_read() {
        for option in COMMON_OPTIONS {
            assert!(read(&[(option.name, "?")]).is_err(), "{}", option.name);
        }
    }

    #[test]
    fn every_wrong_value_is_named() {
        let said = [
            ("launch_s", "-1"),
            ("delay_power", "much"),
            ("utilisation", "2"),
            ("job_utilisation", "1"),
            ("network", "no"),
        ];
        let expected = [
            r#"launch_s: "-1" is not a time in seconds"#,
            r#"delay_power: "much" is not idle or computing"#,
            r#"utilisation: "2" is not a number from 0 to 1"#,
            r#"job_utilisation: "1" is not true or false"#,
            r#"network: "no" is not true or false"#,
        ];
        assert_eq!(read(&said).unwrap_err(), expected);
    }
}
