//! Reports by job, and reports joined with what Slurm's sacct prints.

use std::process::Output;
use std::time::Duration;

use serde_json::{Value, json};

use crate::cluster::instant;
use crate::ledger::{EVENING, HOUR, furnish, rows, serve_with, stated_to, text};
use crate::server::Server;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    jobs_are_reported_and_joined_with_accounting,
    hours_of_earlier_releases_are_not_stated_anew_for_their_jobs_submissions,
}

/// What is known of a job: its id, raw id, submission, first and last second, and its node, times in seconds of the
/// evening.
type Job<'a> = (&'a str, i64, i64, i64, i64, &'a str);

/// Puts bob's jobs into a reservation around the service, as the link to Slurm does.
async fn put_jobs(site: &Site, reservation: &Value, jobs: &[Job<'_>]) {
    let id = reservation["id"].as_str().unwrap();
    let id =
        if site.is_postgres() { format!("'{id}'") } else { format!("X'{}'", id.replace('-', "")) };
    for (job, raw_id, submitted, start, end, node) in jobs {
        let [submitted, start, end] = [submitted, start, end].map(|second| EVENING + second);
        site.execute(format!(
            "INSERT INTO managed_jobs (id, submitted_s, reservation_id, user_name, account, partition_name, job_name,
                state, phase, start_s, end_s, limit_s, nodes, ran_in, energy_uj, raw_id)
            VALUES ('{job}', {submitted}, {id}, 'bob', 'chemistry', 'batch', 'a', 'COMPLETED', 'ended', {start}, {end},
                NULL, '{node}', 'r', NULL, {raw_id})"
        ))
        .await;
    }
}

/// The job 7 ran for half an hour of 21:00 to 22:00, then another one with its id, and beside both the task `9_1`.
async fn with_jobs(site: &Site, tokens: &[String; 2]) {
    let reservation = furnish(site, &tokens[0], &tokens[1]).await;
    let node = |index: usize| reservation["offers"][0]["nodes"][index].as_str().unwrap();
    let (one, other) = (node(0), node(1));
    let jobs = [
        ("7", 7, HOUR - 60, HOUR, HOUR + 1800, one),
        ("7", 7, HOUR + 1700, HOUR + 1800, 2 * HOUR, one),
        ("9_1", 10, HOUR - 30, HOUR, 2 * HOUR, other),
    ];
    put_jobs(site, &reservation, &jobs).await;
}

fn report(site: &Site, server: &Server, operator: &str, arguments: &[&str]) -> Output {
    let (from, to) = (instant(EVENING + HOUR), instant(EVENING + 3 * HOUR));
    let mut program = site.command(&["report", "--from", &from, "--to", &to]);
    program.args(arguments).args(["--url", &server.address]);
    program.env("WATTBOOK_TOKEN", operator).output().unwrap()
}

/// The cells of some columns of a table in CSV, line by line.
fn cells(table: &str, columns: &[&str]) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let header = reader.headers().unwrap().clone();
    let place = |name: &&str| header.iter().position(|it| it == *name).unwrap();
    let places: Vec<usize> = columns.iter().map(place).collect();
    let line = |line: csv::Result<csv::StringRecord>| {
        let line = line.unwrap();
        places.iter().map(|&place| line[place].to_owned()).collect()
    };
    reader.records().map(line).collect()
}

/// A node in use draws 150 W, so that the jobs took 270,000 J = 0.075 kWh, the same again, and 540,000 J = 0.15 kWh.
/// Until 22:30 the reservation's 540,000 J more are ada's.
async fn jobs_are_reported_and_joined_with_accounting(site: Site) {
    let tokens = [site.token("operator", "operator"), site.token("ada", "user")];
    with_jobs(&site, &tokens).await;
    let server = serve_with(&site, (EVENING + 4 * HOUR, 1), "", "").await;
    stated_to(&server.client().with_token(&tokens[0]), 3).await;
    let run = |arguments: &[&str]| report(&site, &server, &tokens[0], arguments);
    let submitted = [HOUR - 60, HOUR + 1700, HOUR - 30].map(|second| instant(EVENING + second));
    let by_job = text(&run(&["--by", "job,user", "--format", "csv"]));
    assert!(by_job.starts_with("cluster,job_id,job_raw_id,submitted,user,node_hours_reserved,"));
    let columns = ["cluster", "job_id", "job_raw_id", "submitted", "user", "energy_kwh"];
    let found = cells(&by_job, &columns);
    for expected in [
        ["", "7", "7", &submitted[0], "bob", "0.075"],
        ["", "7", "7", &submitted[1], "bob", "0.075"],
        ["", "9_1", "10", &submitted[2], "bob", "0.15"],
        ["", "", "", "", "ada", "0.15"],
    ] {
        assert!(found.iter().any(|line| line == &expected), "{expected:?} in {found:?}");
    }
    joined(&site, run, &submitted);
    refused(&site, run);
}

