//! The options that sbatch has in Slurm 22.05 to 26.05, and those that `wattbook sbatch` adds to them: their
//! names and whether they take a value, so that what is an option can be told from what is not.

/// Whether an option takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// It takes none.
    Nothing,
    /// It takes one, which may be the next word.
    Value,
    /// It may take one, in the same word only: `--nice=5`.
    Perhaps,
}

/// Options of sbatch that take no value.
const WITHOUT_VALUE: &[&str] = &[
    "consolidate-segments",
    "contiguous",
    "external",
    "help",
    "hold",
    "ignore-pbs",
    "no-requeue",
    "overcommit",
    "oversubscribe",
    "parsable",
    "quiet",
    "reboot",
    "spread-job",
    "spread-segments",
    "stepmgr",
    "test-only",
    "usage",
    "use-min-nodes",
    "verbose",
    "version",
    "wait",
];

/// Options of sbatch that may take a value in the same word.
const PERHAPS_VALUE: &[&str] = &[
    "exclusive",
    "get-user-env",
    "nice",
    "no-kill",
    "oom-kill-step",
    "propagate",
    "requeue",
    "resv-ports",
];

/// Options of sbatch that take a value.
const WITH_VALUE: &[&str] = &[
    "account",
    "acctg-freq",
    "array",
    "autocomplete",
    "batch",
    "bb",
    "bbf",
    "begin",
    "chdir",
    "cluster",
    "cluster-constraint",
    "clusters",
    "comment",
    "constraint",
    "container",
    "container-id",
    "container-type",
    "context",
    "core-spec",
    "cores-per-socket",
    "cpu-freq",
    "cpus-per-gpu",
    "cpus-per-task",
    "deadline",
    "delay-boot",
    "dependency",
    "distribution",
    "error",
    "exclude",
    "export",
    "export-file",
    "extra",
    "extra-node-info",
    "gid",
    "gpu-bind",
    "gpu-freq",
    "gpus",
    "gpus-per-node",
    "gpus-per-socket",
    "gpus-per-task",
    "gres",
    "gres-flags",
    "hint",
    "input",
    "job-name",
    "kill-on-invalid-dep",
    "licenses",
    "mail-type",
    "mail-user",
    "mcs-label",
    "mem",
    "mem-bind",
    "mem-per-cpu",
    "mem-per-gpu",
    "mem-update",
    "mincpus",
    "network",
    "nodefile",
    "nodelist",
    "nodes",
    "ntasks",
    "ntasks-per-core",
    "ntasks-per-gpu",
    "ntasks-per-node",
    "ntasks-per-socket",
    "ntasks-per-tres",
    "open-mode",
    "output",
    "partition",
    "power",
    "prefer",
    "priority",
    "profile",
    "qos",
    "reservation",
    "resources",
    "segment",
    "signal",
    "sockets-per-node",
    "switches",
    "tasks-per-node",
    "thread-spec",
    "threads-per-core",
    "time",
    "time-min",
    "tmp",
    "tres-bind",
    "tres-per-task",
    "uid",
    "wait-all-nodes",
    "wckey",
    "wrap",
];

/// The letters of sbatch's options.
const LETTERS: &[(char, &str)] = &[
    ('A', "account"),
    ('a', "array"),
    ('B', "extra-node-info"),
    ('b', "begin"),
    ('C', "constraint"),
    ('c', "cpus-per-task"),
    ('D', "chdir"),
    ('d', "dependency"),
    ('e', "error"),
    ('F', "nodefile"),
    ('G', "gpus"),
    ('H', "hold"),
    ('h', "help"),
    ('i', "input"),
    ('J', "job-name"),
    ('k', "no-kill"),
    ('L', "licenses"),
    ('M', "clusters"),
    ('m', "distribution"),
    ('N', "nodes"),
    ('n', "ntasks"),
    ('O', "overcommit"),
    ('o', "output"),
    ('p', "partition"),
    ('Q', "quiet"),
    ('q', "qos"),
    ('S', "core-spec"),
    ('s', "oversubscribe"),
    ('t', "time"),
    ('V', "version"),
    ('v', "verbose"),
    ('W', "wait"),
    ('w', "nodelist"),
    ('x', "exclude"),
];

/// Options of `wattbook sbatch` that sbatch does not have.
const OWN: &[(&str, Takes)] = &[
    ("begin-only", Takes::Nothing),
    ("dry-run", Takes::Nothing),
    ("give-back", Takes::Nothing),
    ("keep", Takes::Nothing),
    ("latest-end", Takes::Value),
    ("patience", Takes::Value),
    ("ranking", Takes::Value),
    ("token-file", Takes::Value),
    ("url", Takes::Value),
    ("within", Takes::Value),
];

/// Which of the added options this is; their names are not shortened.
pub fn own(name: &str) -> Option<Takes> {
    OWN.iter().find(|(own, _)| *own == name).map(|(_, takes)| *takes)
}

/// The option of sbatch with this letter.
pub fn by_letter(letter: char) -> Option<(&'static str, Takes)> {
    let (_, name) = LETTERS.iter().find(|(known, _)| *known == letter)?;
    all().find(|(known, _)| known == name)
}

/// The option of sbatch with this name, or the only one that begins so: sbatch takes shortened names.
/// `None` for names that no version known here has.
///
/// # Errors
/// Says which there are where several begin so.
pub fn by_name(name: &str) -> Result<Option<(&'static str, Takes)>, String> {
    if let Some(whole) = all().find(|(known, _)| *known == name) {
        return Ok(Some(whole));
    }
    let meant: Vec<_> = all().filter(|(known, _)| known.starts_with(name)).collect();
    match meant.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(*one)),
        several => {
            let names: Vec<String> = several.iter().map(|(it, _)| format!("--{it}")).collect();
            Err(format!("--{name} may be {}: say more of it", names.join(" or ")))
        }
    }
}

fn all() -> impl Iterator<Item = (&'static str, Takes)> {
    let kinds = [
        (WITHOUT_VALUE, Takes::Nothing),
        (PERHAPS_VALUE, Takes::Perhaps),
        (WITH_VALUE, Takes::Value),
    ];
    kinds.into_iter().flat_map(|(names, takes)| names.iter().map(move |name| (*name, takes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_be_shortened_as_long_as_one_is_meant() {
        for (said, name) in [
            ("nodes", Ok(Some("nodes"))),
            ("time", Ok(Some("time"))), // not time-min
            ("part", Ok(Some("partition"))),
            ("wra", Ok(Some("wrap"))),
            ("launch", Ok(None)),
            ("node", Err("--node may be --nodefile or --nodelist or --nodes: say more of it")),
        ] {
            let found = by_name(said).map(|it| it.map(|(name, _)| name));
            assert_eq!(found, name.map_err(str::to_owned), "{said}");
        }
    }

    #[test]
    fn every_letter_is_an_option_and_none_of_ours_is_one_of_sbatch() {
        for (letter, name) in LETTERS {
            assert_eq!(by_letter(*letter).map(|(it, _)| it), Some(*name));
        }
        assert!(OWN.iter().all(|(name, _)| by_name(name) == Ok(None)));
    }
}
