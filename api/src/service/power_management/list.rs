//! Power actions, holds and the log as people see them.

use storage::{PowerAction, PowerActionFilter, PowerHold, PowerLogEntry, PowerLogFilter};

use super::{PowerManagementError, PowerManagementService};

/// Power actions, and the nodes that are held.
#[derive(Clone, Debug, PartialEq)]
pub struct PowerActionList {
    /// The newest first.
    pub actions: Vec<PowerAction>,
    /// By name.
    pub holds: Vec<PowerHold>,
}

impl PowerManagementService {
    /// Power actions, and the nodes that are held now.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn list(
        &self,
        filter: &PowerActionFilter,
    ) -> Result<PowerActionList, PowerManagementError> {
        let actions = self.shared.database.power_actions(filter).await?;
        let holds = self.shared.database.power_holds(self.shared.now()).await?;
        let is_meant = |it: &PowerHold| filter.node.as_ref().is_none_or(|node| *node == it.node);
        Ok(PowerActionList { actions, holds: holds.into_iter().filter(is_meant).collect() })
    }

    /// What was decided and done, the newest first.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn log(
        &self,
        filter: &PowerLogFilter,
    ) -> Result<Vec<PowerLogEntry>, PowerManagementError> {
        Ok(self.shared.database.power_log(filter).await?)
    }
}