/// By the file carol ran the first job 7 and `9_1`, and a job 8 of hers is not in the ledger. Of the second job 7 it says
/// nothing: it is bob's, as Slurm said.
fn joined(site: &Site, run: impl Fn(&[&str]) -> Output, submitted: &[String; 3]) {
    let [first, _, task] = submitted;
    let file = format!(
        "Cluster|JobIDRaw|JobID|Submit|User|Account|Partition|JobName|State\n\
         alpha|7|7|{first}|carol|physics|long|wrf|COMPLETED\n\
         alpha|7.batch|7.batch|{first}||physics||batch|COMPLETED\n\
         alpha|10|9_1|{task}|carol|physics|long|wrf|RUNNING\n\
         alpha|10|9_1|{task}|carol|physics|long|wrf|COMPLETED\n\
         alpha|8|8|{first}|carol|physics|long|wrf|FAILED\n"
    );
    std::fs::write(site.folder().join("jobs.txt"), file).unwrap();
    let output =
        run(&["--sacct", "jobs.txt", "--by", "user,project,application", "--format", "csv"]);
    let told = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(told.contains("jobs.txt: 1 lines are of jobs that stand again"), "{told}");
    assert!(
        told.contains("jobs.txt: 2 jobs have rows in the ledger, 1 have none; 1 jobs of"),
        "{told}"
    );
    let table = text(&output);
    let plain = text(&run(&["--by", "user,project,application", "--format", "csv"]));
    assert_eq!(table.lines().next(), plain.lines().next());
    let found = cells(&table, &["user", "project", "application", "energy_kwh", "cost"]);
    // 2e-8 EUR/J. Nobody's are the idle nodes and the facility.
    let expected = [
        ["", "", "", "0.975", "0.0702"],
        ["ada", "ocean", "", "0.15", "0.0108"],
        ["bob", "ocean", "", "0.075", "0.0054"],
        ["carol", "physics", "wrf", "0.225", "0.0162"],
    ];
    assert_eq!(found, expected);
    // What was added up again is what the API adds up, but for whose it is. Water alone is rounded job by job, to the
    // millilitre: 0.1575 l twice, 0.315 l twice, and 1.81 l of nobody's.
    let all = |arguments: &[&str]| {
        let table = text(&run(&[arguments, &["--by", "month", "--format", "csv"]].concat()));
        table.replace(",2.756,", ",2.755,")
    };
    assert_eq!(all(&["--sacct", "jobs.txt"]), all(&[]));
    let by_job = text(&run(&["--sacct", "jobs.txt", "--by", "job", "--format", "csv"]));
    assert!(by_job.lines().next().unwrap().ends_with(",State,co2_accounting,other_co2_accounting"));
    let found = cells(&by_job, &["cluster", "job_id", "energy_kwh", "currency", "State"]);
    assert!(found.iter().any(|line| line == &["alpha", "8", "", "", "FAILED"]), "{found:?}");
    assert!(found.iter().any(|line| line == &["alpha", "9_1", "0.15", "EUR", "COMPLETED"]));
    let json = text(&run(&["--sacct", "jobs.txt", "--by", "job", "--format", "json"]));
    let json: Value = serde_json::from_str(&json).unwrap();
    let rows = json["rows"].as_array().unwrap();
    let failed = rows.iter().find(|row| row["job_id"] == "8").unwrap();
    assert_eq!((&failed["energy_j"], &failed["sacct"]["User"]), (&Value::Null, &json!("carol")));
    assert_eq!(rows.len(), 1 + 3 + 1, "what is no job, those of the ledger, the one of the file");
    let page = text(&run(&["--sacct", "jobs.txt", "--by", "job", "--format", "html"]));
    assert!(page.contains("<th class=key>State</th>"), "{page}");
}

