//! Making series.

use storage::{
    CreateSeriesError, RecurringSeries, SeriesChange, SeriesFilter, SeriesId, SeriesState,
};
use uuid::Uuid;

use super::reconcile::{HEAD_START, planned};
use super::{SeriesError, SeriesRequest, SeriesService, standing_of, told};
use crate::service::booking::BookingError;
use crate::service::shared::{Access, IdempotencyKey, KeyError};

/// The status of the answer to a series that was made: 201.
const MADE: u16 = 201;

/// What became of a request for a series.
#[derive(Clone, Copy, Debug)]
pub enum MadeSeries {
    /// A new one.
    New(SeriesId),
    /// The key was used before for the same request: the series of then.
    Before(SeriesId),
}

impl SeriesService {
    /// Makes a series, and books the occurrences whose windows are known.
    ///
    /// # Errors
    /// `Refused` where one is impossible and all were wanted or none, `TooMany`, `Key`, and of bookings
    /// `PriorityIsForOperators`, `NotInProject` and `NoProject`.
    pub async fn make(
        &self,
        access: Access<'_>,
        asked: SeriesRequest,
        key: Option<&IdempotencyKey>,
    ) -> Result<MadeSeries, SeriesError> {
        let SeriesRequest { request, rule, windows } = asked;
        if request.priority > 0 && !access.is_operator() {
            return Err(BookingError::PriorityIsForOperators.into());
        }
        let request = self.booking.with_project(access, request)?;
        let request = self.booking.within_rights(access, request)?;
        self.admit(access).await?;
        let (id, now) = (SeriesId::new(Uuid::now_v7()), self.shared.now());
        let series = RecurringSeries {
            id,
            owner: access.owner.to_owned(),
            project: request.project.clone().unwrap_or_default(),
            standing: standing_of(access),
            state: SeriesState::Running,
            request: request.document(),
            rule,
            being_made: true,
            releases: false,
            created: now,
            ended: None,
            revision: 1,
            row_version: 1,
        };
        let by = now + HEAD_START;
        let to_come = windows.iter().filter(|it| it.latest_start >= now);
        let rest = SeriesChange {
            added: to_come.map(|window| planned(id, window, by)).collect(),
            events: vec![told("series.created", &series)],
            ..SeriesChange::default()
        };
        let record = key.map(|key| key.record(access.owner, MADE, id.as_uuid(), now));
        match self.shared.database.create_series(&series, &rest, record.as_ref()).await {
            Ok(()) => {}
            Err(CreateSeriesError::IdempotencyKeyReused) => {
                let before = self.made_before(access.owner, key).await?;
                return before.ok_or(SeriesError::Key(KeyError::Reused));
            }
            Err(CreateSeriesError::Storage(error)) => return Err(error.into()),
        }
        self.work_at_once(id, rest.added.len(), by).await?;
        self.refused(id).await?;
        Ok(MadeSeries::New(id))
    }

    /// The series that was made with this key, if there is a key and it was used.
    ///
    /// # Errors
    /// [`KeyError::Reused`] where it was used for another request.
    pub async fn made_before(
        &self,
        owner: &str,
        key: Option<&IdempotencyKey>,
    ) -> Result<Option<MadeSeries>, KeyError> {
        let id = self.shared.answered_before(owner, key, MADE).await?;
        Ok(id.map(|id| MadeSeries::Before(SeriesId::new(id))))
    }

    /// Refuses where somebody has as many series as one may have; operators may.
    pub(super) async fn admit(&self, access: Access<'_>) -> Result<(), SeriesError> {
        let most = self.shared.settings.limits.series_per_user;
        if access.is_operator() {
            return Ok(());
        }
        let filter = SeriesFilter {
            owner: Some(access.owner.to_owned()),
            states: vec![SeriesState::Running],
            seen_by: None,
        };
        let running = self.shared.database.list_series(&filter, None, most).await?;
        if running.len() < usize::from(most) { Ok(()) } else { Err(SeriesError::TooMany(most)) }
    }

    /// An error where a series was refused: nothing of it is booked any more.
    async fn refused(&self, id: SeriesId) -> Result<(), SeriesError> {
        let series = self.shared.database.series(id).await?.ok_or(SeriesError::NoSeries(id))?;
        if series.state != SeriesState::Refused {
            return Ok(());
        }
        let occurrences = self.shared.database.occurrences_of(id).await?;
        self.work_at_once(id, occurrences.len(), self.shared.now() + HEAD_START).await?;
        let impossible = occurrences.into_iter().find_map(|it| Some((it.occurrence, it.reason?)));
        let (occurrence, (_, reason)) = impossible.unwrap_or_default();
        Err(SeriesError::Refused { occurrence, reason })
    }
}
