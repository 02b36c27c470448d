use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::*;

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn random() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(1)
}

fn day_ahead() -> Rhythm {
    Rhythm {
        time_zone: "Europe/Brussels".into(),
        publications: vec!["12:55".into()],
        poll_every_s: 6 * 3600,
        ..Rhythm::default()
    }
}

const NOON: &str = "2026-03-01T11:00:00Z";

fn schedule(rhythm: Rhythm, now: &str) -> Schedule {
    Schedule::new(rhythm, at(now), Some(at(now)), &mut random()).unwrap()
}

/// 12:55 in Brussels is 11:55 UTC in winter and 10:55 in summer.
#[test]
fn the_next_publication_is_polled_for_by_the_clock_of_the_market() {
    let mut winter = schedule(day_ahead(), NOON);
    let next = winter.finished(at(NOON), PollOutcome::Complete, &mut random());
    let wait = (next - at("2026-03-01T11:55:00Z")).get();
    assert!((0..=330).contains(&wait), "{wait}");
    let summer = "2026-07-01T10:00:00Z";
    let next =
        schedule(day_ahead(), summer).finished(at(summer), PollOutcome::Complete, &mut random());
    assert!((0..=330).contains(&(next - at("2026-07-01T10:55:00Z")).get()));
}

#[test]
fn while_something_is_awaited_polls_are_frequent_and_then_no_longer() {
    let mut schedule = schedule(day_ahead(), NOON);
    let mut now = at("2026-03-01T11:55:00Z");
    let mut random = random();
    let mut polls = 0;
    // Two hours late: twelve in the first, and then a twelfth more pause each time, are about 20.
    while now < at("2026-03-01T13:55:00Z") {
        schedule.requested(now, 1);
        let outcome = if polls % 2 == 0 {
            PollOutcome::Awaiting
        } else {
            PollOutcome::Failed(RetryClass::NotYet)
        };
        now = schedule.finished(now, outcome, &mut random);
        polls += 1;
    }
    assert!((14..=34).contains(&polls), "{polls}");
    let next = schedule.finished(now, PollOutcome::Complete, &mut random);
    assert!((next - now).get() >= 6 * 3600);
}

#[test]
fn failures_wait_ever_longer_up_to_a_limit_and_never_in_step() {
    let mut schedule = schedule(Rhythm::default(), NOON);
    let mut random = random();
    let mut now = at(NOON);
    let mut waits = Vec::new();
    for _ in 0..12 {
        let next = schedule.finished(now, PollOutcome::Failed(RetryClass::Backoff), &mut random);
        waits.push((next - now).get());
        now = next;
    }
    for (index, &wait) in waits.iter().enumerate() {
        let middle = (60_i64 << index).min(3600);
        assert!((middle / 2..=middle * 3 / 2).contains(&wait), "{index}: {wait}");
    }
    schedule.finished(now, PollOutcome::Complete, &mut random);
    let next = schedule.finished(now, PollOutcome::Failed(RetryClass::Backoff), &mut random);
    assert!((next - now).get() <= 90, "a success forgets the failures");
    let mut other = ChaCha8Rng::seed_from_u64(2);
    let other =
        schedule.clone().finished(now, PollOutcome::Failed(RetryClass::Backoff), &mut other);
    assert_ne!(
        other,
        schedule.finished(now, PollOutcome::Failed(RetryClass::Backoff), &mut random)
    );
}

#[test]
fn retry_after_is_kept_even_when_somebody_asks_for_a_refresh() {
    let mut schedule = schedule(Rhythm::default(), NOON);
    let wait = RetryClass::After(Seconds::new(600));
    let next = schedule.finished(at(NOON), PollOutcome::Failed(wait), &mut random());
    assert!((600..=660).contains(&(next - at(NOON)).get()));
    assert_eq!(schedule.refresh(at(NOON)), at("2026-03-01T11:10:00Z"));
    assert_eq!(schedule.refresh(at("2026-03-01T11:20:00Z")), at("2026-03-01T11:20:00Z"));
}

