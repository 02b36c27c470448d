//! What operators do by commands that read and write the database themselves, in the same trail as requests.

use storage::{AuditEnd, AuditEntry, Database};

use crate::clock::Clock;

/// Where commands come from.
const COMMAND_LINE: &str = "command-line";

/// What a command did.
pub struct CommandRecord<'a> {
    /// Such as `token.create`.
    pub action: &'static str,
    /// What it was done to.
    pub object: String,
    /// Whose that is; empty for nobody's.
    pub owner: &'a str,
    /// What came of it.
    pub outcome: &'static str,
}

impl CommandRecord<'_> {
    /// Records it.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn write(self, database: &Database) -> anyhow::Result<()> {
        let entry = self.entry();
        database.keep_audit(&[], &[AuditEnd { intent: None, entry }], 0).await?;
        Ok(())
    }

    /// As it is recorded. The actor is who the system's environment says that runs the command: whoever may write the database
    /// could say that they are somebody else.
    pub fn entry(self) -> AuditEntry {
        let named = ["LOGNAME", "USER"].iter().find_map(|name| std::env::var(name).ok());
        let actor = named.unwrap_or_else(|| "unknown".to_owned());
        let acting_for = if self.owner == actor { "" } else { self.owner };
        AuditEntry {
            at_us: Clock::default().now_us(),
            acting_for: acting_for.to_owned(),
            actor,
            source: COMMAND_LINE.to_owned(),
            action: self.action.to_owned(),
            object: self.object,
            outcome: self.outcome.to_owned(),
            ..AuditEntry::default()
        }
    }
}
