//! `SimGrid`'s platform description, as far as Batsim's simulations without a network need it: hosts with
//! their speeds, the power state that they begin in, what they draw (`wattage_per_state`, before version
//! 3.25 `watt_per_state`: `idle:computing` or `idle:epsilon:computing` for each state), and how they sleep:
//! `sleep_pstates` lists triplets `sleep:off:on` of state numbers, of which the first is read. To switch a
//! machine takes as long as one operation does in the state `off` or `on`, at that state's power.
//!
//! `<cluster>` and `<cabinet>` stand for hosts with the same speeds and properties, one for each number of
//! `radical` (`0-127`, `0-3,7`), called `prefix`, number, `suffix`.
//!
//! The master and storages are no machines. Machines of one innermost zone or cluster are a group, if there
//! are several such. Links and routes are passed over.

use std::collections::BTreeMap;
use std::sync::Arc;

use planner::power_states::{ComputingState, Draws, PowerStates, Sleep, Transition};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::{MOST, Machine, Naming, PlatformError, power, switching_time};

/// The host that Batsim takes for the master unless it is told otherwise.
const MASTER: &str = "master_host";

/// Why a description cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PlatformXmlError {
    /// The text is not XML.
    #[error("at byte {position}: {error}")]
    Xml {
        /// The byte at which it ends to be.
        position: u64,
        /// What the XML reader says.
        error: quick_xml::Error,
    },
    /// A host cannot be a machine.
    #[error("host {host}: {what}")]
    Host {
        /// The id of the host.
        host: String,
        /// What is wrong with it.
        what: String,
    },
    /// The hosts of a cluster cannot be told.
    #[error("cluster {cluster}: radical {radical:?} {what}")]
    Radical {
        /// The id of the cluster.
        cluster: String,
        /// The text that is to be numbers.
        radical: String,
        /// What is wrong with the numbers.
        what: &'static str,
    },
}

/// A host as far as it was read, or several that are alike.
#[derive(Default)]
struct Host {
    id: String,
    /// The names of a cluster's.
    names: Option<Vec<Box<str>>>,
    speeds: String,
    state: u16,
    powers: Option<String>,
    sleeps: Option<String>,
    role: Option<String>,
    properties: BTreeMap<String, String>,
}

/// The machines of a description, in its order.
///
/// # Errors
/// Text that is no XML, hosts whose speeds or powers are none.
pub fn read_xml(text: &str) -> Result<Vec<Machine>, PlatformXmlError> {
    let mut reader = Reader::from_str(text);
    let mut machines = Vec::new();
    let mut host: Option<Host> = None;
    let mut zones = Zones::default();
    loop {
        let event = reader
            .read_event()
            .map_err(|error| PlatformXmlError::Xml { position: reader.error_position(), error })?;
        let (element, empty) = match &event {
            Event::Start(element) => (element, false),
            Event::Empty(element) => (element, true),
            Event::End(element) => {
                match element.name().as_ref() {
                    "host" | "cluster" | "cabinet" => {
                        if let Some(host) = host.take() {
                            zones.add(&host, &mut machines)?;
                        }
                    }
                    "zone" | "AS" => zones.leave(),
                    _ => {}
                }
                continue;
            }
            Event::Eof => return Ok(without_one_zone(machines)),
            _ => continue,
        };
        match element.name().as_ref() {
            name @ ("host" | "cluster" | "cabinet") => {
                let mut read = read_host(element)?;
                if name != "host" {
                    read.names = Some(names(&read.id, element)?);
                }
                if empty {
                    zones.add(&read, &mut machines)?;
                } else {
                    host = Some(read);
                }
            }
            "prop" => {
                if let Some(host) = &mut host {
                    property(host, element);
                }
            }
            "zone" | "AS" if !empty => zones.enter(),
            _ => {}
        }
    }
}

/// The zones around what is read.
#[derive(Default)]
struct Zones {
    met: u64,
    around: Vec<Arc<str>>,
}

impl Zones {
    fn enter(&mut self) {
        self.met += 1;
        self.around.push(self.met.to_string().into());
    }

    fn leave(&mut self) {
        self.around.pop();
    }

    /// The machines that a host stands for, in their zone; a cluster is a zone of its own.
    fn add(&mut self, host: &Host, machines: &mut Vec<Machine>) -> Result<(), PlatformXmlError> {
        let Some(machine) = machine(host)? else { return Ok(()) };
        let Some(names) = &host.names else {
            let group = self.around.last().map_or_else(|| "".into(), Arc::clone);
            machines.push(Machine { group: Some(group), ..machine });
            return Ok(());
        };
        self.enter();
        let group = self.around.last().cloned();
        self.leave();
        // One more than a platform may have says that they are too many.
        let room = (MOST + 1).saturating_sub(machines.len());
        for name in names.iter().take(room) {
            let naming = Naming { name: Some(name.clone()), ..machine.naming.clone() };
            machines.push(Machine { naming, group: group.clone(), ..machine.clone() });
        }
        Ok(())
    }
}