/// A day without anything: "no matching data" is no reason to ask all day long.
#[test]
fn what_is_not_published_all_day_is_asked_for_ever_more_seldom() {
    let polls_of_a_day = |rhythm: Rhythm, outcome: PollOutcome| {
        let mut random = random();
        let mut schedule = schedule(rhythm, NOON);
        let (mut now, mut polls, mut longest) = (at(NOON), 0, 0);
        while now < at(NOON) + Seconds::new(86_400) {
            let next = schedule.finished(now, outcome, &mut random);
            longest = longest.max((next - now).get());
            (now, polls) = (next, polls + 1);
        }
        (polls, longest)
    };
    let not_yet = PollOutcome::Failed(RetryClass::NotYet);
    for outcome in [not_yet, PollOutcome::Awaiting] {
        let (polls, longest) = polls_of_a_day(day_ahead(), outcome);
        assert!((30..=70).contains(&polls), "{polls}");
        assert!(longest <= 6 * 3600 + 2160, "{longest}");
    }
    // Without publications the usual pace is kept: 96 quarter-hours.
    let (polls, _) = polls_of_a_day(Rhythm::default(), not_yet);
    assert!((85..=97).contains(&polls), "{polls}");
}

/// Noon of the 2nd in Brussels is 11:00 UTC.
#[test]
fn a_publication_brings_the_noon_of_the_next_day_and_is_awaited_for_half_a_day() {
    let schedule = schedule(day_ahead(), NOON);
    let published = at("2026-03-01T11:55:00Z");
    assert_eq!(schedule.brought_by(published), Some(at("2026-03-02T11:00:00Z")));
    assert_eq!(schedule.awaited(at("2026-03-01T11:54:00Z")), None, "yesterday's is long ago");
    assert_eq!(schedule.awaited(at("2026-03-01T20:00:00Z")), Some(published));
}

#[test]
fn a_refusal_is_tried_again_after_minutes_and_then_ever_more_seldom() {
    let mut schedule = schedule(Rhythm::default(), NOON);
    let (mut now, mut waits, mut random) = (at(NOON), Vec::new(), random());
    for _ in 0..8 {
        let next = schedule.finished(now, PollOutcome::Failed(RetryClass::Permanent), &mut random);
        waits.push((next - now).get());
        now = next;
    }
    for (index, wait) in waits.into_iter().enumerate() {
        let middle = (300_i64 << index).min(7200);
        assert!((middle / 2..=middle * 3 / 2).contains(&wait), "{index}: {wait}");
    }
    assert_eq!(schedule.refresh(now), now);
    schedule.finished(now, PollOutcome::Complete, &mut random);
    let next = schedule.finished(now, PollOutcome::Failed(RetryClass::Permanent), &mut random);
    assert!((next - now).get() <= 450, "a success forgets the refusals");
}

#[test]
fn requests_stay_inside_the_budget() {
    let rhythm = Rhythm { budget_requests: 3, budget_per_s: 60, ..Rhythm::default() };
    let mut schedule = schedule(rhythm, NOON);
    schedule.requested(at(NOON), 2);
    assert_eq!(schedule.refresh(at(NOON)), at(NOON));
    schedule.requested(at("2026-03-01T11:00:10Z"), 1);
    assert_eq!(schedule.refresh(at("2026-03-01T11:00:20Z")), at("2026-03-01T11:01:00Z"));
    schedule.requested(at("2026-03-01T11:00:30Z"), 500);
    assert_eq!(schedule.refresh(at("2026-03-01T11:00:31Z")), at("2026-03-01T11:01:30Z"));
}