fn refused(site: &Site, run: impl Fn(&[&str]) -> Output) {
    std::fs::write(site.folder().join("bad.txt"), "JobIDRaw|Submit\n7|never\n").unwrap();
    for (arguments, message) in [
        (vec!["--sacct", "bad.txt"], "bad.txt: line 2, column Submit: \"never\" is not an instant"),
        (vec!["--sacct", "none.txt"], "--sacct none.txt: "),
        (vec!["--sacct", "jobs.txt", "--sacct-time-zone", "Mars"], "Europe/Paris"),
        (vec!["--sacct-time-zone", "UTC"], "--sacct <FILE>"),
    ] {
        let output = run(&arguments);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(told.contains(message), "{told}");
    }
}

/// Rows of a release that noted no submissions: both jobs 7 were one. What is known now tells them apart, and yet nothing is
/// corrected. When a price is revised, the correction is of the job as it was stated.
async fn hours_of_earlier_releases_are_not_stated_anew_for_their_jobs_submissions(site: Site) {
    let tokens = [site.token("operator", "operator"), site.token("ada", "user")];
    with_jobs(&site, &tokens).await;
    let server = serve_with(&site, (EVENING + 4 * HOUR, 1), "", "").await;
    stated_to(&server.client().with_token(&tokens[0]), 3).await;
    drop(server);
    let on_postgres = site.is_postgres();
    let allowed = if on_postgres {
        "DROP TRIGGER ledger_rows_refuse_changes ON ledger_rows"
    } else {
        "DROP TRIGGER ledger_rows_refuse_update; DROP TRIGGER ledger_rows_refuse_delete"
    };
    // 7's rows of one hour as one: the second is added to the first.
    let sums = [
        "node_s",
        "missing_s",
        "estimated_j",
        "cost_millionths",
        "co2_location_mg",
        "co2_market_mg",
    ];
    let quarters = (1..=4).map(|it| format!("quarter{it}_j"));
    let columns = sums.into_iter().map(str::to_owned).chain(quarters);
    let both: Vec<String> = columns
        .map(|it| format!("{it} = (SELECT SUM({it}) FROM ledger_rows WHERE job_id = '7')"))
        .collect();
    let newest = "(SELECT MAX(id) FROM ledger_rows WHERE job_id = '7')";
    site.execute(format!(
        "{allowed}; UPDATE ledger_rows SET {} WHERE id = {newest};
        DELETE FROM ledger_rows WHERE job_id = '7' AND id < {newest};
        UPDATE ledger_rows SET job_raw_id = NULL, job_submitted_s = NULL",
        both.join(", ")
    ))
    .await;
    let server = serve_with(&site, (EVENING + 5 * HOUR, 1), "", "").await;
    let operator = server.client().with_token(&tokens[0]);
    stated_to(&operator, 4).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let corrections = async || {
        let all = rows(&operator, 0, 5).await;
        all.into_iter().filter(|row| !row["correction_of"].is_null()).collect::<Vec<_>>()
    };
    assert_eq!(corrections().await, [] as [Value; 0]);
    let free = json!([{
        "start": instant(EVENING + HOUR), "end": instant(EVENING + 2 * HOUR), "price_per_mwh": 0.0,
    }]);
    operator.put("/api/v1/agendas/price", &free).await.ok(200);
    let began = std::time::Instant::now();
    let corrected = loop {
        let found = corrections().await;
        if !found.is_empty() {
            break found;
        }
        assert!(began.elapsed() < crate::server::PATIENCE, "{}", server.log());
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    let of_job = |id: &str| corrected.iter().filter(|row| row["job_id"] == id).collect::<Vec<_>>();
    let [row] = of_job("7")[..] else { panic!("{corrected:?}") };
    // 540,000 J at 2e-8 EUR/J.
    assert_eq!((&row["cost_millionths"], &row["energy_j"]), (&json!(-10_800), &json!(0)));
    assert_eq!(of_job("9_1").len(), 1);
    let by_job = text(&report(&site, &server, &tokens[0], &["--by", "job", "--format", "csv"]));
    let found = cells(&by_job, &["job_id", "submitted", "energy_kwh", "cost"]);
    assert!(found.iter().any(|line| line == &["7", "", "0.15", "0"]), "{found:?}");
}