/// The names of a cluster's hosts.
fn names(cluster: &str, element: &BytesStart<'_>) -> Result<Vec<Box<str>>, PlatformXmlError> {
    let text = |name| attribute(element, name).unwrap_or_default();
    let (prefix, suffix, radical) = (text("prefix"), text("suffix"), text("radical"));
    let wrong = |what| {
        let (cluster, radical) = (cluster.to_owned(), radical.clone());
        PlatformXmlError::Radical { cluster, radical, what }
    };
    let mut names = Vec::new();
    for part in radical.split(',').map(str::trim) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let range = first.trim().parse::<u32>().ok().zip(last.trim().parse::<u32>().ok());
        let (first, last) = range
            .filter(|(first, last)| first <= last)
            .ok_or_else(|| wrong("is not numbers and ranges of them, such as 0-127 or 0-3,7"))?;
        if names.len() + (last - first) as usize >= MOST {
            return Err(wrong("stands for more than 10000000 machines"));
        }
        let name = |number: u32| format!("{prefix}{number}{suffix}").into_boxed_str();
        names.extend((first..=last).map(name));
    }
    Ok(names)
}

/// One zone alone says nothing about what is near what.
fn without_one_zone(mut machines: Vec<Machine>) -> Vec<Machine> {
    if machines.windows(2).all(|pair| pair[0].group == pair[1].group) {
        for machine in &mut machines {
            machine.group = None;
        }
    }
    machines
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = element.try_get_attribute(name).ok().flatten()?;
    Some(attribute.value.into_owned())
}

fn read_host(element: &BytesStart<'_>) -> Result<Host, PlatformXmlError> {
    let id = attribute(element, "id").unwrap_or_default();
    let speeds = attribute(element, "speed").unwrap_or_default();
    let state = attribute(element, "pstate").unwrap_or_else(|| "0".to_owned());
    let what = format!("pstate {state:?} is not a number");
    let state = state.trim().parse();
    let state = state.map_err(|_| PlatformXmlError::Host { host: id.clone(), what })?;
    Ok(Host { id, speeds, state, ..Host::default() })
}

