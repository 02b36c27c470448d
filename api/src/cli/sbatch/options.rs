//! What a job's options are in the end: the command line beats the environment, which beats the script.

use std::collections::BTreeMap;
use std::fmt;

use super::words::SaidOption;

/// The variables of the environment that set options which count here.
const VARIABLES: &[(&str, &str)] = &[
    ("SBATCH_ACCOUNT", "account"),
    ("SBATCH_ARRAY_INX", "array"),
    ("SBATCH_CONSTRAINT", "constraint"),
    ("SBATCH_CORE_SPEC", "core-spec"),
    ("SBATCH_CPUS_PER_GPU", "cpus-per-gpu"),
    ("SBATCH_GPUS", "gpus"),
    ("SBATCH_GPUS_PER_NODE", "gpus-per-node"),
    ("SBATCH_GPUS_PER_SOCKET", "gpus-per-socket"),
    ("SBATCH_GPUS_PER_TASK", "gpus-per-task"),
    ("SBATCH_GRES", "gres"),
    ("SLURM_HINT", "hint"),
    ("SBATCH_HINT", "hint"),
    ("SBATCH_IGNORE_PBS", "ignore-pbs"),
    ("SBATCH_MEM_PER_CPU", "mem-per-cpu"),
    ("SBATCH_MEM_PER_GPU", "mem-per-gpu"),
    ("SBATCH_OVERCOMMIT", "overcommit"),
    ("SBATCH_PARTITION", "partition"),
    ("SBATCH_RESERVATION", "reservation"),
    ("SBATCH_SPREAD_JOB", "spread-job"),
    ("SBATCH_THREADS_PER_CORE", "threads-per-core"),
    ("SBATCH_THREAD_SPEC", "thread-spec"),
    ("SBATCH_TIMELIMIT", "time"),
    ("SBATCH_TRES_PER_TASK", "tres-per-task"),
    ("SBATCH_WAIT", "wait"),
];

/// Names of options that are others by another name.
const SYNONYMS: &[(&str, &str)] = &[("tasks-per-node", "ntasks-per-node")];

/// Where an option was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Script,
    Variable(&'static str),
    CommandLine,
}

/// The options of a job, each as it was set last.
#[derive(Debug, Default)]
pub struct JobOptions(BTreeMap<&'static str, (String, Place)>);

/// An option that is set, as messages name it: `--time 2h (in the script)`.
#[derive(Debug, PartialEq, Eq)]
pub struct NamedOption<'a> {
    name: &'a str,
    /// Its value; empty where it has none.
    pub value: &'a str,
    place: Place,
}

impl JobOptions {
    /// Puts the options of a script, of the environment and of the command line over each other.
    pub fn of(
        script: &[SaidOption],
        variable: impl Fn(&str) -> Option<String>,
        line: &[SaidOption],
    ) -> Self {
        let mut options = Self::default();
        options.put(script, Place::Script);
        for &(name, option) in VARIABLES {
            if let Some(value) = variable(name) {
                options.0.insert(option, (value, Place::Variable(name)));
            }
        }
        options.put(line, Place::CommandLine);
        options
    }

    fn put(&mut self, said: &[SaidOption], place: Place) {
        for SaidOption { name, value } in said {
            let synonym = SYNONYMS.iter().find(|(synonym, _)| synonym == name);
            let name = synonym.map_or(*name, |(_, name)| *name);
            self.0.insert(name, (value.clone().unwrap_or_default(), place));
        }
    }

    /// The option of this full name, where it is set.
    pub fn get<'a>(&'a self, name: &'a str) -> Option<NamedOption<'a>> {
        self.0.get(name).map(|(value, place)| NamedOption { name, value, place: *place })
    }

    /// The value of an option, read by `read`; its error names the option.
    pub fn read<T>(
        &self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        self.get(name)
            .map(|option| read(option.value).map_err(|error| format!("{option}: {error}")))
            .transpose()
    }
}

impl fmt::Display for NamedOption<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--{}", self.name)?;
        if !self.value.is_empty() {
            write!(f, " {}", self.value)?;
        }
        match self.place {
            Place::Script => f.write_str(" (in the script)"),
            Place::Variable(name) => write!(f, " ({name} of the environment)"),
            Place::CommandLine => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(options: &[(&'static str, &str)]) -> Vec<SaidOption> {
        let option = |(name, value): &(&'static str, &str)| SaidOption {
            name,
            value: Some((*value).to_owned()),
        };
        options.iter().map(option).collect()
    }

    /// As the sbatch of Slurm 22.05 has it: of a limit in all three places the command line's counts.
    #[test]
    fn the_command_line_beats_the_environment_which_beats_the_script() {
        let script = said(&[("time", "1"), ("partition", "a"), ("nodes", "2"), ("nodes", "3")]);
        let environment = |name: &str| match name {
            "SBATCH_TIMELIMIT" => Some("2".to_owned()),
            "SBATCH_PARTITION" => Some("b".to_owned()),
            "SLURM_HINT" => Some("nomultithread".to_owned()),
            _ => None,
        };
        let options =
            JobOptions::of(&script, environment, &said(&[("time", "3"), ("tasks-per-node", "4")]));
        let shown = |name| options.get(name).map(|it| it.to_string()).unwrap_or_default();
        assert_eq!(shown("time"), "--time 3");
        assert_eq!(shown("partition"), "--partition b (SBATCH_PARTITION of the environment)");
        assert_eq!(shown("nodes"), "--nodes 3 (in the script)");
        assert_eq!(shown("ntasks-per-node"), "--ntasks-per-node 4");
        assert_eq!(shown("hint"), "--hint nomultithread (SLURM_HINT of the environment)");
        assert_eq!(shown("array"), "");
    }
}
