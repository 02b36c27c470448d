//! Which nodes jobs had, and for whom: those in reservations, and those outside of them.

use planner::identity::ReservationId;
use planner::ledger::{Claim, Holder, JobSubmission, Party};
use planner::node_set::NodeSet;
use planner::resource_manager::{JobPhase, ManagedJob};
use planner::time::{Span, Timestamp};
use storage::{EpochId, HeldNodes};

use super::sources::{Claimed, busy};
use crate::service::shared::{EpochNodes, StoredWords};

/// Nodes that a reservation had which the resource manager did not have: its jobs are told by their user and place.
struct Unmanaged<'a> {
    held: &'a HeldNodes,
    nodes: NodeSet,
}

impl Claimed<'_> {
    /// Which nodes of an epoch jobs had.
    pub(super) fn of_jobs(&self, id: EpochId, nodes: &EpochNodes) -> Vec<Claim> {
        let unmanaged = self.sources.held.iter().filter(|held| held.epoch == id && !held.managed);
        let unmanaged: Vec<Unmanaged<'_>> = unmanaged
            .map(|held| Unmanaged { held, nodes: nodes.order.ordinals(&held.ranks) })
            .collect();
        let mut claims = Vec::with_capacity(self.sources.jobs.len());
        for (reservation, job) in &self.sources.jobs {
            let Some(span) = self.span_of(job) else { continue };
            let ordinals = nodes.ordinals(job.nodes.iter().map(String::as_str));
            if reservation.is_some() {
                claims.push(self.of_job(*reservation, job, span, ordinals));
                continue;
            }
            for (within, span, ordinals) in self.parted(job, span, ordinals, &unmanaged) {
                claims.push(self.of_job(within, job, span, ordinals));
            }
        }
        claims
    }

    /// When a job had its nodes.
    fn span_of(&self, job: &ManagedJob) -> Option<Span> {
        // The end of one that runs is its limit, which it may have been given more of.
        let end = if job.phase == JobPhase::Ended { job.end? } else { self.window.end() };
        Span::new(job.start?, end)
    }

    fn of_job(
        &self,
        reservation: Option<ReservationId>,
        job: &ManagedJob,
        span: Span,
        nodes: NodeSet,
    ) -> Claim {
        let of = reservation.and_then(|id| self.reservations.get(&id));
        let nothing = StoredWords::default();
        let words = of.map_or(&nothing, |(_, words)| words);
        let owner = match (reservation, of) {
            (Some(_), of) => of.map(|(held, _)| held.owner.as_str()),
            (None, _) => self.owners.and_then(|owners| owners.owner_of(&job.user)),
        };
        let party = Party {
            reservation,
            job: job.id.clone(),
            user: job.user.clone(),
            owner: owner.unwrap_or_default().to_owned(),
            project: self.project(words, Some(&job.account)),
            application: words.label("application"),
            partition: job.partition.clone(),
            submission: self.stated.submission(&job.id, submission_of(job)),
            ..Party::of(Holder::Job)
        };
        Claim { party, span, nodes, draw: busy(of.map(|(held, _)| *held), words) }
    }

    /// What a job had that no reservation of the resource manager had, in parts: on nodes of a reservation that it does
    /// not have, and that the job may run in, it ran in this reservation.
    fn parted(
        &self,
        job: &ManagedJob,
        span: Span,
        nodes: NodeSet,
        unmanaged: &[Unmanaged<'_>],
    ) -> Vec<(Option<ReservationId>, Span, NodeSet)> {
        let (mut inside, mut outside) = (Vec::new(), vec![(span, nodes)]);
        for Unmanaged { held, nodes: theirs } in unmanaged {
            let meets = |(span, nodes): &(Span, NodeSet)| {
                span.overlaps(held.span) && nodes.intersects(theirs)
            };
            if !outside.iter().any(meets) || !self.admits(held, job) {
                continue;
            }
            for (span, nodes) in std::mem::take(&mut outside) {
                let both = span.intersection(held.span).filter(|_| nodes.intersects(theirs));
                let Some(both) = both else {
                    outside.push((span, nodes));
                    continue;
                };
                inside.push((Some(held.reservation), both, nodes.intersection(theirs)));
                let rest = (both.start(), both.end(), nodes.difference(theirs));
                let before = (span.start(), both.start(), nodes.clone());
                let parts = [before, rest, (both.end(), span.end(), nodes)];
                outside.extend(parts.into_iter().filter_map(not_empty));
            }
        }
        let outside = outside.into_iter().map(|(span, nodes)| (None, span, nodes));
        inside.into_iter().chain(outside).collect()
    }

    /// Whether a job may run in a reservation, by its owner's users and accounts.
    fn admits(&self, held: &HeldNodes, job: &ManagedJob) -> bool {
        let owners = self.owners.map(|owners| owners.job_owners(&held.owner));
        owners.is_some_and(|owners| owners.admit(&job.user, &job.account))
    }
}

fn submission_of(job: &ManagedJob) -> JobSubmission {
    JobSubmission { at: job.submitted, raw_id: job.raw_id }
}

fn not_empty((start, end, nodes): (Timestamp, Timestamp, NodeSet)) -> Option<(Span, NodeSet)> {
    Some((Span::new(start, end)?, nodes)).filter(|(_, nodes)| !nodes.is_empty())
}

#[cfg(test)]
mod tests {
    use planner::decimal::Fraction;
    use planner::ledger::{ClaimedDraw, Hour, Interval, LedgerRow, Overheads, StatedJobs, Tariff};
    use planner::quantity::{CarbonIntensity, Currency, EnergyPrice};
    use storage::LedgerSources;