fn property(host: &mut Host, element: &BytesStart<'_>) {
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
fn machine(host: &Host) -> Result<Option<Machine>, PlatformXmlError> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use planner::quantity::Power;

    const XML: &str = r#"<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="main" routing="None">
<host id="master_host" speed="1Gf"><prop id="wattage_per_state" value="1:2"/></host>
<host id="a" speed="100.0Mf, 50Mf" pstate="1">
  <prop id="wattage_per_state" value="95.0:96:190.738, 94:120.5"/>
  <prop id="wattage_off" value="10"/>
</host>
<host id="disk" speed="1Gf"><prop id="role" value="storage"/></host>
<host id="b" speed="2e9"/>
</zone></platform>"#;

    fn watts(watts: f64) -> Power {
        Power::from_watts(watts).unwrap()
    }

    #[test]
    fn hosts_are_machines_in_the_state_they_begin_in() {
        let draws =
            |idle, computing| Some(Draws { idle: watts(idle), computing: watts(computing) });
        let first = ComputingState { number: 0, speed: 1e8, draws: draws(95.0, 190.738) };
        let second = ComputingState { number: 1, speed: 5e7, draws: draws(94.0, 120.5) };
        let properties =
            [("wattage_off", "10"), ("wattage_per_state", "95.0:96:190.738, 94:120.5")];
        let properties = properties.map(|(id, value)| (id.to_owned(), value.to_owned())).into();
        let a = Naming { name: Some("a".into()), properties };
        let b = Naming { name: Some("b".into()), ..Naming::default() };
        let states = PowerStates { computing: vec![first, second], initial: 1, sleep: None };
        let expected = [
            Machine { naming: a, ..Machine::of(states) },
            Machine { naming: b, ..Machine::of(PowerStates::always_on(2e9, None)) },
        ];
        assert_eq!(read_xml(XML).unwrap(), expected);
    }

    /// Off takes 1 / 0.16393... = 6.1 s, on 1 / 0.0065997... = 151.52 s.
    #[test]
    fn sleep_states_are_switches() {
        let xml = r#"<host id="a" speed="1f, 1e-9Mf, 0.1639344262295082f, 0.006599788806758183f">
            <prop id="wattage_per_state" value="95:190, 9.75:9.75, 101:101, 125:125"/>
            <prop id="sleep_pstates" value="1:2:3"/></host>"#;
        let machines = read_xml(xml).unwrap();
        let transition = |power, time| {
            let time = switching_time(time).unwrap();
            Transition { power: watts(power), time }
        };
        let expected = Sleep {
            number: 1,
            off: watts(9.75),
            switching_off: transition(101.0, 6.1),
            switching_on: transition(125.0, 151.52),
        };
        assert_eq!(machines[0].power_states.sleep, Some(expected));
        assert_eq!(machines[0].power_states.computing.len(), 1);
        let wrong = xml.replace("1:2:3", "1:2");
        let message = read_xml(&wrong).unwrap_err().to_string();
        assert_eq!(message, "host a: sleep_pstates \"1:2\" is not sleep:off:on");
    }

    /// The thesis's kind of platform: a cluster that computes and one of the master. Two speeds, and a state that
    /// is off: 6.1 s there, 151.52 s back.
    #[test]
    fn clusters_are_hosts_that_are_alike() {
        let xml = r#"<zone id="AS0" routing="Full">
            <cluster id="compute" prefix="host" suffix=".site" radical="0-2, 7,9-10" bw="125MBps" lat="50us"
                speed="100.0Mf, 50Mf, 1e-9Mf, 0.1639344262295082f, 0.006599788806758183f">
              <prop id="watt_per_state" value="95.0:190.738, 95.0:120, 9.75:9.75, 101:101, 125:125"/>
              <prop id="wattage_off" value="9.75"/>
              <prop id="sleep_pstates" value="2:3:4"/>
            </cluster>
            <cluster id="master" prefix="master_host" suffix="" radical="0-0" speed="1Gf">
              <prop id="role" value="master"/>
            </cluster></zone>"#;
        let machines = read_xml(xml).unwrap();
        let names: Vec<_> =
            machines.iter().map(|machine| machine.naming.name.as_deref().unwrap()).collect();
        let expected = ["0", "1", "2", "7", "9", "10"].map(|number| format!("host{number}.site"));
        assert_eq!(names, expected);
        for machine in &machines {
            let states = &machine.power_states;
            let [first, second] = states.computing.as_slice() else { panic!("{states:?}") };
            assert!((first.speed - 1e8).abs() + (second.speed - 5e7).abs() < 1.0);
            assert_eq!(first.draws, Some(Draws { idle: watts(95.0), computing: watts(190.738) }));
            let sleep = states.sleep.unwrap();
            assert_eq!((sleep.number, sleep.off), (2, watts(9.75)));
            assert_eq!(sleep.switching_on.time, switching_time(151.52).unwrap());
            assert_eq!(machine.naming.properties["wattage_off"], "9.75");
            assert_eq!(machine.group, None);
        }
        let two = |radical: &str| {
            format!("<cluster id='{radical}' prefix='n' radical='{radical}' speed='1'/>")
        };
        let racks = read_xml(&format!("<zone id='z'>{}{}</zone>", two("0-1"), two("2"))).unwrap();
        let groups: Vec<_> = racks.iter().map(|machine| machine.group.clone().unwrap()).collect();
        assert!(groups[0] == groups[1] && groups[1] != groups[2], "{groups:?}");
    }

    #[test]
    fn zones_are_groups() {
        let zone = |hosts: &[&str]| {
            let host = |id: &&str| format!("<host id='{id}' speed='1'/>");
            format!("<zone id='z'>{}</zone>", hosts.iter().map(host).collect::<String>())
        };
        let within = |zones: &str| read_xml(&format!("<zone id='all'>{zones}</zone>")).unwrap();
        let master = zone(&["master_host"]);
        let machines =
            within(&(master.clone() + &zone(&["a", "b"]) + "<zone id='n'/>" + &zone(&["c"])));
        let groups: Vec<_> =
            machines.iter().map(|machine| machine.group.clone().unwrap()).collect();
        assert!(groups[0] == groups[1] && groups[1] != groups[2], "{groups:?}");
        let machines = within(&(master + &zone(&["a", "b"])));
        assert!(machines.iter().all(|machine| machine.group.is_none()));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let message = |text: &str| read_xml(text).unwrap_err().to_string();
        assert_eq!(message("<host id='a' speed='fast'/>"), "host a: \"fast\" is not a speed");
        assert_eq!(message("<host id='a' speed='1' pstate='2'/>"), "host a: there is no speed 2");
        assert_eq!(
            message("<cluster id='c' radical='0-3,5-4' speed='1'/>"),
            "cluster c: radical \"0-3,5-4\" is not numbers and ranges of them, such as 0-127 or 0-3,7"
        );
        assert!(
            message("<cluster id='c' radical='0-4000000000' speed='1'/>").contains("more than")
        );
        assert_eq!(message("<cluster id='c' radical='0'/>"), "host c: there is no speed 0");
        assert!(message("<host id='a'></hos>").starts_with("at byte"));
        let powers = "<host id='a' speed='1'><prop id='wattage_per_state' value='95'/></host>";
        assert!(message(powers).starts_with("host a: \"95\": a power must be"));
    }
}