/// A hundred sources, all due after a night without the service.
#[test]
fn catching_up_is_spread_and_no_stampede() {
    let mut random = random();
    let mut by_ten_seconds = [0; 7];
    for _ in 0..100 {
        let last = Some(at("2026-02-28T20:00:00Z"));
        let schedule = Schedule::new(day_ahead(), at(NOON), last, &mut random).unwrap();
        let wait = (schedule.next_poll() - at(NOON)).get();
        by_ten_seconds[usize::try_from(wait / 10).unwrap()] += 1;
    }
    assert!(by_ten_seconds.iter().all(|&count| count < 30), "{by_ten_seconds:?}");
    let recent = Some(at("2026-03-01T10:59:00Z"));
    let schedule = Schedule::new(day_ahead(), at(NOON), recent, &mut random).unwrap();
    assert_eq!(schedule.next_poll(), at("2026-03-01T11:55:00Z"), "not due yet");
    assert!(!schedule.is_due(at(NOON)));
}

#[test]
fn a_clock_that_was_set_back_does_not_silence_a_source() {
    let schedule = schedule(Rhythm::default(), NOON);
    assert!(!schedule.is_due(at("2026-03-01T10:30:00Z")));
    assert!(schedule.is_due(at("2026-02-20T00:00:00Z")));
}

/// Two weeks in virtual time with a failure in a third of all polls: no storm.
#[test]
fn two_weeks_with_a_third_of_failures_make_no_storm_of_polls() {
    let mut random = random();
    let mut now = at(NOON);
    let mut schedule = schedule(Rhythm::default(), NOON);
    let until = now + Seconds::new(14 * 86_400);
    let mut polls = 0;
    while now < until {
        schedule.requested(now, 1);
        let outcome = match random.next_u64() % 9 {
            0 => PollOutcome::Failed(RetryClass::Backoff),
            1 => PollOutcome::Failed(RetryClass::After(Seconds::new(30))),
            2 => PollOutcome::Awaiting,
            _ => PollOutcome::Complete,
        };
        let next = schedule.finished(now, outcome, &mut random);
        assert!(next > now);
        now = next;
        polls += 1;
    }
    // Every 15 minutes are 1344 polls; failures add some and jitter takes some.
    assert!((1200..=2000).contains(&polls), "{polls}");
}

#[test]
fn rhythms_that_cannot_be_kept_are_refused() {
    let error = |rhythm: Rhythm| {
        Schedule::new(rhythm, at(NOON), None, &mut random()).unwrap_err().to_string()
    };
    assert!(error(Rhythm { poll_every_s: 0, ..day_ahead() }).contains("poll_every_s"));
    assert!(error(Rhythm { time_zone: "Mars".into(), ..day_ahead() }).contains("Mars"));
    assert!(error(Rhythm { publications: vec!["noon".into()], ..day_ahead() }).contains("noon"));
}

#[test]
fn after_a_restart_a_supplier_that_asked_to_wait_is_not_asked_before() {
    let mut before = schedule(Rhythm::default(), NOON);
    let wait = RetryClass::After(Seconds::new(600));
    let next = before.finished(at(NOON), PollOutcome::Failed(wait), &mut random());
    let soon = at(NOON) + Seconds::new(5);
    let after = Schedule::resumed(Rhythm::default(), soon, before.saved(), &mut random()).unwrap();
    assert_eq!(after.next_poll(), next);
    let late = at(NOON) + Seconds::new(86_400);
    let after = Schedule::resumed(Rhythm::default(), late, before.saved(), &mut random()).unwrap();
    assert!((0..=60).contains(&(after.next_poll() - late).get()), "missed polls are spread");
}

#[test]
fn the_latest_publication_is_today_s_or_yesterday_s() {
    let schedule = schedule(day_ahead(), NOON);
    assert_eq!(schedule.latest_publication(at(NOON)), Some(at("2026-02-28T11:55:00Z")));
    let afternoon = at("2026-03-01T12:00:00Z");
    assert_eq!(schedule.latest_publication(afternoon), Some(at("2026-03-01T11:55:00Z")));
}
