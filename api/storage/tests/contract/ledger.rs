//! The ledger: hours are stated whole, once by each number, and never changed.

use planner::identity::ReservationId;
use planner::ledger::{Amounts, Holder, JobSubmission, LedgerRow, Party};
use planner::metering::{LARGEST_POWER, Meter, MeterScope, Sample, SampleTime, ValueKind};
use planner::quantity::{Currency, Energy, Power};
use planner::reservation::{Ending, OfferSelector};
use planner::resource_manager::NodePower;
use planner::time::{Seconds, Timestamp};
use storage::{
    DayUsage, LedgerFilter, NewSamples, NewStatement, NodePowerState, Quantity, ReportKey,
    ReportSum,
};

use crate::bench::{
    Bench, cluster, install_ten_nodes, next_uuid, offer, on_both_engines, propose, ranks,
    reservation, span, t,
};

on_both_engines![
    an_hour_is_stated_once_by_each_number,
    what_is_new_is_read_without_what_was_read_before,
    rows_come_back_page_by_page_and_sum_to_totals,
    users_find_their_own_rows,
    what_users_used_is_told_by_days_before_an_instant,
    reports_tell_jobs_from_those_with_their_id_before,
    jobs_outside_of_reservations_are_of_their_owner_alone,
    reports_tell_what_jobs_used_outside_of_reservations,
    what_is_in_the_ledger_cannot_be_changed,
    an_abandoned_statement_leaves_nothing,
    sources_are_what_was_held_by_chosen_offers,
    revised_agendas_are_told_until_they_are_noted,
    hours_whose_measurements_changed_are_told_until_they_are_stated_anew,
    power_states_are_told_of_the_window_and_of_what_held_before,
];

const HOUR: i64 = 3600;

fn amounts(joules: i64) -> Amounts {
    Amounts {
        nodes: 2,
        node_s: 7200,
        missing_s: 100,
        measured_j: joules - 3,
        estimated_j: 3,
        quarters_j: [joules - 3, 0, 0, 3],
        cost_millionths: Some(-joules),
        unpriced_j: 5,
        co2_location_mg: Some(6),
        unrated_j: 7,
        co2_market_mg: None,
        other_co2_mg: Some(8),
        other_rated_j: 9,
    }
}

/// A row of a job of a user in one of ada's reservations.
pub fn row(user: &str, joules: i64) -> LedgerRow {
    let party = Party {
        reservation: Some(ReservationId::new(next_uuid())),
        job: "7".to_owned(),
        user: user.to_owned(),
        owner: "ada".to_owned(),
        project: "ocean".to_owned(),
        application: "nemo".to_owned(),
        partition: "batch".to_owned(),
        submission: Some(JobSubmission { at: t(60), raw_id: Some(7) }),
        ..Party::of(Holder::Job)
    };
    LedgerRow { party, amounts: amounts(joules) }
}

fn idle(joules: i64) -> LedgerRow {
    LedgerRow { party: Party::of(Holder::Idle), amounts: amounts(joules) }
}

/// What is stated of an hour.
pub fn statement(hour: i64, number: u32, counted: i64, rows: Vec<LedgerRow>) -> NewStatement {
    NewStatement {
        hour: t(hour * HOUR),
        number,
        counted: t(counted * HOUR),
        stated: t(99 * HOUR),
        currency: Currency::EUR,
        other_co2_accounting: Some("marginal direct".to_owned()),
        rows,
    }
}

/// Every row of these hours.
pub fn all(from: i64, to: i64) -> LedgerFilter {
    LedgerFilter { window: span(from * HOUR, to * HOUR), of: None, user: None, project: None }
}

