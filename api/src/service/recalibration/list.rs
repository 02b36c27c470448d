//! Nodes as they were judged, for those who ask.

use storage::{JudgedCounts, JudgedNode, JudgedStanding, RecalibrationState};

use super::{RecalibrationService, follows};
use crate::config::calibration::Follow;
use crate::service::shared::{Fault, cut_page};

/// How calibration stands.
#[derive(Clone, Copy, Debug)]
pub struct JudgedList {
    /// What becomes of what is measured; off, too, where no meter measures nodes.
    pub follow: Follow,
    /// When nodes were judged.
    pub state: RecalibrationState,
    /// How many there are of each standing.
    pub counts: JudgedCounts,
}

/// A page of nodes by name.
pub struct JudgedPage {
    /// How all stand.
    pub list: JudgedList,
    /// The nodes.
    pub nodes: Vec<JudgedNode>,
    /// The name after which the next page starts.
    pub next: Option<String>,
}

impl RecalibrationService {
    /// A page of nodes as they were judged, after a name; of one standing where that is said.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn judged(
        &self,
        standing: Option<JudgedStanding>,
        after: &str,
        limit: u16,
    ) -> Result<JudgedPage, Fault> {
        let settings = &self.shared.settings;
        let (state, counts) = self.shared.database.judged_counts().await?;
        let mut nodes = self.shared.database.judged_page(standing, after, limit + 1).await?;
        let next = cut_page(&mut nodes, limit, |it| it.node.clone());
        let follow = if follows(settings) { settings.calibration.follow } else { Follow::Off };
        Ok(JudgedPage { list: JudgedList { follow, state, counts }, nodes, next })
    }
}
