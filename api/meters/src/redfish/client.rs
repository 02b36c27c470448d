//! What controllers are asked, many at once.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bmc::access::Access;
use bmc::address::{Addresses, filled};
use bmc::session::{Session, payload};
use futures_util::StreamExt;
use futures_util::stream;
use grid_feeds::feed::{FeedError, Secret};
use grid_feeds::http::Http;
use planner::metering::{Sample, SampleTime};

use super::document::{RedfishValue, milli};
use super::search::search;
use crate::answer::{Answer, gathered};

/// The controllers of nodes, and what is asked of them.
#[derive(Clone, Debug)]
pub struct RedfishSettings {
    /// Where they are: URLs without a path.
    pub addresses: Addresses,
    /// The path of the resource, where `{node}` stands for the node; looked for unless given.
    pub path: Option<String>,
    /// Who asks.
    pub access: Access,
    /// Whether sessions are opened instead of showing the password each time.
    pub sessions: bool,
    /// What is read.
    pub value: RedfishValue,
    /// How many are asked at once.
    pub at_once: usize,
}

/// Controllers that can be asked.
#[derive(Debug)]
pub struct Redfish {
    settings: RedfishSettings,
    http: Http,
    /// What was found out of controllers, by node.
    known: Mutex<HashMap<String, Known>>,
}

/// What was found out of a controller.
#[derive(Clone, Debug, Default)]
struct Known {
    path: Option<String>,
    token: Option<Secret>,
}

impl Redfish {
    /// The controllers of these settings; nothing is asked of them yet.
    pub fn new(settings: RedfishSettings, http: Http) -> Self {
        Self { settings, http, known: Mutex::default() }
    }

    /// What the controllers of these nodes tell now. What some of them fail to tell is noted.
    ///
    /// # Errors
    /// Where none tells anything: the failure of one of them.
    pub async fn samples(
        &self,
        nodes: &[String],
        clock: &(dyn Fn() -> SampleTime + Sync),
    ) -> Result<Answer, FeedError> {
        // One by one, and not by a closure: the compiler must see that answers may be sent between threads.
        let mut asked = Vec::with_capacity(nodes.len());
        for node in nodes {
            asked.push(self.ask_for(node, clock));
        }
        let told = stream::iter(asked).buffer_unordered(self.settings.at_once).collect();
        let told: Vec<_> = told.await;
        gathered(told)
    }

    async fn ask_for<'n>(
        &self,
        node: &'n str,
        clock: &(dyn Fn() -> SampleTime + Sync),
    ) -> (&'n str, Result<Sample, FeedError>) {
        (node, self.ask(node, clock).await)
    }

    async fn ask(
        &self,
        node: &str,
        clock: &(dyn Fn() -> SampleTime + Sync),
    ) -> Result<Sample, FeedError> {
        let base = self.settings.addresses.needed(node)?.trim_end_matches('/').to_owned();
        let known = self.known().get(node).cloned().unwrap_or_default();
        let settings = &self.settings;
        let mut session = Session {
            http: &self.http,
            base,
            access: &settings.access,
            opens: settings.sessions,
            now: clock().second(),
            token: known.token,
        };
        let given = settings.path.as_ref().map(|path| filled(path, node));
        let told = match given.clone().or_else(|| known.path.clone()) {
            Some(path) => {
                let told = self.told(&mut session, &path).await;
                told.map(|milli| (path, milli))
            }
            None => search(&mut session, settings.value).await,
        };
        let found = match &told {
            Ok((path, _)) => Some(path.clone()),
            // Firmware is changed, and controllers are replaced.
            Err(FeedError::Refused { .. }) => None,
            Err(_) => known.path,
        };
        let found = Known { path: found.filter(|_| given.is_none()), token: session.token };
        self.known().insert(node.to_owned(), found);
        Ok(Sample { at: clock(), value_milli: told?.1 })
    }

    async fn told(&self, session: &mut Session<'_>, path: &str) -> Result<i64, FeedError> {
        let resource = session.get(path).await?;
        let told = milli(&resource, self.settings.value);
        let told = told.map_err(|error| payload(path, &error))?;
        told.ok_or_else(|| payload(path, "has no number now: null, or left out"))
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