async fn an_hour_is_stated_once_by_each_number(bench: Bench) {
    let database = &bench.database;
    assert_eq!(database.newest_stated_hour().await.unwrap(), None);
    let (first, correction) = (vec![row("bob", 100), idle(50)], vec![row("bob", -40)]);
    assert!(database.put_statement(&statement(5, 0, 5, first.clone())).await.unwrap());
    assert!(!database.put_statement(&statement(5, 0, 5, vec![idle(9)])).await.unwrap());
    assert!(database.put_statement(&statement(5, 1, 8, correction.clone())).await.unwrap());
    // An hour in which there was nothing is stated, too.
    assert!(database.put_statement(&statement(6, 0, 6, Vec::new())).await.unwrap());
    let rows = first.into_iter().chain(correction).collect();
    assert_eq!(database.stated_of_hour(t(5 * HOUR)).await.unwrap(), (2, rows));
    assert_eq!(database.stated_of_hour(t(6 * HOUR)).await.unwrap(), (1, Vec::new()));
    assert_eq!(database.newest_stated_hour().await.unwrap(), Some(t(6 * HOUR)));
    let hours = database.stated_hours(span(0, 6 * HOUR)).await.unwrap();
    assert_eq!(hours, [t(5 * HOUR)]);
}

/// Of three hours and a correction of the first, which counts in the third, one look at a time sees what is new, and of
/// reservations only the hours that it concerns.
async fn what_is_new_is_read_without_what_was_read_before(bench: Bench) {
    let database = &bench.database;
    assert_eq!(database.newest_statement().await.unwrap(), 0);
    let mut read = 0;
    for (number, (hour, count), rows, seen) in [
        (0, (1, 1), vec![row("ada", 100), row("ada", 200), idle(9)], 2),
        (0, (2, 2), vec![row("ada", 50)], 1),
        // An hour in which nobody had anything is stated, too.
        (0, (3, 3), Vec::new(), 0),
        (1, (1, 3), vec![row("ada", -40)], 1),
    ] {
        let stated = statement(hour, number, count, rows);
        assert!(database.put_statement(&stated).await.unwrap());
        // By the same number it is stated once, and counts for nothing else.
        assert!(!database.put_statement(&stated).await.unwrap());
        let new = database.statements_after(read).await.unwrap();
        let told: Vec<_> = new.iter().map(|it| (it.hour, it.is_first, it.counted)).collect();
        assert_eq!(told, [(t(hour * HOUR), number == 0, t(count * HOUR))]);
        read = database.newest_statement().await.unwrap();
        let concerned: Vec<Timestamp> = new.iter().map(|it| it.counted).collect();
        let of_these = database.stated_of_reservations_in(&concerned).await.unwrap();
        assert_eq!(of_these.len(), seen);
        assert!(of_these.iter().all(|it| it.hour == t(count * HOUR)));
    }
    assert_eq!((read, database.statements_after(read).await.unwrap()), (4, vec![]));
    let all = database.stated_of_reservations(t(0)).await.unwrap();
    assert_eq!(all.iter().map(|it| it.energy_j).sum::<i64>(), 310);
}

/// Days before hour 50 are hours 26 to 49, 2 to 25, and those before, of which hour 0 is left out: of two days. Each row costs
/// a millionth less than nothing for each joule, and emits 6 mg.
async fn what_users_used_is_told_by_days_before_an_instant(bench: Bench) {
    let database = &bench.database;
    for (hour, user, joules) in [
        (0, "bob", 1),
        (2, "bob", 10),
        (25, "bob", 20),
        (26, "bob", 40),
        (49, "eve", 80),
        (50, "bob", 160),
    ] {
        let rows = vec![row(user, joules), idle(1000)];
        database.put_statement(&statement(hour, 0, hour, rows)).await.unwrap();
    }
    let used = |age_days, user: &str, node_s: i64, energy_j: i64| {
        let (user, project) = (user.to_owned(), "ocean".to_owned());
        let (cost_millionths, co2_location_mg) = (-energy_j, node_s / 1200);
        DayUsage { age_days, user, project, node_s, energy_j, cost_millionths, co2_location_mg }
    };
    let told = database.used_by_day(t(50 * HOUR), 2, Currency::EUR).await.unwrap();
    let expected = [used(0, "bob", 7200, 40), used(0, "eve", 7200, 80), used(1, "bob", 14_400, 30)];
    assert_eq!(told, expected);
    let francs = Currency::parse("CHF").unwrap();
    let told = database.used_by_day(t(50 * HOUR), 2, francs).await.unwrap();
    assert!(told.iter().all(|it| it.cost_millionths == 0 && it.energy_j > 0));
}

