//! `wattbook sbatch` against a real service, with programs in the place of Slurm's that write down what they
//! are called with. A real Slurm is asked in `.ci/slurm`.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use crate::booking::{self, Outcome, say};
use crate::cluster::{Hours, furnish};
use crate::server::Server;
use crate::site::Site;

/// Slurm's programs in a folder of their own.
struct Programs(PathBuf);

const SBATCH: &str = r#"#!/bin/sh
[ "$1" = --version ] && exec echo slurm 99
printf '%s\n' "$@" >"$0.words"
[ -t 0 ] || cat >"$0.input"
[ -z "$REFUSE" ] || { echo "sbatch: error: no" >&2; exit "$REFUSE"; }
echo Submitted batch job 7
exit "${STATUS:-0}"
"#;

impl Programs {
    fn new(folder: &Path) -> Self {
        let programs = Self(folder.join("slurm"));
        fs::create_dir(&programs.0).unwrap();
        programs.put("sbatch", SBATCH);
        programs.put("sinfo", "#!/bin/sh\necho 'batch*|30:00|16'\n");
        programs
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// What sbatch was called with last; nothing where it was not called since.
    fn words(&self) -> Vec<String> {
        let path = self.0.join("sbatch.words");
        let words = fs::read_to_string(&path).unwrap_or_default();
        let _ = fs::remove_file(path);
        words.lines().map(str::to_owned).collect()
    }

    /// Runs `wattbook sbatch` with a script on its standard input.
    fn run(
        &self,
        server: &Server,
        line: &str,
        script: &str,
        variables: &[(&str, &str)],
    ) -> Outcome {
        let mut command = booking::command(server, &format!("sbatch {line}"));
        command.env("WATTBOOK_SBATCH", self.0.join("sbatch")).envs(variables.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.current_dir(&self.0);
        let mut child = command.spawn().unwrap();
        // Who refuses its arguments does not read it.
        let _ = child.stdin.take().unwrap().write_all(script.as_bytes());
        Outcome::of(child.wait_with_output().unwrap())
    }
}

/// A service with four nodes and agendas: cheap in hour 2, clean in hour 4. And the window of six hours.
async fn furnished(site: &Site) -> (Server, Hours, String) {
    let server = site.serve().await;
    let hours = furnish(&server.client(), 4, Some(600.0)).await;
    let window = format!("--begin {} --within 6h", hours.hour(0).trim_end_matches('Z'));
    (server, hours, window)
}

/// With the minute that its reservation has more, an hour.
const SCRIPT: &str = "#!/bin/sh\n#SBATCH -N 2 -t 59\ntrue\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_books_nothing_begins_at_the_best_start() {
    let site = Site::sqlite();
    let (server, hours, window) = furnished(&site).await;
    let programs = Programs::new(site.folder());
    programs.put("job.sh", SCRIPT);

    let line =
        format!("-J a {window} --begin-only --ranking cost_co2_energy job.sh --ranking -N 9");
    let ended = programs.run(&server, &line, "", &[]);
    assert_eq!(
        (ended.code, ended.out.as_str()),
        (Some(0), "Submitted batch job 7\n"),
        "{}",
        ended.err
    );
    let words = programs.words();
    let begin = hours.hour(0);
    let uts = format!("--begin=uts{}", hours.at(2));
    let expected =
        ["-J", "a", "--begin", begin.trim_end_matches('Z'), &uts, "job.sh", "--ranking", "-N", "9"];
    assert_eq!(words, expected);
    assert_eq!(say(&server, "list --format json").json(), serde_json::json!([]));

    // The script on standard input reaches sbatch, whose status is the command's.
    let line = format!("{window} --begin-only --ranking co2_cost_energy -W");
    let ended = programs.run(&server, &line, SCRIPT, &[("STATUS", "9")]);
    assert_eq!((ended.code, ended.out.as_str()), (Some(9), "Submitted batch job 7\n"));
    assert_eq!(programs.words()[3..], [format!("--begin=uts{}", hours.at(4))]);
    assert_eq!(fs::read_to_string(programs.0.join("sbatch.input")).unwrap(), SCRIPT);
    // So does a script from a pipe that has a name, with its arguments.
    let line = format!("{window} --begin-only --ranking co2_cost_energy /dev/stdin -N 9");
    let ended = programs.run(&server, &line, SCRIPT, &[]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert_eq!(
        programs.words()[2..],
        [&format!("--begin=uts{}", hours.at(4)), "/dev/stdin", "-N", "9"]
    );
    assert_eq!(fs::read_to_string(programs.0.join("sbatch.input")).unwrap(), SCRIPT);
    let line = format!("{window} --begin-only --ranking co2_cost_energy -W");
    let ended = programs.run(&server, &line, SCRIPT, &[("REFUSE", "3")]);
    assert_eq!((ended.code, ended.out.as_str()), (Some(3), ""));
    assert!(ended.err.contains("sbatch: error: no"), "{}", ended.err);
}

/// The partition's default limit is half an hour, and the reservation has a minute more; 20 tasks take two nodes of 16 processors.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dry_run_prints_the_offers_and_the_line() {
    let site = Site::sqlite();
    let (server, hours, window) = furnished(&site).await;
    let programs = Programs::new(site.folder());
    let line = format!("{window} --dry-run --ranking cost_co2_energy -n 20 --parsable");
    let ended = programs.run(&server, &line, "#!/bin/sh\n", &[]);
    let shown = ended.json();
    let request = &shown["request"];
    assert_eq!((&request["nodes"], &request["duration_s"]), (&2.into(), &1860.into()));
    assert_eq!(request["search"]["slot_s"], 60, "{shown}");
    assert_eq!(shown["offers"][0]["start"], hours.hour(2), "{shown}");
    let called = shown["sbatch"].as_str().unwrap();
    let end = format!("-n 20 --parsable --reservation=wattbook-ID --begin=uts{}", hours.at(2));
    assert!(called.ends_with(&end), "{called}");

    let line = format!("{window} --dry-run -w n[1-2] -x n0 -t 59");
    let shown = programs.run(&server, &line, "#!/bin/sh\n", &[]).json();
    assert_eq!(shown["request"]["exclude"], serde_json::json!(["n0"]));
    assert_eq!(shown["request"]["only"], serde_json::json!(["n1", "n2"]));
    assert_eq!(shown["offers"][0]["nodes"], serde_json::json!(["n1", "n2"]));

    let ended = programs.run(&server, &format!("{window} --dry-run -N 4"), "#!/bin/sh\n", &[]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    let shown: Value = serde_json::from_str(&ended.out).unwrap();
    assert!(
        shown["sbatch"].is_null() && !shown["reasons"].as_array().unwrap().is_empty(),
        "{shown}"
    );
    assert!(programs.words().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_the_service_does_not_drive_slurm_nothing_stays_booked() {
    let site = Site::sqlite();
    let (server, _, window) = furnished(&site).await;
    let programs = Programs::new(site.folder());
    let line = format!("{window} --ranking cost_co2_energy");
    let ended = programs.run(&server, &line, SCRIPT, &[]);
    assert_eq!((ended.code, ended.out.as_str()), (Some(1), ""), "{}", ended.err);
    assert!(ended.err.contains("the service makes no reservations in Slurm"), "{}", ended.err);
    assert!(ended.err.contains(" is cancelled"), "{}", ended.err);
    let ended = programs.run(&server, &format!("{line} --keep"), SCRIPT, &[]);
    assert!(ended.err.contains("the reservation is kept: "), "{}", ended.err);
    let listed = say(&server, "list --format csv").out;
    let states: Vec<&str> = listed.lines().skip(1).filter_map(|it| it.split(',').nth(2)).collect();
    assert_eq!(states, ["confirmed", "cancelled"], "{listed}");
    assert!(programs.words().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_booked_is_refused_before_anything_is() {
    let site = Site::sqlite();
    let (server, _, window) = furnished(&site).await;
    let programs = Programs::new(site.folder());
    let ranked = format!("{window} --ranking cost_co2_energy");
    for (line, script, told) in [
        (window.as_str(), SCRIPT, "nobody can be asked which start to take"),
        (&format!("{ranked} none.sh"), SCRIPT, "there is no script none.sh"),
        (&ranked, "true\n", "the script must begin with #!"),
        (
            &ranked,
            "#!/bin/sh\n#SBATCH -N 1\n#SBATCH hetjob\n",
            "line 3 of the script: heterogeneous jobs",
        ),
        (&format!("{ranked} -N 1 : -N 2"), SCRIPT, "heterogeneous jobs"),
        (&ranked, "#!/bin/sh\n#SBATCH --within 2h\n", "in a #SBATCH line is no option of sbatch"),
        (&format!("{ranked} -t 2h -N none"), SCRIPT, "--time 2h: is not a time limit"),
        (&format!("{ranked} -a 1-9"), SCRIPT, "--array 1-9: the jobs of an array"),
        (&format!("{ranked} -C a|b"), SCRIPT, "--constraint a|b: the service books nodes"),
        (&format!("{ranked} -w n[3-4]"), SCRIPT, "no node is named \"n4\""),
        (&format!("{ranked} --node 3"), SCRIPT, "--node may be --nodefile or"),
        (&format!("{ranked} --within never"), SCRIPT, "is not a length of time"),
    ] {
        let ended = programs.run(&server, line, script, &[]);
        assert_eq!((ended.code, ended.out.as_str()), (Some(1), ""), "{line}: {}", ended.err);
        assert!(ended.err.contains(told), "{line}: {}", ended.err);
    }
    let ended = programs.run(&server, &ranked, "true\n", &[("SLURM_EXIT_ERROR", "77")]);
    assert_eq!(ended.code, Some(77), "{}", ended.err);
    let line = format!("{ranked} --within never");
    let ended = programs.run(&server, &line, SCRIPT, &[("SLURM_EXIT_ERROR", "77")]);
    assert_eq!(ended.code, Some(77), "{}", ended.err);
    programs.put("sinfo", "#!/bin/sh\necho 'batch*|n/a|16'\n");
    let ended = programs.run(&server, &ranked, "#!/bin/sh\n", &[]);
    assert!(ended.err.contains("give it one with -t"), "{}", ended.err);
    assert_eq!(say(&server, "list --format json").json(), serde_json::json!([]));
    assert!(programs.words().is_empty());

    let nowhere = [("WATTBOOK_SBATCH", "/nowhere/sbatch")];
    let ended = programs.run(&server, &ranked, SCRIPT, &nowhere);
    assert!(ended.err.contains("WATTBOOK_SBATCH says where"), "{}", ended.err);
    // sbatch's own help is no submission.
    for line in ["--hel", "-Hh"] {
        let ended = programs.run(&server, &format!("{line} {ranked}"), SCRIPT, &[]);
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        assert_eq!(programs.words()[0], line);
    }
    assert_eq!(say(&server, "list --format json").json(), serde_json::json!([]));
    let help = programs.run(&server, "-h", "", &[]);
    assert!(
        help.out.contains("--begin-only") && help.out.contains("OPTIONS OF SBATCH"),
        "{}",
        help.out
    );
}
