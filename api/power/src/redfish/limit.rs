//! Power limits: where a controller has one, what it is, and how it is changed.

use std::fmt;

use bmc::session::{Change, Resource, Session, payload};
use grid_feeds::feed::FeedError;
use planner::quantity::Power;
use reqwest::Method;
use serde_json::{Value, json};

use super::resource::{link, paths, read_optional, text, watts};
use super::system;
use crate::error::PowerError;
use crate::limit::{LimitReading, PowerLimit, of_watts};

/// In which resource the limit of a node stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub path: String,
    pub kind: Kind,
}

/// The kinds of resources with power limits, the newest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `EnvironmentMetrics`: `PowerLimitWatts`.
    Environment,
    /// `Control` of the type `Power`: `SetPoint`.
    Control,
    /// `Power`, deprecated: `PowerLimit` of this member of `PowerControl`.
    PowerControl(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)
    }
}

impl Kind {
    /// What of a resource has a power limit; `None` where nothing has.
    fn of(resource: &Value) -> Option<Self> {
        if resource.get("PowerLimitWatts").is_some_and(Value::is_object) {
            return Some(Self::Environment);
        }
        // A monitor tells a number, and cannot be set.
        let is_power = text(resource, "/ControlType") == Some("Power");
        if is_power && text(resource, "/SetPointType") != Some("Monitor") {
            return Some(Self::Control);
        }
        let controls = resource.get("PowerControl").and_then(Value::as_array)?;
        let limited = |it: &Value| it.get("PowerLimit").is_some_and(Value::is_object);
        controls.iter().position(limited).map(Self::PowerControl)
    }

    /// The limit and what belongs to it.
    fn part(self, resource: &Value) -> Option<&Value> {
        match self {
            Self::Environment => resource.get("PowerLimitWatts"),
            Self::Control => Some(resource),
            Self::PowerControl(index) => {
                resource.get("PowerControl")?.get(index)?.get("PowerLimit")
            }
        }
    }
}

/// The place that the site names.
pub(super) async fn named(session: &mut Session<'_>, path: &str) -> Result<Place, PowerError> {
    let resource = session.get(path).await?;
    let kind = Kind::of(&resource).ok_or_else(|| {
        let what = "has no power limit: no PowerLimitWatts, ControlType Power or PowerLimit";
        PowerError::Unsupported(format!("{path} {what}"))
    })?;
    Ok(Place { path: path.to_owned(), kind })
}

/// Looks for the one place of a system, in itself and in its chassis.
pub(super) async fn find(session: &mut Session<'_>, system: &Value) -> Result<Place, PowerError> {
    if let Some(place) = of_link(session, system::environment(system)).await? {
        return Ok(place);
    }
    let mut places = Vec::new();
    let mut shared = Vec::new();
    for path in system::chassis(system) {
        let Some(chassis) = read_optional(session, &path).await? else { continue };
        let found = of_chassis(session, &chassis).await?;
        // A limit of an enclosure is one of all its nodes.
        let is_shared = paths(chassis.pointer("/Links/ComputerSystems")).len() > 1;
        if is_shared { shared.extend(found) } else { places.extend(found) }
    }
    match places.len() {
        1 => Ok(places.remove(0)),
        0 if shared.is_empty() => Err(PowerError::Unsupported(
            "the controller has no power limit for this system: neither EnvironmentMetrics nor Controls nor Power of \
             its chassis"
                .to_owned(),
        )),
        0 => Err(PowerError::Unsupported(format!(
            "{} limits several systems together",
            listed(&shared)
        ))),
        _ => Err(PowerError::Configuration(format!(
            "several limits: {}; say in `limit` which is the node's",
            listed(&places)
        ))),
    }
}