async fn rows_come_back_page_by_page_and_sum_to_totals(bench: Bench) {
    let database = &bench.database;
    for hour in 0..4 {
        let rows = (0..5).map(|it| row("bob", 100 * hour + it)).chain([idle(hour)]);
        database.put_statement(&statement(hour, 0, hour, rows.collect())).await.unwrap();
    }
    let correction = NewStatement {
        other_co2_accounting: Some("average".to_owned()),
        ..statement(0, 1, 2, vec![idle(-1000)])
    };
    database.put_statement(&correction).await.unwrap();
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = database.ledger_rows(&all(1, 4), after, 4).await.unwrap();
        let Some(last) = page.last() else { break };
        after = Some((last.counted, last.id));
        found.extend(page);
    }
    assert_eq!(found.len(), 3 * 6 + 1, "hour 0 is not in the window, but its correction is");
    assert!(found.is_sorted_by_key(|it| (it.counted, it.id)));
    let corrected = |it: &Option<Timestamp>| *it == Some(t(0));
    assert_eq!(found.iter().filter(|it| corrected(&it.correction_of)).count(), 1);
    for record in &found {
        let counted = if corrected(&record.correction_of) { "average" } else { "marginal direct" };
        assert_eq!(record.other_co2_accounting.as_deref(), Some(counted));
    }
    let accountings = async |from, to| {
        let window = span(from * HOUR, to * HOUR);
        database.other_co2_accountings(window).await.unwrap()
    };
    assert_eq!(accountings(0, 2).await, ["marginal direct"]);
    assert_eq!(accountings(2, 3).await, ["average", "marginal direct"]);
    assert_eq!(accountings(4, 9).await, [""; 0]);
    let groups = database.ledger_groups(&all(1, 4)).await.unwrap();
    let rows = |holder| found.iter().filter(move |it| it.row.party.holder == holder);
    for group in &groups {
        let sum = rows(group.holder).fold(Amounts::default(), |sum, it| sum.plus(it.row.amounts));
        assert_eq!(group.amounts, Amounts { nodes: 0, quarters_j: [0; 4], ..sum });
    }
    assert_eq!(groups.len(), 2);
    assert_eq!(database.ledger_groups(&all(9, 10)).await.unwrap(), []);
}

async fn users_find_their_own_rows(bench: Bench) {
    let database = &bench.database;
    let rows = vec![row("bob", 100), row("eve", 200), idle(300)];
    database.put_statement(&statement(0, 0, 0, rows.clone())).await.unwrap();
    let found = async |filter: LedgerFilter| {
        let found = database.ledger_rows(&filter, None, 100).await.unwrap();
        found.into_iter().map(|it| it.row).collect::<Vec<_>>()
    };
    let of = |name: &str| LedgerFilter { of: Some(name.to_owned()), ..all(0, 1) };
    assert_eq!(found(of("bob")).await, rows[..1]);
    assert_eq!(found(of("ada")).await, rows[..2], "who reserved the nodes");
    assert_eq!(found(of("")).await, rows[2..], "nobody has this name");
    let user = LedgerFilter { user: Some("eve".to_owned()), ..of("ada") };
    assert_eq!(found(user).await, rows[1..2]);
    let project = LedgerFilter { project: Some("ocean".to_owned()), ..all(0, 1) };
    assert_eq!(found(project).await, rows[..2]);
}

