use jiff::tz::TimeZone;

use super::*;
use crate::cli::report::line::texts;

/// A job that was submitted at so many seconds, with 3600 J, a tenth of them measured; every line is of 2026-03.
fn line(job: &str, raw_id: Option<i64>, submitted: i64, user: &str) -> ReportRowDocument {
    let text = |text: &str| Some(text.to_owned());
    ReportRowDocument {
        month: text("2026-03"),
        cluster: text("alpha"),
        job_id: text(job),
        job_raw_id: raw_id,
        submitted: Some(Timestamp::from_unix_seconds(submitted).to_string()),
        reservation: text("018f0000-0000-7000-8000-000000000001"),
        user: text(user),
        project: text("ocean"),
        partition: text("batch"),
        application: text(""),
        energy_j: 3600,
        measured_j: 360,
        currency: "EUR".to_owned(),
        ..ReportRowDocument::default()
    }
}

fn nobody() -> ReportRowDocument {
    let nothing = || Some(String::new());
    ReportRowDocument {
        cluster: nothing(),
        user: nothing(),
        project: nothing(),
        submitted: None,
        reservation: nothing(),
        ..line("", None, 0, "")
    }
}

fn file(text: &str) -> SacctFile {
    SacctFile::read(text, &TimeZone::UTC).unwrap()
}

fn wanted(by: &[ReportKey]) -> ReportSelection {
    ReportSelection { by: by.to_vec(), by_month: false, user: None, project: None }
}

/// The id 7 was used twice; a task of an array is known by its raw id, or, where that was not noted, by its id.
const FILE: &str = "Cluster|JobIDRaw|JobID|Submit|User|Account|JobName|State\n\
    alpha|7|7|100|carol|physics|wrf|COMPLETED\n\
    alpha|7|7|900|dave|physics|wrf|FAILED\n\
    alpha|10|9_1|100|carol|physics|wrf|COMPLETED\n\
    alpha|11|9_2|100|carol|physics|wrf|COMPLETED\n";

fn lines() -> Vec<ReportRowDocument> {
    vec![
        line("7", Some(7), 100, "ada"),
        line("7", Some(7), 500, "bob"),
        line("9_1", Some(10), 100, "ada"),
        line("9_2", None, 100, "ada"),
        nobody(),
    ]
}

#[test]
fn jobs_are_found_by_raw_id_and_submission() {
    let file = file(FILE);
    let (rows, found) = Join::new(&file).rows(lines(), &wanted(&[ReportKey::User]));
    assert_eq!(found, JoinCounts { matched: 3, only_in_file: 1, only_in_ledger: 1 });
    let told: Vec<_> = rows.iter().map(|it| (it.row.user.as_deref(), it.row.energy_j)).collect();
    assert_eq!(told, [(Some(""), 3600), (Some("bob"), 3600), (Some("carol"), 3 * 3600)]);
    let carol = &rows[2].row;
    assert_eq!((carol.measured_j, carol.measured_share), (1080, Some(0.1)));
    let cells = texts(&["user".to_owned()], &rows[2], |number| number.to_string());
    assert_eq!(cells[3], "0.003", "kWh are 10,800 J");
    assert!(carol.job_id.is_none() && carol.month.is_none() && rows[2].beside.is_empty());
}

/// Accounts are projects. A request's label stays; where it had none, the job's name is its application.
#[test]
fn the_file_says_project_and_application() {
    let file = file(FILE);
    let labelled = ReportRowDocument {
        application: Some("nemo".to_owned()),
        ..line("7", Some(7), 900, "ada")
    };
    let lines = vec![line("7", Some(7), 100, "ada"), labelled];
    let by = [ReportKey::Project, ReportKey::Application];
    let (rows, _) = Join::new(&file).rows(lines, &wanted(&by));
    let told: Vec<_> =
        rows.iter().map(|it| (it.row.project.as_deref(), it.row.application.as_deref())).collect();
    assert_eq!(told, [(Some("physics"), Some("nemo")), (Some("physics"), Some("wrf"))]);
}

#[test]
fn by_job_every_job_of_the_file_is_a_line() {
    let file = file(FILE);
    let by_month = ReportSelection { by_month: true, ..wanted(&[ReportKey::Job]) };
    let (rows, _) = Join::new(&file).rows(lines(), &by_month);
    let jobs = |in_ledger| {
        let rows = rows.iter().filter(move |it| it.in_ledger == in_ledger);
        rows.map(|it| (it.row.job_id.clone().unwrap(), it.row.job_raw_id, it.beside.join("|")))
            .collect::<Vec<_>>()
    };
    let of = |id: &str, raw_id, beside: &str| (id.to_owned(), raw_id, beside.to_owned());
    let completed = "carol|physics|wrf|COMPLETED";
    assert_eq!(
        jobs(true),
        [
            of("", None, "|||"),
            of("7", Some(7), completed),
            of("7", Some(7), "|||"),
            of("9_1", Some(10), completed),
            of("9_2", Some(11), completed),
        ]
    );
    assert_eq!(jobs(false), [of("7", Some(7), "dave|physics|wrf|FAILED")]);
}

#[test]
fn clusters_are_compared_where_both_sides_say_one() {
    let lines = || vec![line("7", Some(7), 100, "ada")];
    let matched = |text: &str, lines| {
        let file = file(text);
        Join::new(&file).rows(lines, &wanted(&[])).1.matched
    };
    assert_eq!(matched("Cluster|JobIDRaw|Submit\nbeta|7|100\n", lines()), 0);
    assert_eq!(matched("JobIDRaw|Submit\n7|100\n", lines()), 1);
    let both = "Cluster|JobIDRaw|Submit\nalpha|7|100\nbeta|7|100\n";
    assert_eq!(matched(both, lines()), 1);
    let unnamed =
        ReportRowDocument { cluster: Some(String::new()), ..line("7", Some(7), 100, "ada") };
    assert_eq!(matched(both, vec![unnamed.clone()]), 0, "it may be either");
    assert_eq!(matched("Cluster|JobIDRaw|Submit\nbeta|7|100\n", vec![unnamed]), 1);
}

/// A job of a release that noted no submissions is matched with nothing, whatever its id.
#[test]
fn jobs_without_a_submission_are_not_found() {
    let file = file(FILE);
    let old = ReportRowDocument { submitted: None, ..line("7", None, 100, "ada") };
    let (_, found) = Join::new(&file).rows(vec![old], &wanted(&[]));
    assert_eq!(found, JoinCounts { matched: 0, only_in_file: 4, only_in_ledger: 1 });
}

/// `--user carol` asks for those who are carol by the file.
#[test]
fn what_is_shown_is_chosen_as_the_file_says() {
    let file = file(FILE);
    let carol = ReportSelection { user: Some("carol".to_owned()), ..wanted(&[ReportKey::Job]) };
    let (rows, _) = Join::new(&file).rows(lines(), &carol);
    assert_eq!(rows.len(), 3);
    let (all, _) = Join::new(&file).rows(lines(), &wanted(&[]));
    assert_eq!((all.len(), all[0].row.energy_j), (1, 5 * 3600));
}
