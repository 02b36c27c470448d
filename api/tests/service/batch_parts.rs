//! Batch policies that are said by their parts, for `batch run` and `batch sweep`.

use std::fs;
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

use crate::site::wattbook;

/// Four jobs on three machines: one of 1 machine and 10 s at most, which ends after 6 s; at 1 s one of 3 and 9 s, at 3 s one
/// of 1 and 8 s, at 4 s one of 1 and 6 s.
const TRACE: &str = "\
; MaxProcs: 3
1 0 -1 6 1 -1 -1 1 10 -1 1
2 1 -1 5 3 -1 -1 3 9 -1 1
3 3 -1 8 1 -1 -1 1 8 -1 1
4 4 -1 6 1 -1 -1 1 6 -1 1
";

const SWEEP: &str = r#"
[[workloads]]
file = "trace.swf"
[[policies]]
order = ["fcfs", "sjf"]
backfill = "easy"
[[policies]]
policy = "conservative"
fit = "contiguous"
"#;

struct Site(TempDir);

impl Site {
    fn new() -> Self {
        let site = Self(TempDir::new().unwrap());
        site.write("trace.swf", TRACE);
        site
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    fn run(&self, arguments: &str) -> Output {
        let words: Vec<&str> = arguments.split(' ').collect();
        wattbook(&words).current_dir(self.0.path()).output().unwrap()
    }

    fn summary(&self, parts: &str) -> Value {
        let output = self.run(&format!("batch run --workload trace.swf {parts}"));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn refused(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        String::from_utf8(output.stderr).unwrap()
    }
}

/// The shortest first: jobs 3 and 4 go before job 2 and start when they come, until 11 and 10 s; job 2 has all machines
/// from 11 to 16 s. In the order of submission job 3 would delay job 2: it runs from 15 to 23 s.
#[test]
fn parts_make_a_policy_and_take_the_place_of_its_own() {
    let site = Site::new();
    for (said, name) in [
        ("--order sjf --backfill easy", "composed"),
        ("--policy easy --order sjf", "easy"),
        ("--policy sjf --backfill easy", "sjf"),
    ] {
        let summary = site.summary(said);
        assert_eq!((&summary["policy"], &summary["makespan"]), (&name.into(), &16.0.into()));
        let parts = ["order", "backfill", "fit", "gate", "switching"].map(|kind| &summary[kind]);
        assert_eq!(parts, ["sjf", "easy", "count", "none", "none"]);
    }
    let summary = site.summary("--policy easy");
    assert_eq!((&summary["makespan"], &summary["order"]), (&23.0.into(), &Value::Null));
    // An allocation is no part that is said, and one with a fit of its own keeps that.
    let told = "--policy conservative_contiguous --allocation count";
    let summary = site.summary(told);
    assert_eq!((&summary["allocation"], &summary["fit"]), (&"set".into(), &Value::Null));
    assert_eq!(site.summary("--policy easy --allocation set")["allocation"], "set");
    assert_eq!(site.summary("--policy easy --fit contiguous")["allocation"], "set");
}

#[test]
fn parts_that_do_not_go_together_are_refused() {
    let site = Site::new();
    let run = "batch run --workload trace.swf";
    for (said, told) in [
        ("--policy round_robin --order sjf", "so it has no queue for the order sjf"),
        ("--policy external --fit set", "has no use for the fit set"),
        ("--order fifo", "[possible values: fcfs, sjf, ljf, priority_rule, plan, fairshare,"),
        ("--backfill easy --fit set --tie pyss", "--tie pyss needs --fit count"),
        ("--backfill easy --option compression=true", "compression is no option of composed"),
        ("", "--policy"),
    ] {
        let error = site.refused(format!("{run} {said}").trim_end());
        assert!(error.contains(told), "{said}: {error}");
    }
}

#[test]
fn sweeps_combine_parts() {
    let site = Site::new();
    site.write("sweep.toml", SWEEP);
    assert!(site.run("batch sweep sweep.toml --out out").status.success());
    let mut reader = csv::Reader::from_path(site.0.path().join("out/results.csv")).unwrap();
    let rows: Vec<std::collections::HashMap<String, String>> =
        reader.deserialize().map(Result::unwrap).collect();
    let of = |name: &str| rows.iter().map(|row| row[name].clone()).collect::<Vec<String>>();
    assert_eq!(of("policy"), ["composed", "composed", "conservative"]);
    assert_eq!(of("order"), ["fcfs", "sjf", "fcfs"]);
    assert_eq!(of("fit"), ["count", "count", "contiguous"]);
    assert_eq!(of("makespan")[..2], ["23.0", "16.0"]);
    for (good, wrong, line, told) in [
        (
            "backfill = \"easy\"",
            "backfill = \"eas\"",
            6,
            "backfill: \"eas\" is no backfill: none, easy",
        ),
        (
            "order = [\"fcfs\", \"sjf\"]\nbackfill = \"easy\"",
            "tie = \"batch\"",
            4,
            "policy: there must be one",
        ),
        (
            "fit = \"contiguous\"",
            "fit = \"set\"\nallocation = \"set\"",
            10,
            "allocation: fit says it already",
        ),
    ] {
        site.write("wrong.toml", &SWEEP.replace(good, wrong));
        let error = site.refused("batch sweep wrong.toml --out other");
        assert!(error.contains(&format!("wrong.toml: line {line}: {told}")), "{told}: {error}");
    }
}
