//! What Slurm is asked.

use planner::resource_manager::{ManagedJob, ManagedNode, ManagedReservation, ManagerError};
use planner::time::Timestamp;
use serde::de::DeserializeOwned;
use tokio::sync::Mutex;

use crate::document::Document;
use crate::jobs::JobDocument;
use crate::nodes::{NodeDocument, NodeEnergy};
use crate::reservations::ReservationDocument;
use crate::rest::{INVALID_RESERVATION, Rest, blocking};
use crate::scontrol::Scontrol;
use crate::settings::SlurmSettings;
use crate::versions::{self, DataParser, Spoken};

/// "No change in data", which some versions complain of instead of answering 304.
const NO_CHANGE: i64 = 1900;

/// slurmrestd's number for a name that is not there.
const NOT_FOUND: i64 = 9000;

/// A Slurm: slurmrestd, and `scontrol` for what it cannot do. Methods may be called at the same time.
#[derive(Debug)]
pub struct Slurm {
    pub(crate) rest: Rest,
    pub(crate) scontrol: Option<Scontrol>,
    /// Whether slurmdbd is asked.
    pub(crate) accounting: bool,
    /// What was found out of it; nothing after errors, so that it is found out again.
    spoken: Mutex<Option<Spoken>>,
}

/// What Slurm is, and what can be done by which way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// The release, such as `22.05.8`; empty where it is not told.
    pub version: String,
    /// The cluster's name, where it can be found out.
    pub cluster: Option<String>,
    /// The version of the documents that are spoken, such as `v0.0.38`.
    pub data_parser: String,
    /// How nodes, reservations and jobs are read.
    pub reads: Way,
    /// How reservations and nodes are changed.
    pub writes: Way,
    /// The controller's clock when it answered, where it told.
    pub clock: Option<Timestamp>,
    /// Whether who asks may make and remove reservations, where that was asked and can be found out.
    pub may_write: Option<bool>,
}

/// By which way something is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// By slurmrestd.
    Rest,
    /// By the command `scontrol`.
    Scontrol,
    /// By none, and why not and what helps.
    None(String),
}

/// What a list was when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing<T> {
    /// The controller's clock: what changed before is in the list.
    pub at: Timestamp,
    /// The items.
    pub items: Vec<T>,
}

impl Slurm {
    /// The Slurm of these settings. Nothing is asked of it yet.
    ///
    /// # Errors
    /// Unsupported where the settings cannot be used: nothing can be read without slurmrestd.
    pub fn new(mut settings: SlurmSettings) -> Result<Self, ManagerError> {
        let address = settings.rest.take().ok_or_else(|| {
            ManagerError::Unsupported(
                "[slurm] rest is not set: nodes, reservations and jobs are read by slurmrestd; start it \
                 and say where it listens"
                    .to_owned(),
            )
        })?;
        let rest = Rest::new(address, &settings)?;
        let accounting = settings.accounting;
        let scontrol = Scontrol::new(settings);
        Ok(Self { rest, scontrol, accounting, spoken: Mutex::new(None) })
    }

    /// What it is and what can be done with it, found out anew. To find out whether who asks may write, a
    /// removal is asked for.
    ///
    /// # Errors
    /// Unreachable, denied, or a slurmrestd that is too old.
    pub async fn about(&self) -> Result<About, ManagerError> {
        self.found_out(true).await
    }

    /// What it is, found out by reading alone: whether who asks may write is left out.
    ///
    /// # Errors
    /// Unreachable, denied, or a slurmrestd that is too old.
    pub async fn about_by_reading(&self) -> Result<About, ManagerError> {
        self.found_out(false).await
    }

    async fn found_out(&self, asks_rights: bool) -> Result<About, ManagerError> {
        self.forget().await;
        let spoken = self.spoken().await?;
        let writes = self.way_of_writing(&spoken);
        let cluster = match spoken.cluster {
            Some(name) => Some(name),
            None => self.cluster_by_scontrol().await,
        };
        let may_write = if asks_rights { self.may_write(&writes).await } else { None };
        // Last, so that who compares it compares it with an instant close by.
        let clock = match versions::clock(&self.rest, spoken.slurm).await {
            Err(ManagerError::Unreadable(_)) => None,
            clock => Some(self.remembering(clock).await?),
        };
        Ok(About {
            version: spoken.release,
            cluster,
            data_parser: spoken.slurm.to_string(),
            reads: Way::Rest,
            may_write,
            writes,
            clock,
        })
    }

    /// The nodes; `None` where nothing changed since the clock `known` of an earlier listing.
    ///
    /// # Errors
    /// Unreachable, denied, unreadable.
    pub async fn nodes(
        &self,
        known: Option<Timestamp>,
    ) -> Result<Option<Listing<ManagedNode>>, ManagerError> {
        let listing = self.listing::<NodeDocument>("nodes", known, &[]).await?;
        Ok(listing.map(|Listing { at, items }| Listing {
            at,
            items: items.into_iter().map(ManagedNode::from).collect(),
        }))
    }

    /// What its energy plugin measured of each node last.
    ///
    /// # Errors
    /// Unreachable, denied, unreadable.
    pub async fn node_energy(&self) -> Result<Vec<NodeEnergy>, ManagerError> {
        let listing = self.listing::<NodeDocument>("nodes", None, &[]).await?;
        let nodes = listing.map(|it| it.items).unwrap_or_default();
        Ok(nodes.into_iter().map(NodeEnergy::from).collect())
    }