/// 7 of one release ran in two hours, its id was used again, and an earlier release stated one without a submission.
async fn reports_tell_jobs_from_those_with_their_id_before(bench: Bench) {
    let database = &bench.database;
    let reservation = Some(ReservationId::new(next_uuid()));
    let of = |submission, joules| {
        let row = row("bob", joules);
        LedgerRow { party: Party { reservation, submission, ..row.party }, ..row }
    };
    let submission = |at, raw_id| Some(JobSubmission { at: t(at), raw_id });
    let first = vec![of(None, 1), of(submission(60, Some(7)), 20), idle(300)];
    let second = vec![of(submission(60, Some(7)), 4000), of(submission(90, None), 50_000)];
    database.put_statement(&statement(0, 0, 0, first)).await.unwrap();
    database.put_statement(&statement(1, 0, 1, second)).await.unwrap();
    let told = |sum: &ReportSum| {
        let group = sum.group.clone();
        (group.job, group.submission, group.reservation, sum.amounts.energy_j())
    };
    let job = |submission, joules| ("7".to_owned(), submission, None, joules);
    let expected = [
        (String::new(), None, None, 300),
        job(None, 1),
        job(submission(60, Some(7)), 4020),
        job(submission(90, None), 50_000),
    ];
    let sums = database.report_sums(&all(0, 9), &[ReportKey::Job]).await.unwrap();
    assert_eq!(sums.iter().map(told).collect::<Vec<_>>(), expected);
    let sums = database.report_sums(&all(0, 9), &[ReportKey::Reservation]).await.unwrap();
    let of_nobody = (String::new(), None, None, 300);
    let all_jobs = (String::new(), None, reservation, 54_021);
    assert_eq!(sums.iter().map(told).collect::<Vec<_>>(), [of_nobody, all_jobs]);
    let both = [ReportKey::Job, ReportKey::Reservation, ReportKey::User];
    let parts = database.report_parts(&all(0, 9), &both).await.unwrap();
    let mut parts: Vec<_> =
        parts.into_iter().map(|it| (it.group.submission, it.energy_j)).collect();
    parts.sort_unstable();
    let (once, again) = (submission(60, Some(7)), submission(90, None));
    assert_eq!(parts, [(None, 1), (once, 4020), (again, 50_000)]);
    let sums = database.report_sums(&all(0, 9), &both).await.unwrap();
    assert!(
        sums[1..].iter().all(|it| it.group.reservation == reservation && it.group.user == "bob")
    );
}

/// A row of a job of the user bob outside of reservations.
fn outside(owner: &str, joules: i64) -> LedgerRow {
    let LedgerRow { party, amounts } = row("bob", joules);
    let party = Party { reservation: None, owner: owner.to_owned(), ..party };
    LedgerRow { party, amounts }
}

async fn jobs_outside_of_reservations_are_of_their_owner_alone(bench: Bench) {
    let database = &bench.database;
    let rows = vec![outside("bob", 100), outside("robert", 200), outside("", 300)];
    database.put_statement(&statement(0, 0, 0, rows.clone())).await.unwrap();
    for (owner, own) in [("bob", 0..1), ("robert", 1..2), ("eve", 3..3)] {
        let filter = LedgerFilter { of: Some(owner.to_owned()), ..all(0, 1) };
        let found = database.ledger_rows(&filter, None, 100).await.unwrap();
        let found: Vec<LedgerRow> = found.into_iter().map(|it| it.row).collect();
        assert_eq!(found, rows[own.clone()], "{owner}");
        let admitted: Vec<LedgerRow> =
            rows.iter().filter(|it| filter.admits(&it.party)).cloned().collect();
        assert_eq!(admitted, rows[own], "{owner}, of a bill");
    }
}

/// Each row has 7200 s of nodes: two jobs ran in reservations and one outside of them, and the rest was idle.
async fn reports_tell_what_jobs_used_outside_of_reservations(bench: Bench) {
    let database = &bench.database;
    let rows = vec![row("bob", 100), row("eve", 200), outside("bob", 300), idle(400)];
    database.put_statement(&statement(0, 0, 0, rows)).await.unwrap();
    let [sum] = &database.report_sums(&all(0, 1), &[]).await.unwrap()[..] else {
        panic!("there is one line")
    };
    assert_eq!((sum.reserved_s, sum.used_s, sum.outside_s), (14_400, 21_600, 7200));
}

