//! Which resource of a controller tells what is asked.

use std::collections::HashSet;

use bmc::session::{Session, payload};
use grid_feeds::feed::FeedError;
use serde_json::Value;

use super::document::{RedfishValue, milli};

/// No more members of a collection are looked at.
const MOST_MEMBERS: usize = 32;

/// The path of the resource that tells, and what it tells now.
///
/// # Errors
/// As [`Session::get`]; where no resource tells it, or several do of which none is the whole.
pub(super) async fn search(
    session: &mut Session<'_>,
    value: RedfishValue,
) -> Result<(String, i64), FeedError> {
    if let Some(found) = of_systems(session, value).await? {
        return Ok(found);
    }
    let chassis = members(session, "/redfish/v1/Chassis").await?;
    let all: HashSet<String> = chassis.iter().map(|(path, _)| path.clone()).collect();
    let (mut telling, mut inner) = (Vec::new(), Vec::new());
    for (_, chassis) in &chassis {
        let Some(found) =
            of_links(session, chassis, &["EnvironmentMetrics", "Power"], value).await?
        else {
            continue;
        };
        let around = link(chassis.get("Links").unwrap_or(&Value::Null), "ContainedBy");
        let is_inner = around.is_some_and(|around| all.contains(&around));
        if is_inner { inner.push(found) } else { telling.push(found) }
    }
    // A part may tell where the whole does not.
    if telling.is_empty() {
        telling = inner;
    }
    match telling.len() {
        1 => Ok(telling.remove(0)),
        0 => Err(payload(
            "/redfish/v1/Chassis",
            "no chassis tells it: neither EnvironmentMetrics nor Power has the number; it may be told only \
             while the node is on, or by this vendor's own resources, which `path` can name",
        )),
        _ => {
            let paths: Vec<&str> = telling.iter().map(|(path, _)| path.as_str()).collect();
            let message = format!("several tell it: {}; say in `path` which", paths.join(", "));
            Err(payload("/redfish/v1/Chassis", &message))
        }
    }
}

/// What the one system of the controller tells itself; few do.
async fn of_systems(
    session: &mut Session<'_>,
    value: RedfishValue,
) -> Result<Option<(String, i64)>, FeedError> {
    let systems = match members(session, "/redfish/v1/Systems").await {
        Err(FeedError::Refused { status: 404, .. }) => return Ok(None),
        systems => systems?,
    };
    match systems.as_slice() {
        [(_, system)] => of_links(session, system, &["EnvironmentMetrics"], value).await,
        _ => Ok(None),
    }
}

/// The first resource of these that tells; a controller may link to what it does not have.
async fn of_links(
    session: &mut Session<'_>,
    owner: &Value,
    names: &[&str],
    value: RedfishValue,
) -> Result<Option<(String, i64)>, FeedError> {
    for path in names.iter().filter_map(|name| link(owner, name)) {
        let resource = match session.get(&path).await {
            Err(FeedError::Refused { status: 404, .. }) => continue,
            resource => resource?,
        };
        let told = milli(&resource, value).map_err(|error| payload(&path, &error))?;
        if let Some(milli) = told {
            return Ok(Some((path, milli)));
        }
    }
    Ok(None)
}

/// The members of a collection, each with its path.
async fn members(
    session: &mut Session<'_>,
    collection: &str,
) -> Result<Vec<(String, Value)>, FeedError> {
    let document = session.get(collection).await?;
    let listed = document.get("Members").and_then(Value::as_array);
    let paths = listed.into_iter().flatten().filter_map(|it| it.get("@odata.id")?.as_str());
    let mut members = Vec::new();
    for path in paths.take(MOST_MEMBERS) {
        members.push((path.to_owned(), session.get(path).await?));
    }
    Ok(members)
}

/// The path of the resource that a property links to.
fn link(owner: &Value, name: &str) -> Option<String> {
    Some(owner.get(name)?.get("@odata.id")?.as_str()?.to_owned())
}
