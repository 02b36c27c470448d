//! How meters stand.

use std::collections::HashMap;

use planner::metering::SampleTime;
use storage::PolledMeter;

use super::MeterService;
use crate::config::meters::MeterSettings;
use crate::service::shared::Fault;

/// A meter of the settings, and how it stands.
#[derive(Clone, Debug)]
pub struct MeterStatus {
    /// What the settings say.
    pub settings: MeterSettings,
    /// How it stands where it is asked; `None` where its samples are sent, and before the first poll.
    pub polled: Option<PolledMeter>,
}

impl MeterService {
    /// The meters of the settings in their order, and how they stand, whichever process asks them.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn meters(&self) -> Result<Vec<MeterStatus>, Fault> {
        let polled = self.shared.database.polled_meters().await?;
        let mut of: HashMap<String, PolledMeter> =
            polled.into_iter().map(|it| (it.id.clone(), it)).collect();
        let all = self.shared.settings.metering.meters.iter();
        let status = |settings: &MeterSettings| MeterStatus {
            settings: settings.clone(),
            polled: of.remove(&*settings.meter.name).filter(|_| settings.source.is_polled()),
        };
        Ok(all.map(status).collect())
    }

    /// The meters of the settings that have a sample, with how many seconds ago the newest of each was measured.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn ages(&self) -> Result<Vec<(&str, f64)>, Fault> {
        let now_ms = SampleTime::of(self.shared.now()).as_unix_milliseconds();
        let newest: HashMap<String, i64> =
            self.shared.database.newest_sample_times().await?.into_iter().collect();
        let all = self.shared.settings.metering.meters.iter();
        let age = |settings: &'_ MeterSettings| newest.get(&*settings.meter.name).copied();
        let age_s = |at_ms: i64| (now_ms - at_ms) as f64 / 1000.0;
        Ok(all.filter_map(|it| Some((&*it.meter.name, age_s(age(it)?)))).collect())
    }
}
