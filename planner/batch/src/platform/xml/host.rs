//! Hosts: what their elements say, and the machines that they are.

use std::collections::BTreeMap;

use planner::power_states::{ComputingState, Draws, PowerStates, Sleep, Transition};
use quick_xml::events::BytesStart;

use super::PlatformXmlError;
use crate::platform::{Machine, Naming, PlatformError, power, switching_time};

/// The host that Batsim takes for the master unless it is told otherwise.
const MASTER: &str = "master_host";

/// A host as far as it was read, or several that are alike.
#[derive(Default)]
pub(super) struct Host {
    pub(super) id: String,
    /// The names of a cluster's.
    pub(super) names: Option<Vec<Box<str>>>,
    speeds: String,
    state: u16,
    powers: Option<String>,
    sleeps: Option<String>,
    role: Option<String>,
    properties: BTreeMap<String, String>,
}

/// The value of an attribute.
pub(super) fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = element.try_get_attribute(name).ok().flatten()?;
    Some(attribute.value.into_owned())
}

/// What the attributes of a host say.
pub(super) fn read_host(element: &BytesStart<'_>) -> Result<Host, PlatformXmlError> {
    let id = attribute(element, "id").unwrap_or_default();
    let speeds = attribute(element, "speed").unwrap_or_default();
    let state = attribute(element, "pstate").unwrap_or_else(|| "0".to_owned());
    let what = format!("pstate {state:?} is not a number");
    let state = state.trim().parse();
    let state = state.map_err(|_| PlatformXmlError::Host { host: id.clone(), what })?;
    Ok(Host { id, speeds, state, ..Host::default() })
}

/// Notes what a property of a host says.
pub(super) fn property(host: &mut Host, element: &BytesStart<'_>) {
    let value = attribute(element, "value");
    let id = attribute(element, "id");
    host.properties.extend(id.clone().zip(value.clone()));
    match id.as_deref() {
        Some("wattage_per_state" | "watt_per_state") => host.powers = value,
        Some("sleep_pstates") => host.sleeps = value,
        Some("role") => host.role = value,
        _ => {}
    }
}

/// The machine that a host is; none for the master and storages.
pub(super) fn machine(host: &Host) -> Result<Option<Machine>, PlatformXmlError> {
    let roles = host.role.as_deref().unwrap_or_default();
    let is = |name: &str| roles.split(',').any(|role| role.trim() == name);
    if is("master") || is("storage") || (host.role.is_none() && host.id == MASTER) {
        return Ok(None);
    }
    let wrong = |what: String| PlatformXmlError::Host { host: host.id.clone(), what };
    let sleeps = sleep_states(host.sleeps.as_deref().unwrap_or_default()).map_err(wrong)?;
    let states = host.speeds.split(',').count();
    let mut computing = Vec::new();
    for number in (0..=u16::MAX).take(states) {
        if number == host.state || !sleeps.iter().flatten().any(|&of_sleep| of_sleep == number) {
            computing.push(computing_state(host, number).map_err(wrong)?);
        }
    }
    let initial = computing.iter().position(|state| state.number == host.state);
    let initial = initial.ok_or_else(|| wrong(format!("there is no speed {}", host.state)))?;
    let sleep = sleeps.first().map(|states| sleep(host, *states)).transpose().map_err(wrong)?;
    let (name, properties) = (Some(host.id.as_str().into()), host.properties.clone());
    let naming = Naming { name, properties };
    let power_states = PowerStates { computing, initial, sleep };
    Ok(Some(Machine { power_states, group: None, naming }))
}

/// Triplets of state numbers.
fn sleep_states(text: &str) -> Result<Vec<[u16; 3]>, String> {
    let triplets = text.split(',').map(str::trim).filter(|triplet| !triplet.is_empty());
    let read = |triplet: &str| {
        let numbers: Vec<u16> =
            triplet.split(':').filter_map(|number| number.trim().parse().ok()).collect();
        let wrong = |_| format!("sleep_pstates {triplet:?} is not sleep:off:on");
        <[u16; 3]>::try_from(numbers).map_err(wrong)
    };
    triplets.map(read).collect()
}

/// The part of a list that belongs to a state.
fn of_state<'a>(list: &'a str, number: u16, what: &str) -> Result<&'a str, String> {
    let part = list.split(',').nth(usize::from(number)).map(str::trim);
    part.filter(|part| !part.is_empty()).ok_or_else(|| format!("there is no {what} {number}"))
}

fn computing_state(host: &Host, number: u16) -> Result<ComputingState, String> {
    let text = of_state(&host.speeds, number, "speed")?;
    let speed = speed(text).ok_or_else(|| format!("{text:?} is not a speed"))?;
    let draws = host.powers.as_deref().map(|powers| {
        let text = of_state(powers, number, "wattage")?;
        draws(text).map_err(|error| format!("{text:?}: {error}"))
    });
    Ok(ComputingState { number, speed, draws: draws.transpose()? })
}

fn sleep(host: &Host, [sleep, off, on]: [u16; 3]) -> Result<Sleep, String> {
    let state = |number| {
        let state = computing_state(host, number)?;
        let draws =
            state.draws.ok_or_else(|| "sleep_pstates needs wattage_per_state".to_owned())?;
        Ok::<_, String>((state.speed, draws.idle))
    };
    let transition = |number| {
        let (speed, power) = state(number)?;
        let time = switching_time(1.0 / speed).map_err(|error| error.to_string())?;
        Ok::<_, String>(Transition { power, time })
    };
    let (_, power) = state(sleep)?;
    let (switching_off, switching_on) = (transition(off)?, transition(on)?);
    Ok(Sleep { number: sleep, off: power, switching_off, switching_on })
}

/// Operations a second: `100Mf`, or `1e8`.
fn speed(text: &str) -> Option<f64> {
    let units = [("kf", 1e3), ("Mf", 1e6), ("Gf", 1e9), ("Tf", 1e12), ("Pf", 1e15), ("f", 1.0)];
    let unit = units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)));
    let (digits, factor) = unit.unwrap_or((text, 1.0));
    let value: f64 = digits.trim().parse().ok()?;
    Some(value * factor).filter(|speed| speed.is_finite() && *speed > 0.0)
}

/// `idle:computing` or `idle:epsilon:computing`, W.
fn draws(text: &str) -> Result<Draws, PlatformError> {
    let wrong = || PlatformError::Power(text.to_owned());
    let watts: Result<Vec<f64>, _> = text.split(':').map(|part| part.trim().parse()).collect();
    match watts.map_err(|_| wrong())?.as_slice() {
        [idle, computing] | [idle, _, computing] => {
            Ok(Draws { idle: power(*idle)?, computing: power(*computing)? })
        }
        _ => Err(wrong()),
    }
}