fn listed(places: &[Place]) -> String {
    places.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The places of a chassis: in the first kind that it has any of.
async fn of_chassis(session: &mut Session<'_>, chassis: &Value) -> Result<Vec<Place>, FeedError> {
    if let Some(place) = of_link(session, link(chassis, "EnvironmentMetrics")).await? {
        return Ok(vec![place]);
    }
    let mut controls = Vec::new();
    if let Some(path) = link(chassis, "Controls")
        && let Some(collection) = read_optional(session, &path).await?
    {
        for path in paths(collection.get("Members")) {
            controls.extend(of_link(session, Some(path)).await?);
        }
    }
    if !controls.is_empty() {
        return Ok(controls);
    }
    Ok(of_link(session, link(chassis, "Power")).await?.into_iter().collect())
}

async fn of_link(
    session: &mut Session<'_>,
    path: Option<String>,
) -> Result<Option<Place>, FeedError> {
    let Some(path) = path else { return Ok(None) };
    let resource = read_optional(session, &path).await?;
    Ok(resource.and_then(|it| Kind::of(&it)).map(|kind| Place { path, kind }))
}

impl Place {
    fn part<'d>(&self, resource: &'d Value) -> Result<&'d Value, PowerError> {
        let part = self.kind.part(resource);
        part.ok_or_else(|| payload(&self.path, "has its power limit no more").into())
    }

    /// The limit that a resource tells.
    pub fn read(&self, resource: &Value) -> Result<LimitReading, PowerError> {
        let part = self.part(resource)?;
        let place = match self.kind {
            Kind::Environment | Kind::Control => "/SetPoint",
            Kind::PowerControl(_) => "/LimitInWatts",
        };
        let limit = watts(part, place)?;
        Ok(match limit {
            _ if text(part, "/ControlMode") == Some("Disabled") => LimitReading::Unlimited,
            // Some write zero where there is no limit; nothing runs on none.
            None | Some(Power::ZERO) => LimitReading::Unlimited,
            Some(limit) => LimitReading::Limited(limit),
        })
    }

    /// What changes a resource into one with this limit.
    pub fn change(&self, resource: Resource, limit: PowerLimit) -> Result<Change<'_>, PowerError> {
        let Resource { document, tag } = resource;
        let part = self.part(&document)?;
        if let PowerLimit::Watts(watts) = limit {
            within_range(part, of_watts(watts))?;
        }
        let body = match self.kind {
            Kind::Environment => json!({"PowerLimitWatts": set_point(part, limit)?}),
            Kind::Control => set_point(part, limit)?,
            Kind::PowerControl(index) => {
                // Empty objects leave the other members as they are.
                let controls = document.get("PowerControl").and_then(Value::as_array);
                let mut members = vec![json!({}); controls.map_or(0, Vec::len)];
                members[index] = json!({"PowerLimit": limit_in_watts(part, limit)?});
                json!({"PowerControl": members})
            }
        };
        Ok(Change { method: Method::PATCH, path: &self.path, body, tag })
    }
}

/// Way in for the fuzzer: whether a resource tells a limit, which is changed to these where it can be.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_resource(resource: &Value, limits: &[PowerLimit]) -> bool {
    let Some(kind) = Kind::of(resource) else { return false };
    let place = Place { path: "/redfish/v1/x".to_owned(), kind };
    let whole = || Resource { document: resource.clone(), tag: None };
    for limit in limits {
        let _ = place.change(whole(), *limit);
    }
    place.read(resource).is_ok()
}

/// A limit as `SetPoint` and `ControlMode`.
fn set_point(part: &Value, limit: PowerLimit) -> Result<Value, PowerError> {
    let has_mode = part.get("ControlMode").is_some();
    match limit {
        PowerLimit::Watts(watts) if has_mode => {
            Ok(json!({"SetPoint": watts, "ControlMode": "Automatic"}))
        }
        PowerLimit::Watts(watts) => Ok(json!({"SetPoint": watts})),
        PowerLimit::Unlimited if has_mode => Ok(json!({"ControlMode": "Disabled"})),
        PowerLimit::Unlimited => Err(PowerError::Unsupported(
            "the limit cannot be lifted: it has no ControlMode".to_owned(),
        )),
    }
}

/// A limit as the deprecated `PowerLimit`. One that switches its node off when it is exceeded is not set.
fn limit_in_watts(part: &Value, limit: PowerLimit) -> Result<Value, PowerError> {
    match limit {
        PowerLimit::Unlimited => Ok(json!({"LimitInWatts": null})),
        PowerLimit::Watts(_) if text(part, "/LimitException") == Some("HardPowerOff") => {
            let because = "the controller would switch the node off when it exceeds the limit (LimitException is \
                           HardPowerOff); set it to LogEventOnly or NoAction first";
            Err(PowerError::Refused(because.to_owned()))
        }
        PowerLimit::Watts(watts) => Ok(json!({"LimitInWatts": watts})),
    }
}

/// Controllers refuse what is out of range without saying what the range is.
fn within_range(part: &Value, limit: Power) -> Result<(), PowerError> {
    for (places, is_outside) in [
        (["/AllowableMin", "/SettingMin"], Power::lt as fn(&Power, &Power) -> bool),
        (["/AllowableMax", "/SettingMax"], Power::gt),
    ] {
        for place in places {
            let Some(bound) = watts(part, place)? else { continue };
            // Zero stands for no bound.
            if bound != Power::ZERO && is_outside(&limit, &bound) {
                let name = &place[1..];
                let message =
                    format!("{limit} is out of the controller's range: {name} is {bound}");
                return Err(PowerError::Refused(message));
            }
        }
    }
    Ok(())
}