async fn what_is_in_the_ledger_cannot_be_changed(bench: Bench) {
    let database = &bench.database;
    database.put_statement(&statement(0, 0, 0, vec![idle(300)])).await.unwrap();
    for change in ["UPDATE ledger_rows SET measured_j = 0", "DELETE FROM ledger_rows"] {
        let error = bench.raw.execute(change.to_owned()).await.unwrap_err();
        let told = format!("{error:?}");
        assert!(told.contains("never"), "{told}");
    }
    assert_eq!(database.stated_of_hour(t(0)).await.unwrap().1, [idle(300)]);
}

/// Whoever states an hour may be dropped at any await: it is stated whole, or not at all.
async fn an_abandoned_statement_leaves_nothing(bench: Bench) {
    let database = &bench.database;
    let rows: Vec<LedgerRow> = (0..3000).map(|it| row("bob", it)).collect();
    for hour in 0..12 {
        let statement = statement(hour, 0, hour, rows.clone());
        let patience = std::time::Duration::from_millis(u64::try_from(hour).unwrap() * 4);
        let _ = tokio::time::timeout(patience, database.put_statement(&statement)).await;
        // What was under way may be committed yet.
        database.put_statement(&statement).await.unwrap();
        let (count, stated) = database.stated_of_hour(t(hour * HOUR)).await.unwrap();
        assert_eq!((count, stated.len()), (1, 3000));
    }
}

async fn sources_are_what_was_held_by_chosen_offers(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let mut slowed = offer(ranks(0..2), span(2000, 3000));
    slowed.terms.values.energy = Energy::from_microjoules(4_000_000_000_000);
    let chosen = reservation(vec![slowed]);
    let held = reservation(vec![offer(ranks(4..6), span(2000, 3000))]);
    for made in [&chosen, &held] {
        propose(database, made, 0).await.unwrap();
    }
    let sources = async || database.ledger_sources(span(0, 3600)).await.unwrap();
    assert!(sources().await.held.is_empty(), "nothing was chosen yet");
    let taken = OfferSelector::Offer(chosen.offers[0].id);
    database.choose(chosen.id, taken, t(1), None, false).await.unwrap();
    // It is cancelled when it has run for 500 s: these count.
    database.advance(t(2000)).await.unwrap();
    database.end(chosen.id, Ending::Cancelled, t(2500), None).await.unwrap();
    let held = sources().await.held;
    assert_eq!(held.len(), 1);
    assert_eq!((held[0].reservation, &*held[0].owner, held[0].managed), (chosen.id, "ada", false));
    assert_eq!((held[0].span, &held[0].ranks), (span(2000, 2500), &ranks(0..2)));
    // In their slower state the two take their energy, of 4e12 uJ, over 1000 s: 2e9 uW each.
    assert_eq!(held[0].slowed_draw, Some(Power::from_microwatts(2_000_000_000)));
    database.replace_nodes(&cluster(&[("other", 1)]), &[], None, t(5000)).await.unwrap();
    let sources = database.ledger_sources(span(3600, 7200)).await.unwrap();
    let began: Vec<Timestamp> = sources.epochs.iter().map(|(_, began)| *began).collect();
    assert_eq!(began, [t(0), t(5000)]);
    let nodes = database.nodes_of_epoch(sources.epochs[0].0).await.unwrap().unwrap();
    assert_eq!((nodes.nodes.count(), nodes.created), (10, t(0)));
    assert_eq!(database.first_epoch().await.unwrap(), Some(t(0)));
}

