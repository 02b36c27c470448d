//! Slurm as the resource manager.

use planner::resource_manager::{
    ManagedJob, ManagedNode, ManagedReservation, ManagerError, WantedReservation,
};
use planner::time::{Span, Timestamp};
use slurm::{About, Listing, PowerDown, Slurm, Way};

use super::port::{Answer, ManagerAbout, ManagerList, PowerDriver, ResourceManager};

impl ResourceManager for Slurm {
    fn about(&self, drives: bool) -> Answer<'_, ManagerAbout> {
        Box::pin(async move {
            let told = if drives { Self::about(self).await } else { self.about_by_reading().await };
            Ok(about(told?))
        })
    }

    fn nodes(&self, known: Option<Timestamp>) -> Answer<'_, Option<ManagerList<ManagedNode>>> {
        Box::pin(async move { Ok(Self::nodes(self, known).await?.map(list)) })
    }

    fn reservations(
        &self,
        known: Option<Timestamp>,
    ) -> Answer<'_, Option<ManagerList<ManagedReservation>>> {
        Box::pin(async move { Ok(Self::reservations(self, known).await?.map(list)) })
    }

    fn jobs(&self, known: Option<Timestamp>) -> Answer<'_, Option<ManagerList<ManagedJob>>> {
        Box::pin(async move { Ok(Self::jobs(self, known).await?.map(list)) })
    }

    fn ended_jobs<'a>(&'a self, id: &'a str) -> Answer<'a, Vec<ManagedJob>> {
        Box::pin(Self::ended_jobs(self, id))
    }

    fn ended_jobs_in<'a>(
        &'a self,
        reservation: &'a WantedReservation,
    ) -> Answer<'a, Vec<ManagedJob>> {
        Box::pin(Self::ended_jobs_in(self, reservation))
    }

    fn ended_jobs_during(&self, span: Span) -> Answer<'_, Vec<ManagedJob>> {
        Box::pin(Self::ended_jobs_during(self, span))
    }

    fn reservation<'a>(&'a self, name: &'a str) -> Answer<'a, Option<ManagedReservation>> {
        Box::pin(Self::reservation(self, name))
    }

    fn put_reservation<'a>(
        &'a self,
        wanted: &'a WantedReservation,
        replaces: Option<&'a ManagedReservation>,
    ) -> Answer<'a, ()> {
        Box::pin(Self::put_reservation(self, wanted, replaces))
    }

    fn refuses_nodes(&self, error: &ManagerError) -> bool {
        slurm::refuses_nodes(error)
    }

    fn remove_reservation<'a>(&'a self, name: &'a str) -> Answer<'a, ()> {
        Box::pin(Self::remove_reservation(self, name))
    }

    fn cancel_job<'a>(&'a self, id: &'a str) -> Answer<'a, ()> {
        Box::pin(Self::cancel_job(self, id))
    }
}

impl PowerDriver for Slurm {
    fn power_up<'a>(&'a self, nodes: &'a [String]) -> Answer<'a, ()> {
        Box::pin(Self::power_up(self, nodes))
    }

    fn power_down<'a>(&'a self, nodes: &'a [String]) -> Answer<'a, ()> {
        Box::pin(Self::power_down(self, nodes, PowerDown::AtOnce))
    }
}

fn list<T>(Listing { at, items }: Listing<T>) -> ManagerList<T> {
    ManagerList { at, items }
}

fn about(it: About) -> ManagerAbout {
    let rest = format!("slurmrestd {}", it.data_parser);
    let way = |way: Way| match way {
        Way::Rest => Ok(rest.clone()),
        Way::Scontrol => Ok("scontrol".to_owned()),
        Way::None(why) => Err(why),
    };
    ManagerAbout {
        version: it.version,
        cluster: it.cluster,
        reads_by: way(it.reads).unwrap_or_else(|why| why),
        writes_by: way(it.writes),
        clock: it.clock,
        may_write: it.may_write,
    }
}
