//! What must hold whatever happened, read from the database around the service.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant};

use sqlx::PgConnection;
use uuid::Uuid;

use super::clients::{Kept, Promises};
use super::faults::Story;
use super::listeners::Receiver;
use super::{CAP_W, NODE_W, World};
use crate::cluster::seconds;

/// How long what is told may take until all of it was.
const TOLD_WITHIN: Duration = Duration::from_mins(5);

/// The pause before an event is sent again where it could not be noted that it was taken.
const SENT_AGAIN_AFTER: Duration = Duration::from_secs(2);

/// What is taken of the book: by which offer of which reservation, from which rank to which, from when to when.
type Allocation = (Uuid, Uuid, i64, i64, i64, i64);

/// All that is taken.
const ALLOCATIONS: &str = "SELECT reservation_id, offer_id, first_rank, end_rank, start_s, end_s FROM allocations ORDER BY start_s";

/// What is wrong with the book at one instant.
pub async fn unsound(database: &mut PgConnection) -> Result<Vec<String>, sqlx::Error> {
    let allocations: Vec<Allocation> = sqlx::query_as(ALLOCATIONS).fetch_all(database).await?;
    let mut wrong = double_bookings(&allocations);
    wrong.extend(excesses(&allocations));
    Ok(wrong)
}

/// Nodes that two reservations have at an instant. Offers of one reservation are alternatives.
fn double_bookings(allocations: &[Allocation]) -> Vec<String> {
    let mut of_ranks: BTreeMap<i64, Vec<&Allocation>> = BTreeMap::new();
    for allocation in allocations {
        for rank in allocation.2..allocation.3 {
            of_ranks.entry(rank).or_default().push(allocation);
        }
    }
    let mut wrong = Vec::new();
    for (rank, all) in of_ranks {
        let mut open: Vec<&Allocation> = Vec::new();
        for one in all {
            open.retain(|other| other.5 > one.4);
            let double = open.iter().filter(|other| other.0 != one.0);
            wrong.extend(double.map(|other| format!("rank {rank} twice: {one:?} and {other:?}")));
            open.push(one);
        }
    }
    wrong
}

/// Instants at which more power is promised than there is; of alternatives the greatest counts.
fn excesses(allocations: &[Allocation]) -> Vec<String> {
    let starts: BTreeSet<i64> = allocations.iter().map(|it| it.4).collect();
    let at = |start: i64| {
        let mut offers: BTreeMap<(Uuid, Uuid), i64> = BTreeMap::new();
        for it in allocations.iter().filter(|it| it.4 <= start && start < it.5) {
            *offers.entry((it.0, it.1)).or_default() += it.3 - it.2;
        }
        let mut most: BTreeMap<Uuid, i64> = BTreeMap::new();
        for ((reservation, _), nodes) in offers {
            let known = most.entry(reservation).or_default();
            *known = nodes.max(*known);
        }
        most.values().sum::<i64>() * NODE_W
    };
    let above = starts.into_iter().map(|start| (start, at(start))).filter(|(_, w)| *w > CAP_W);
    above.map(|(start, w)| format!("{w} W at {start} under a cap of {CAP_W} W")).collect()
}

/// A reservation as the database has it.
struct Stored {
    state: String,
    offer: Option<Uuid>,
    start_s: Option<i64>,
    end_s: Option<i64>,
    nodes: Option<i64>,
}

type StoredRow = (Uuid, String, Option<Uuid>, Option<i64>, Option<i64>, Option<i64>);

const STORED: &str = "SELECT r.id, r.state, r.chosen_offer_id, o.start_s, o.end_s,
        (SELECT SUM(a.end_rank - a.first_rank)::BIGINT FROM allocations AS a WHERE a.offer_id = o.id)
    FROM reservations AS r LEFT JOIN offers AS o ON o.id = r.chosen_offer_id";