async fn revised_agendas_are_told_until_they_are_noted(bench: Bench) {
    let database = &bench.database;
    assert_eq!(database.revised_for_ledger(t(7200)).await.unwrap(), None);
    let meta = storage::AgendaMeta {
        source: "test".to_owned(),
        kind: "average".to_owned(),
        quality: "measured".to_owned(),
        issued: None,
    };
    let piece = planner::agenda::Piece { span: span(3600, 9000), value: 5 };
    let put = database.put_agenda(Quantity::Co2, &meta, &[piece], t(1)).await.unwrap();
    let revised = database.revised_for_ledger(t(7200)).await.unwrap();
    assert_eq!(revised, Some((put, Some(span(3600, 7200)))));
    assert_eq!(database.revised_for_ledger(t(3600)).await.unwrap(), Some((put, None)));
    database.put_ledger_mark(put).await.unwrap();
    assert_eq!(database.revised_for_ledger(t(7200)).await.unwrap(), None);
}

/// Samples a minute apart over the second hour, of which the first hour was stated, too.
async fn hours_whose_measurements_changed_are_told_until_they_are_stated_anew(bench: Bench) {
    let database = &bench.database;
    database.put_statement(&statement(1, 0, 1, vec![idle(300)])).await.unwrap();
    let keep = async |from_s: i64| {
        let sample = |minute: i64| Sample {
            at: SampleTime::of(t(from_s + minute * 60)),
            value_milli: 100_000,
        };
        let samples = (0..3).map(sample).collect();
        let new = vec![NewSamples { node: "n1".into(), samples }];
        database.keep_samples(&meter(), new).await.unwrap();
    };
    keep(3 * HOUR).await;
    assert_eq!(database.changed_hours().await.unwrap(), [], "hour 3 has yet to be stated");
    keep(HOUR).await;
    assert_eq!(database.changed_hours().await.unwrap(), [(t(HOUR), 1)]);
    keep(HOUR + 600).await;
    database.forget_changed_hour(t(HOUR), 1).await.unwrap();
    assert_eq!(database.changed_hours().await.unwrap(), [(t(HOUR), 2)], "it changed meanwhile");
    database.forget_changed_hour(t(HOUR), 2).await.unwrap();
    assert_eq!(database.changed_hours().await.unwrap(), []);
    // Of the last second of it the accounting was asked which jobs ran unseen.
    database.put_unseen_outside(&[], span(2 * HOUR - 1, 4 * HOUR)).await.unwrap();
    assert_eq!(database.changed_hours().await.unwrap(), [(t(HOUR), 1)]);
}

fn meter() -> Meter {
    Meter {
        name: "bmc".into(),
        covers: MeterScope::Node,
        values: ValueKind::Gauge,
        unit: Meter::pushed_unit(ValueKind::Gauge),
        period: Seconds::new(60),
        longest_gap: Seconds::new(150),
        zero_is_missing: false,
        least: Power::ZERO,
        most: LARGEST_POWER,
    }
}

async fn power_states_are_told_of_the_window_and_of_what_held_before(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let state = |node: &str, since: i64, power| NodePowerState {
        node: node.to_owned(),
        since: t(since),
        power,
    };
    let (on, off, up) = (NodePower::On, NodePower::Off, NodePower::PoweringUp);
    let early = [state("n1", 10, off), state("n2", 10, up)];
    database.note_power_states(&early).await.unwrap();
    let late = [state("n2", 20, on), state("n1", HOUR + 5, up), state("n1", HOUR + 5, on)];
    for state in &late {
        database.note_power_states(std::slice::from_ref(state)).await.unwrap();
    }
    database.note_power_states(&[]).await.unwrap();
    let newest = database.newest_power_states().await.unwrap();
    assert_eq!(newest, [late[2].clone(), late[0].clone()]);
    let during =
        async |from: i64, to: i64| database.ledger_sources(span(from, to)).await.unwrap().powers;
    assert_eq!(during(HOUR, 2 * HOUR).await, [early[0].clone(), late[2].clone(), late[0].clone()]);
    assert_eq!(during(0, 15).await, early);
    assert_eq!(during(2 * HOUR, 3 * HOUR).await, newest);
}
