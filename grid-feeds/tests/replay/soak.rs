//! Two weeks of virtual time with faults in a third of all answers.

use grid_feeds::compose::{Chain, KeptRevision, Link, compose};
use grid_feeds::feed::{FeedError, Fetched, Query, Revision};
use grid_feeds::plausibility::{Limits, judge};
use grid_feeds::schedule::{PollOutcome, Rhythm, Schedule};
use planner::time::{Seconds, Span, Timestamp};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use replay_supplier::Fault;

use crate::world::{Source, World, at, true_value};

const DAY: Seconds = Seconds::new(86_400);

/// No revision: what a supplier says last is what it says, true or not.
const FAULTS: [Fault; 7] = [
    Fault::TooManyRequests,
    Fault::Unavailable,
    Fault::NotFoundText,
    Fault::Empty,
    Fault::Truncated,
    Fault::Nulls,
    Fault::Late,
];

/// A source with its schedule and all that it said.
struct Polled {
    source: Source,
    schedule: Schedule,
    received: Vec<(Timestamp, Revision)>,
    failures: u32,
    /// How far ahead the window reaches.
    ahead: Seconds,
}

impl Polled {
    async fn poll(&mut self, now: Timestamp, random: &mut ChaCha8Rng) {
        let window = Span::new(now - DAY, now + self.ahead).unwrap();
        self.schedule.requested(now, 1);
        let fetched = self.source.role.fetch(Query { now, window, validator: None }).await;
        let judged = fetched.and_then(|fetched| {
            let Fetched::Revision(revision) = fetched else { panic!("no validator was sent") };
            let limits = Limits::usual(revision.series.kind);
            let series = judge(revision.series.clone(), &limits, None, now)?.series;
            Ok(Revision { series, ..*revision })
        });
        let outcome = match judged {
            Ok(revision) => {
                self.received.push((now, revision));
                PollOutcome::Complete
            }
            Err(error) => {
                assert!(!matches!(error, FeedError::Configuration { .. }), "{error}");
                self.failures += 1;
                PollOutcome::Failed(error.retry())
            }
        };
        self.schedule.finished(now, outcome, random);
    }

    fn link(&self) -> Link<'_> {
        let revisions = self.received.iter().rev().map(|(received_at, revision)| KeptRevision {
            revision,
            received_at: *received_at,
            confirmed_at: *received_at,
        });
        Link {
            revisions: revisions.collect(),
            fresh_for: Seconds::new(3 * 3600),
            usable_for: Seconds::new(48 * 3600),
        }
    }
}

#[tokio::test]
async fn after_two_weeks_of_faults_the_agendas_equal_the_truth_and_there_was_no_storm() {
    let start = at("2026-03-20T00:00:00Z");
    let end = start + Seconds::new(14 * DAY.get());
    let world = World::at("2026-03-20T00:00:00Z").await;
    world.supplier.set_random_faults(7, &FAULTS.map(|fault| (fault, 0.33 / 7.0)));
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut polled = Vec::new();
    for (name, ahead) in
        [("entsoe", 2 * 86_400), ("uk-carbon-intensity", 86_400), ("electricity-maps", 86_400)]
    {
        // A refusal by a 404 text waits less than in production, so that it is tried again.
        let rhythm = Rhythm { poll_every_s: 3600, refused_s: 3600, ..Rhythm::default() };
        let schedule = Schedule::new(rhythm, start, None, &mut random).unwrap();
        let (source, received) = (world.source(name), Vec::new());
        polled.push(Polled { source, schedule, received, failures: 0, ahead: Seconds::new(ahead) });
    }
    loop {
        let next = polled.iter_mut().min_by_key(|polled| polled.schedule.next_poll()).unwrap();
        let now = next.schedule.next_poll();
        if now >= end {
            break;
        }
        world.supplier.set_now(now);
        next.poll(now, &mut random).await;
    }
    // 14 days of hours are 336 polls of each source, of which two make two requests.
    let requests = world.supplier.requests();
    assert!((1000..4000).contains(&requests), "{requests}");

    world.supplier.set_fault(None);
    world.supplier.set_now(end);
    for polled in &mut polled {
        polled.poll(end, &mut random).await;
        assert!(polled.failures > 60, "{}: {} failures", polled.source.name, polled.failures);
        assert_equals_truth(polled, Span::new(start, end + Seconds::new(6 * 3600)).unwrap(), end);
    }
}

fn assert_equals_truth(polled: &Polled, window: Span, now: Timestamp) {
    let kind = polled.received[0].1.series.kind;
    let chain = Chain::of_sources(kind, vec![polled.link()]);
    let composition = compose(window, now, &chain).unwrap();
    assert_eq!(composition.gaps, [], "{}", polled.source.name);
    for piece in composition.agenda.pieces() {
        let wanted = true_value(polled.source.role.quantity(), piece.span);
        assert_eq!(piece.value.value, wanted, "{}: {}", polled.source.name, piece.span);
    }
}
