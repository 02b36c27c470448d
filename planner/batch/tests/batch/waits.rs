//! Jobs that wait for what never comes, or comes late: nothing plays for ever.

use batch::kernel::external::{self, Peer, Rules};
use serde_json::{Value, json};

use super::*;
use batch::scheduler::{Decisions, JobKey, Moment, Scheduler};

/// Six machines of 95 and 190 W under options of `policy`.
fn bounded(policy: Policy, rows: &[Row], options: &[(&str, &str)]) -> Notes {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let options: Vec<(String, String)> = options.iter().map(owned).collect();
    play_on(&platform(6), rows, Way(policy, SET, Tie::Batch), &options)
}

fn started(notes: &Notes) -> Vec<(i64, i64)> {
    notes.played.iter().map(|(number, happened)| (*number, happened.started)).collect()
}

/// Idle machines draw 570 W: under 760 W two of them may compute. Job 1 takes three, now and for ever: it is
/// refused, and job 3 waits for job 2 only.
#[test]
fn jobs_that_never_fit_under_the_cap_are_refused() {
    let rows = [(0, 3, 5, 5), (0, 2, 5, 5), (1, 1, 5, 5)];
    let notes = bounded(Policy::PowerCap, &rows, &[("cap_w", "760")]);
    assert_eq!(notes.refused, [JobId::Number(1)]);
    assert_eq!(started(&notes), [(2, 0), (3, 5)]);
    // Below what idle machines draw nobody fits.
    let notes = bounded(Policy::PowerCap, &rows, &[("cap_w", "500")]);
    assert_eq!((notes.refused.len(), notes.played.len()), (3, 0));
    // Nor where machines are switched off, which schedulers count as idle.
    let notes = bounded(Policy::PowerCap, &rows, &[("cap_w", "760"), ("shutdown", "true")]);
    assert_eq!(notes.refused, [JobId::Number(1)]);
}

/// The cap of one computing machine begins at 50 s and does not end. Job 2 could end before it while it
/// waits for job 1, but not any more when that ends at 45 s: it is refused when the cap begins. Job 3 ends just
/// before, and job 4 is refused at once.
#[test]
fn jobs_that_missed_their_time_are_refused() {
    let rows = [(0, 6, 45, 45), (10, 3, 10, 10), (20, 1, 5, 5), (48, 2, 10, 10), (60, 1, 5, 5)];
    let notes = bounded(Policy::PowerCap, &rows, &[("cap_w", "665"), ("from_s", "50")]);
    assert_eq!(notes.refused, [JobId::Number(4), JobId::Number(2)]);
    assert_eq!(started(&notes), [(1, 0), (3, 45), (5, 60)]);
}

/// A cap and a budget below what idle machines draw, for three thousand years: both jobs wait until then,
/// which takes no time to find out.
#[test]
fn bounds_that_end_late_are_waited_for() {
    let rows = [(0, 6, 5, 5), (0, 1, 5, 5)];
    let late = 100_000_000_000;
    let until = ("until_s", "100000000000");
    let expected = [(1, late), (2, late + 5)];
    assert_eq!(started(&bounded(Policy::PowerCap, &rows, &[("cap_w", "500"), until])), expected);
    for policy in [Policy::EnergyBud, Policy::ReducePc] {
        for budget in ["0", "1", "1e12"] {
            let notes = bounded(policy, &rows, &[("budget_j", budget), until]);
            assert_eq!(started(&notes), expected, "{policy} {budget}");
        }
    }
}

/// Asks to be woken for ever, and starts nobody.
struct Sleepless(Option<Time>);

impl Scheduler for Sleepless {
    fn decide(&mut self, moment: &Moment<'_>, decisions: &mut Decisions) {
        decisions.wake_at = Some(moment.now + Time::from_seconds(1));
    }

    fn bounded_until(&self) -> Option<Time> {
        self.0
    }
}

#[test]
fn schedulers_that_never_decide_are_stopped() {
    let platform = platform(6);
    let error = |mut scheduler: Sleepless| {
        let jobs = jobs(&[(0, 1, 5, 5), (7, 1, 5, 5)]).into_iter().map(Ok::<Job, Infallible>);
        let played: Result<(), SimulationError<Infallible>> =
            simulate(jobs, cluster(&platform), &mut scheduler, &mut Notes::default());
        played.unwrap_err().to_string()
    };
    let told = error(Sleepless(None));
    let expected = "at 1000007.000000 s 2 jobs wait, nothing runs, and the scheduler started none when it was \
                    asked 1000000 times since 7.000000 s";
    assert!(told.starts_with(expected), "{told}");
    let told = error(Sleepless(Some(Time::from_seconds(1_000_000_000))));
    assert!(told.contains("what bounds it changes only at 1000000000.000000 s"), "{told}");
}

/// A key that is free again may be another job's: refusals name jobs that wait.
#[test]
fn what_does_not_wait_cannot_be_refused() {
    struct Wrong;
    impl Scheduler for Wrong {
        fn decide(&mut self, _: &Moment<'_>, decisions: &mut Decisions) {
            decisions.refuse(JobKey(7), Some(RefusalReason::NeverUnderTheCap));
        }
    }
    let platform = platform(6);
    let jobs = jobs(&[(0, 1, 5, 5)]).into_iter().map(Ok::<Job, Infallible>);
    let played: Result<(), SimulationError<Infallible>> =
        simulate(jobs, cluster(&platform), &mut Wrong, &mut Notes::default());
    assert!(played.unwrap_err().to_string().contains("refused what does not wait"));
}

/// Answers every message with one call, so long after it.
struct Caller {
    after_s: f64,
    messages: u64,
    /// What it asks beside that.
    asks: &'static str,
}

impl Peer for Caller {
    fn exchange(&mut self, message: &str) -> io::Result<String> {
        self.messages += 1;
        let message: Value = serde_json::from_str(message)?;
        let now = message["now"].as_f64().unwrap();
        let call = json!({"timestamp": now, "type": "CALL_ME_LATER", "data": {"timestamp": now + self.after_s}});
        let ask = json!({"timestamp": now, "type": self.asks, "data": {"requests": {"consumed_energy": {}}}});
        let events = if self.asks.is_empty() { json!([call]) } else { json!([call, ask]) };
        Ok(json!({"now": now, "events": events}).to_string())
    }
}

#[test]
fn decision_processes_that_want_to_be_called_for_ever_are_stopped() {
    let platform = platform(6);
    let play = |after_s: f64, asks: &'static str| {
        let jobs = jobs(&[(0, 1, 5, 5), (7, 1, 5, 5)]).into_iter().map(Ok::<Job, Infallible>);
        let mut caller = Caller { after_s, messages: 0, asks };
        let (rules, mut notes) = (Rules::default(), Notes::default());
        let played = external::play(jobs, cluster(&platform), &rules, &mut caller, &mut notes);
        (played.unwrap_err().to_string(), caller.messages)
    };
    for asks in ["", "QUERY"] {
        let (told, messages) = play(0.0, asks);
        let expected = "at 0.000000 s the decision process asked 10000 times in turn to be called at this instant";
        assert!(told.starts_with(expected), "{told}");
        assert!(messages < 10_010, "{messages}");
    }
    let (told, messages) = play(0.5, "");
    assert!(told.contains("was called 100000 times in turn, and decided nothing"), "{told}");
    assert!(told.contains("2 jobs wait"), "{told}");
    assert!(messages < 100_100, "{messages}");
}
