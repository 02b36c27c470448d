//! What commands do with the folder for their results, and with compressed inputs.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use crate::site::wattbook;

const TRACE: &str =
    "; MaxProcs: 3\n1 100 -1 60 1 -1 -1 1 100 -1 1\n2 101 -1 50 3 -1 -1 3 90 -1 1\n";

fn site() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("trace.swf"), TRACE).unwrap();
    folder
}

fn run(folder: &Path, arguments: &str) -> Output {
    let words: Vec<&str> = arguments.split_whitespace().collect();
    wattbook(&words).current_dir(folder).output().unwrap()
}

fn told(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn results_are_replaced_only_where_that_is_forced() {
    let folder = site();
    let month = "simulate sesames --nodes 44 --requests 5 --runs 1 --out month";
    let batch = "batch run --workload trace.swf --machines 3 --policy easy --out easy";
    for (command, kept, other) in
        [(month, "month/summary.json", "--seed 2"), (batch, "easy/jobs.csv", "")]
    {
        let read = || fs::read(folder.path().join(kept)).unwrap();
        let first = run(folder.path(), command);
        assert!(first.status.success(), "{}", told(&first));
        assert!(told(&first).contains(&format!("wrote {}", kept.split('/').next().unwrap())));
        assert!(told(&first).contains(kept), "{}", told(&first));
        let before = read();
        let again = run(folder.path(), &format!("{command} {other}"));
        assert_eq!(again.status.code(), Some(2), "{}", told(&again));
        assert!(told(&again).contains("replace them with --force"), "{}", told(&again));
        assert_eq!(read(), before);
        let forced = run(folder.path(), &format!("{command} {other} --force"));
        assert!(forced.status.success(), "{}", told(&forced));
    }
}

/// What of another format stood there goes too; a workload that cannot be read changes nothing.
#[test]
fn forced_results_stand_alone_and_bad_input_leaves_what_was_there() {
    let folder = site();
    let batch = "batch run --machines 3 --policy easy --out easy --workload";
    assert!(run(folder.path(), &format!("{batch} trace.swf --format csv,html")).status.success());
    fs::write(folder.path().join("bad.swf"), "1 0 -1 5 1\n2 0 -1 x 1\n").unwrap();
    let bad = run(folder.path(), &format!("{batch} bad.swf --force"));
    assert_eq!(bad.status.code(), Some(2), "{}", told(&bad));
    assert!(folder.path().join("easy/report.html").exists());
    assert!(run(folder.path(), &format!("{batch} trace.swf --force")).status.success());
    assert!(!folder.path().join("easy/report.html").exists());
    assert!(folder.path().join("easy/jobs.csv").exists());
}

#[test]
fn what_is_written_of_workloads_is_told() {
    let folder = site();
    for (command, expected) in [
        ("workload convert trace.swf --out all.json", "wrote all.json: 2 jobs\n"),
        ("workload cut trace.swf --jobs 1 --out first.swf", "wrote first.swf: 1 jobs\n"),
        ("workload generate --jobs 7 --out drawn.swf.gz", "wrote drawn.swf.gz: 7 jobs\n"),
    ] {
        let output = run(folder.path(), command);
        assert_eq!(
            (output.status.success(), told(&output).as_str()),
            (true, expected),
            "{command}"
        );
    }
}

/// The same month from a trace as it is and compressed.
#[test]
fn a_month_reads_compressed_traces() {
    let folder = site();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(TRACE.as_bytes()).unwrap();
    fs::write(folder.path().join("trace.swf.gz"), gzip.finish().unwrap()).unwrap();
    let of = |trace: &str| {
        let month = "simulate sesames --nodes 3 --runs 1 --format json --swf-file";
        let output = run(folder.path(), &format!("{month} {trace}"));
        assert!(output.status.success(), "{}", told(&output));
        output.stdout
    };
    assert!(of("trace.swf") == of("trace.swf.gz"));
}

#[test]
fn help_lists_the_rankings_wherever_one_is_an_argument() {
    let folder = site();
    for command in ["reserve --help", "choose --help", "simulate sesames --help"] {
        let output = run(folder.path(), command);
        let help = String::from_utf8(output.stdout).unwrap();
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for ranking in [
            "energy_cost_co2",
            "energy_co2_cost",
            "cost_energy_co2",
            "cost_co2_energy",
            "co2_energy_cost",
            "co2_cost_energy",
        ] {
            assert!(help.contains(ranking), "{command}: {ranking}");
        }
    }
}
