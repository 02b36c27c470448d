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

mod host;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::{MOST, Machine, Naming};
use host::{Host, attribute, machine, property, read_host};

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