    /// The reservations, ours and others; `None` where nothing changed since the clock `known` of an
    /// earlier listing.
    ///
    /// # Errors
    /// Unreachable, denied, unreadable.
    pub async fn reservations(
        &self,
        known: Option<Timestamp>,
    ) -> Result<Option<Listing<ManagedReservation>>, ManagerError> {
        let listing = self.listing::<ReservationDocument>("reservations", known, &[]).await?;
        converted(listing).await
    }

    /// The jobs that slurmctld knows: those that wait or run, and those that ended less than its `MinJobAge`
    /// ago; `None` where nothing changed since the clock `known` of an earlier listing.
    ///
    /// # Errors
    /// Unreachable, denied, unreadable.
    pub async fn jobs(
        &self,
        known: Option<Timestamp>,
    ) -> Result<Option<Listing<ManagedJob>>, ManagerError> {
        let parser = self.spoken().await?.slurm;
        // Without DETAIL each job is told without its cores, which are most of the answer.
        let flags: &[_] = if parser.knows_flags() { &[("flags", "ALL")] } else { &[] };
        let listing = self.listing::<JobDocument>("jobs", known, flags).await?;
        converted(listing).await
    }

    /// The reservation of this name; `None` where there is none.
    ///
    /// # Errors
    /// Unreachable, denied, unreadable.
    pub async fn reservation(
        &self,
        name: &str,
    ) -> Result<Option<ManagedReservation>, ManagerError> {
        let spoken = self.spoken().await?;
        let path = format!("slurm/{}/reservation/{}", spoken.slurm, segment(name));
        let document = match self.rest.get::<ReservationDocument>(&path, &[]).await {
            Err(ManagerError::Refused { code: Some(INVALID_RESERVATION | NOT_FOUND), .. }) => {
                return Ok(None);
            }
            answer => self.remembering(answer).await?,
        };
        let read = document.into_iter().flat_map(|it| it.items).next();
        read.map(ManagedReservation::try_from).transpose()
    }

    /// What is spoken with it, found out if it is not known.
    pub(crate) async fn spoken(&self) -> Result<Spoken, ManagerError> {
        let mut spoken = self.spoken.lock().await;
        if let Some(known) = spoken.as_ref() {
            return Ok(known.clone());
        }
        let found = versions::find_out(&self.rest).await?;
        Ok(spoken.insert(found).clone())
    }

    async fn forget(&self) {
        *self.spoken.lock().await = None;
    }

    /// Passes an answer on. After errors another version may be there: what is spoken is found out again.
    pub(crate) async fn remembering<T>(
        &self,
        answer: Result<T, ManagerError>,
    ) -> Result<T, ManagerError> {
        if !matches!(answer, Ok(_) | Err(ManagerError::Refused { .. } | ManagerError::Unknown(_))) {
            self.forget().await;
        }
        answer
    }

    /// The list `what`; `None` where nothing changed since `known`.
    async fn listing<T: DeserializeOwned + Send + 'static>(
        &self,
        what: &str,
        known: Option<Timestamp>,
        flags: &[(&str, &str)],
    ) -> Result<Option<Listing<T>>, ManagerError> {
        let parser = self.spoken().await?.slurm;
        let answer = self.list_of(parser, what, known, flags).await;
        self.remembering(answer).await
    }

    async fn list_of<T: DeserializeOwned + Send + 'static>(
        &self,
        parser: DataParser,
        what: &str,
        known: Option<Timestamp>,
        flags: &[(&str, &str)],
    ) -> Result<Option<Listing<T>>, ManagerError> {
        // Read before the list, so that a change in between is read again.
        let before = if parser.tells_clock() {
            None
        } else {
            Some(versions::clock(&self.rest, parser).await?)
        };
        // Where the clock was set back, nothing would have changed until it is as late again.
        let known = known.filter(|known| before.is_none_or(|before| before >= *known));
        let mut query: Vec<_> =
            flags.iter().map(|(key, value)| (*key, (*value).to_owned())).collect();
        if let Some(known) = known {
            query.push(("update_time", known.as_unix_seconds().to_string()));
        }
        let path = format!("slurm/{parser}/{what}");
        let document: Document<T> = match self.rest.get(&path, &query).await {
            Ok(Some(document)) => document,
            Ok(None) | Err(ManagerError::Refused { code: Some(NO_CHANGE), .. }) => return Ok(None),
            // v0.0.38 answers so where nodes changed and their partitions did not, and where a token is
            // refused. Without `update_time` it says which.
            Err(ManagerError::Denied(_)) if known.is_some() => {
                query.pop();
                match self.rest.get(&path, &query).await? {
                    Some(document) => document,
                    None => return Ok(None),
                }
            }
            Err(error) => return Err(error),
        };
        let at = before.or_else(|| document.last_update.instant());
        match at {
            Some(at) => Ok(Some(Listing { at, items: document.items })),
            // 26.05 says so, with an empty list, that no job changed.
            None if known.is_some() && document.items.is_empty() => Ok(None),
            None => Err(ManagerError::Unreadable(format!("the list of {what} has no time"))),
        }
    }
}

/// A list of documents as values.
async fn converted<T, U>(listing: Option<Listing<T>>) -> Result<Option<Listing<U>>, ManagerError>
where
    T: Send + 'static,
    U: TryFrom<T, Error = ManagerError> + Send + 'static,
{
    let Some(Listing { at, items }) = listing else { return Ok(None) };
    let items = blocking(move || items.into_iter().map(U::try_from).collect::<Result<_, _>>());
    Ok(Some(Listing { at, items: items.await?? }))
}

/// A name as a segment of a path.
pub(crate) fn segment(name: &str) -> String {
    url::form_urlencoded::byte_serialize(name.as_bytes()).collect::<String>().replace('+', "%20")
}
