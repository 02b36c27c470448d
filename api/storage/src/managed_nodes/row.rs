//! Rows of the resource manager's nodes, and their way into the domain.

use planner::resource_manager::KnownNode;
use sqlx::FromRow;

use crate::error::StorageError;
use crate::row::{RowPlace, instant};

#[derive(FromRow)]
pub(crate) struct ManagedNodeRow {
    name: String,
    address: String,
    cpus: i64,
    memory_mib: i64,
    generic_resources: String,
    gone_s: Option<i64>,
}

impl TryFrom<ManagedNodeRow> for KnownNode {
    type Error = StorageError;

    fn try_from(row: ManagedNodeRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "managed_nodes", row: &row.name };
        Ok(Self {
            cpus: place.count("cpus", row.cpus)?,
            memory_mib: place.readable("memory_mib", u64::try_from(row.memory_mib).ok())?,
            address: row.address.into(),
            generic_resources: row.generic_resources.into(),
            gone: instant(row.gone_s),
            name: row.name.into(),
        })
    }
}