async fn stored(database: &mut PgConnection) -> HashMap<String, Stored> {
    let rows: Vec<StoredRow> = sqlx::query_as(STORED).fetch_all(database).await.unwrap();
    let each = rows.into_iter().map(|(id, state, offer, start_s, end_s, nodes)| {
        (id.to_string(), Stored { state, offer, start_s, end_s, nodes })
    });
    each.collect()
}

impl Stored {
    /// Whether it is as a client was told last.
    fn is_as_told(&self, told: &Kept) -> bool {
        let nodes = self.nodes.and_then(|it| u64::try_from(it).ok());
        let is_another = nodes.is_some_and(|it| told.perhaps.contains(&it));
        let is_same = self.offer.is_some_and(|it| it.to_string() == told.offer)
            && self.start_s == Some(seconds(&told.start.clone().into()))
            && self.end_s == Some(seconds(&told.end.clone().into()))
            && nodes == Some(told.nodes);
        self.state == "confirmed" && (is_same || is_another)
    }
}

impl World {
    /// Everything that must hold; what does not is wrong.
    pub async fn judge(&self, all: &[Promises], story: &Story) {
        let mut database = super::Database::raw(self.database.port).await;
        for wrong in unsound(&mut database).await.unwrap() {
            self.tally.wrong(wrong);
        }
        self.judge_promises(all, &stored(&mut database).await);
        self.judge_keys(&mut database, all).await;
        self.judge_events(&mut database).await;
        self.judge_webhook(&mut database, story).await;
        self.judge_trail(&mut database, all).await;
        for arguments in [["database", "check"], ["audit", "verify"]] {
            let output = self.fleet.command(self.database.port, &arguments).output().unwrap();
            if !output.status.success() {
                self.tally.wrong(format!("wattbook {}: {output:?}", arguments.join(" ")));
            }
        }
    }

    /// What was acknowledged is there.
    fn judge_promises(&self, all: &[Promises], stored: &HashMap<String, Stored>) {
        for promises in all {
            for told in &promises.kept {
                if !stored.get(&told.id).is_some_and(|it| it.is_as_told(told)) {
                    let found = stored.get(&told.id).map(|it| (&it.state, it.offer, it.nodes));
                    self.tally.wrong(format!("{told:?} was told, and is {found:?}"));
                }
            }
            for id in &promises.cancelled {
                if stored.get(id).is_none_or(|it| it.state != "cancelled") {
                    self.tally.wrong(format!("{id} was cancelled, and is not"));
                }
            }
            for id in &promises.confirmed {
                if stored.get(id).is_none_or(|it| it.offer.is_none()) {
                    self.tally.wrong(format!("{id} was confirmed, and never is"));
                }
            }
        }
    }

    /// No key made two reservations.
    async fn judge_keys(&self, database: &mut PgConnection, all: &[Promises]) {
        let keys = "SELECT COUNT(*), COUNT(request::jsonb ->> 'note'), COUNT(DISTINCT request::jsonb ->> 'note')
            FROM reservations";
        let (all_made, with_key, keys): (i64, i64, i64) =
            sqlx::query_as(keys).fetch_one(database).await.unwrap();
        let sent: u64 = all.iter().map(|it| it.keys).sum();
        if all_made != keys || with_key != keys || u64::try_from(keys).unwrap() > sent {
            let told = format!("{all_made} reservations of {keys} keys; {sent} keys were sent");
            self.tally.wrong(told);
        }
    }