    use super::*;
    use crate::config::job_owners::{JobOwners, OwnerUsers};
    use crate::config::ledger::LedgerSettings;
    use crate::service::ledger::worked_example::{at, held, job, no_sources, nodes, span};
    use crate::service::ledger::{HOUR, QUARTER};
    use crate::service::shared::rates;

    fn settings() -> LedgerSettings {
        LedgerSettings::read(toml::from_str("").unwrap()).unwrap()
    }

    /// The claims of four nodes in the first hour.
    fn claims(sources: &LedgerSources, owners: Option<&OwnerUsers>) -> Vec<Claim> {
        let (settings, stated, window) = (settings(), StatedJobs::default(), span(0, 3600));
        let claimed = Claimed::new(&settings, owners, sources, &stated, window).unwrap();
        claimed.of_epoch(EpochId::from(1), &nodes(4))
    }

    /// The rows of the first hour of four nodes, of which nothing is measured.
    fn rows(claims: &[Claim]) -> Vec<LedgerRow> {
        let tariff = Tariff {
            price: rates(Vec::new(), EnergyPrice::from_millionths_per_mwh).unwrap(),
            currency: Currency::EUR,
            by_location: rates(Vec::new(), CarbonIntensity::from_millionths_g_per_kwh).unwrap(),
            by_market: None,
            other: None,
        };
        let (mut hour, nodes) = (Hour::new(&tariff), nodes(4));
        for quarter in 0..HOUR.get() / QUARTER.get() {
            hour.add(&Interval {
                span: Span::starting(at(quarter * QUARTER.get()), QUARTER).unwrap(),
                nodes: &nodes.nodes,
                claims,
                measured: &[],
                racks: &[],
                site: None,
                overheads: &Overheads::of_millionths(Vec::new()),
            });
        }
        hour.rows()
    }

    /// Ada's reservation has n0 and n1 for the hour at half of what they can: 2 x 150 W x 3600 s = 1,080,000 J. Bob's job
    /// ran outside of it on n2 and n3 from 900 s to 2700 s: 2 x 200 W x 1800 s = 720,000 J. These are idle for the other
    /// 1800 s: 2 x 100 W x 1800 s = 360,000 J.
    #[test]
    fn a_job_outside_of_reservations_has_its_nodes_beside_one() {
        let mut sources = no_sources();
        sources.held = vec![held("{\"utilisation\": 0.5}", span(0, 3600), 0, 2)];
        sources.jobs = vec![(None, job("7", "bob", span(900, 2700), &["n2", "n3", "x9"]))];
        let owners = OwnerUsers::default();
        let rows = rows(&claims(&sources, Some(&owners)));
        let told: Vec<_> = rows
            .iter()
            .map(|row| (row.party.holder, row.amounts.node_s, row.amounts.estimated_j))
            .collect();
        let expected = [
            (Holder::Job, 3600, 720_000),
            (Holder::Reservation, 7200, 1_080_000),
            (Holder::Idle, 3600, 360_000),
        ];
        assert_eq!(told, expected);
        let party = Party {
            job: "7".to_owned(),
            user: "bob".to_owned(),
            owner: "bob".to_owned(),
            project: "physics".to_owned(),
            partition: "batch".to_owned(),
            submission: Some(submission_of(&sources.jobs[0].1)),
            ..Party::of(Holder::Job)
        };
        assert_eq!(rows[0].party, party);
    }

    #[test]
    fn jobs_outside_of_reservations_are_of_the_owner_who_is_their_user() {
        let owner_of = |owners: Option<&OwnerUsers>| {
            let mut sources = no_sources();
            sources.jobs = vec![(None, job("7", "bob", span(0, 900), &["n2"]))];
            claims(&sources, owners)[0].party.owner.clone()
        };
        let users = |owner: &str| {
            let users = ["bob".to_owned()].into();
            (owner.to_owned(), JobOwners { users, ..JobOwners::default() })
        };
        let robert: OwnerUsers = [users("robert")].into_iter().collect();
        assert_eq!(owner_of(Some(&robert)), "robert");
        let both: OwnerUsers = [users("robert"), users("roberta")].into_iter().collect();
        assert_eq!(owner_of(Some(&both)), "", "it may be either");
        assert_eq!(owner_of(None), "", "nobody knows any more");
    }

    /// Ada's reservation, which Slurm does not have, has n0 and n1 from 900 s to 2700 s, and her job n1 and n2 for the
    /// hour: in the reservation is n1 for 1800 s; outside of it n1 for 900 s before and after, and n2 for 3600 s.
    #[test]
    fn a_job_is_in_a_reservation_of_its_owner_that_slurm_does_not_have() {
        let mut sources = no_sources();
        sources.held = vec![held("{\"utilisation\": 0.5}", span(900, 2700), 0, 2)];
        sources.jobs = vec![(None, job("7", "ada", span(0, 3600), &["n1", "n2"]))];
        let owners = OwnerUsers::default();
        let parts = |user: &str| {
            let mut sources = sources.clone();
            sources.jobs[0].1.user = user.to_owned();
            let claims = claims(&sources, Some(&owners));
            let jobs = claims.into_iter().filter(|claim| claim.party.holder == Holder::Job);
            let seconds = |it: &Claim| it.span.length().get() * i64::from(it.nodes.count());
            let (inside, outside): (Vec<Claim>, Vec<Claim>) =
                jobs.partition(|claim| claim.party.reservation.is_some());
            [inside, outside].map(|claims| {
                let half = claims.iter().all(|it| it.draw != ClaimedDraw::Busy(Fraction::ONE));
                (claims.iter().map(seconds).sum::<i64>(), half)
            })
        };
        assert_eq!(parts("ada"), [(1800, true), (900 + 900 + 3600, false)]);
        assert_eq!(parts("bob"), [(0, true), (2 * 3600, false)], "he may not run in it");
    }
}