    /// The stream told each event once, in order; each reservation was confirmed once.
    async fn judge_events(&self, database: &mut PgConnection) {
        let first = self.watcher.seen().first().copied().unwrap_or_default();
        let ids = "SELECT id FROM events WHERE id >= $1 ORDER BY id";
        let ids: Vec<i64> =
            sqlx::query_scalar(ids).bind(first).fetch_all(&mut *database).await.unwrap();
        if !until(TOLD_WITHIN, || self.watcher.seen().len() >= ids.len()).await
            || self.watcher.seen() != ids
        {
            let seen: BTreeSet<i64> = self.watcher.seen().into_iter().collect();
            let missing: Vec<&i64> = ids.iter().filter(|it| !seen.contains(it)).take(20).collect();
            let (seen, kept) = (seen.len(), ids.len());
            let told =
                format!("the stream told {seen} of {kept} events; among others not {missing:?}");
            self.tally.wrong(told);
        }
        let twice = "SELECT data::jsonb ->> 'reservation_id' FROM events WHERE kind = 'reservation.confirmed'
            GROUP BY 1 HAVING COUNT(*) > 1";
        let twice: Vec<String> = sqlx::query_scalar(twice).fetch_all(&mut *database).await.unwrap();
        let untold = "SELECT id::TEXT FROM reservations WHERE chosen_offer_id IS NOT NULL AND id::TEXT NOT IN
            (SELECT data::jsonb ->> 'reservation_id' FROM events WHERE kind = 'reservation.confirmed')";
        let untold: Vec<String> = sqlx::query_scalar(untold).fetch_all(database).await.unwrap();
        if !twice.is_empty() || !untold.is_empty() {
            self.tally
                .wrong(format!("confirmed twice: {twice:?}, confirmed and not told: {untold:?}"));
        }
    }

    /// The webhook was told each event that it wants, in order. What came again came because of a fault: at its begin,
    /// while it lasted for as often as it was tried, or at its end.
    async fn judge_webhook(&self, database: &mut PgConnection, story: &Story) {
        let ids = "SELECT id FROM events WHERE kind = 'reservation.confirmed' ORDER BY id";
        let ids: Vec<i64> = sqlx::query_scalar(ids).fetch_all(database).await.unwrap();
        let receiver: &Receiver = &self.receiver;
        let is_told = until(TOLD_WITHIN, || receiver.count() >= ids.len()).await;
        if !is_told || receiver.with(|it| it.events != ids) {
            let (told, kept) = (receiver.count(), ids.len());
            self.tally
                .wrong(format!("the webhook was told {told} of {kept} events, or not in order"));
        }
        let repeated = receiver.with(|it| it.repeated);
        let tries =
            story.lasted.as_secs() / SENT_AGAIN_AFTER.as_secs() + 2 * u64::from(story.count);
        if repeated > tries {
            self.tally.wrong(format!("the webhook was told {repeated} events again"));
        }
    }

    /// Each confirmation that was acknowledged is in the audit trail, or what was begun is.
    async fn judge_trail(&self, database: &mut PgConnection, all: &[Promises]) {
        let objects = "SELECT object FROM audit WHERE action = $1 UNION SELECT object FROM audit_begun WHERE action = $1";
        let objects: Vec<String> = sqlx::query_scalar(objects)
            .bind("choose_offer")
            .fetch_all(&mut *database)
            .await
            .unwrap();
        let recorded: BTreeSet<&str> =
            objects.iter().filter_map(|it| it.split('/').nth(1)).collect();
        let acknowledged = all.iter().flat_map(|it| &it.confirmed);
        let missing: Vec<&String> =
            acknowledged.filter(|it| !recorded.contains(it.as_str())).collect();
        if !missing.is_empty() {
            self.tally.wrong(format!("not in the audit trail: {missing:?}"));
        }
        let twice = "SELECT string_agg(id::TEXT, ' and ') || ' at ' || at_us || ' from ' || MIN(source) || ': '
                || action || ' ' || object || ' ' || outcome
            FROM audit GROUP BY at_us, actor, action, object, outcome HAVING COUNT(*) > 1";
        let twice: Vec<String> = sqlx::query_scalar(twice).fetch_all(database).await.unwrap();
        if !twice.is_empty() {
            self.tally.wrong(format!("recorded twice: {twice:?}"));
        }
    }
}

/// Whether something is so in time.
async fn until(within: Duration, is_so: impl Fn() -> bool) -> bool {
    let give_up = Instant::now() + within;
    while !is_so() {
        if Instant::now() > give_up {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    true
}
